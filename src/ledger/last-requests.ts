import type { Day } from "../core/day.ts";
import { neverRequested, type SliceDraft } from "../core/slice.ts";
import type { Database } from "../postgres/database.ts";
import { sql } from "../postgres/sql.ts";
import { wantedScopes } from "./packed-slices.ts";
import { hashOfScope } from "./same-scope.ts";

/**
 * Snapshots with the day of their last request, however long ago: a plan reads only the newest slices, and a snapshot that was requested
 * before these would count as never requested. Those that name items stay as they are.
 */
export async function withLastRequests(
  db: Database,
  dataset: string,
  slices: readonly SliceDraft[],
): Promise<readonly SliceDraft[]> {
  const isUnknown = (slice: SliceDraft) =>
    slice.class === "snapshot" && slice.items === null && slice.lastRequested === undefined;
  const unknown = slices.filter(isUnknown);
  if (unknown.length === 0) return slices;
  const { rows } = await sql<{ place: number; day: Day }>`
    with wanted as materialized (${wantedScopes(unknown.map(({ scope }) => scope))})
    select w.place, max(s.as_of) as day
    from   wanted as w
    cross  join lateral (select s.scope, s.as_of from ops.slice as s
                         where  ${hashOfScope(sql`s.scope`)} = w.hash and s.dataset = ${dataset}
                         and    s.fingerprint <> ${neverRequested} offset 0) as s -- a barrier: compares scopes only of slices that the index finds
    where  s.scope = w.scope
    group  by w.place`.execute(db);
  const days = new Map(rows.map(({ place, day }) => [unknown[place], day]));
  return slices.map((slice) => {
    const lastRequested = days.get(slice);
    return lastRequested === undefined ? slice : { ...slice, lastRequested };
  });
}

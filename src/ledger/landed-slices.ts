import { sql } from "kysely";
import type { Slice, SliceState } from "../core/slice.ts";
import type { Window } from "../core/window.ts";
import type { Database } from "../warehouse/database.ts";
import { sliceColumns, sliceOf, type SliceRow } from "./slices.ts";

type LandedRow = SliceRow & { readonly landed_at: string };
type Cursor = { readonly at: string; readonly id: string };

/** Slices a page holds, so that memory stays flat however many there are. */
const pageSize = 500;

/**
 * The slices of a dataset whose answers were loaded, or would be by now, in the order in which the answers came. `within` keeps to
 * windows that touch it. Every slice of it has at least one landed page.
 */
export async function* landedSlices(
  db: Database,
  dataset: string,
  within: Partial<Window>,
  states: readonly SliceState[] = ["loaded", "empty", "failed"],
): AsyncGenerator<Slice> {
  let after: Cursor = { at: "-infinity", id: "0" };
  for (;;) {
    const { rows }: { rows: LandedRow[] } = await sql<LandedRow>`
      select ${sliceColumns}, landed.landed_at::text as landed_at
      from   ops.slice as s
      left   join ops.batch as b on b.batch_id = s.batch_id
      cross  join lateral (select max(a.fetched_at) as landed_at from raw.answer as a where a.slice_id = s.slice_id) as landed
      where  s.dataset = ${dataset} and s.state = any (${[...states]}::text[]) and landed.landed_at is not null
      and    s.window_end > ${within.start ?? "-infinity"}::date and s.window_start < ${within.end ?? "infinity"}::date
      and    (landed.landed_at, s.slice_id) > (${after.at}::timestamptz, ${after.id}::bigint)
      order  by landed.landed_at, s.slice_id
      limit  ${pageSize}`.execute(db);
    yield* rows.map(sliceOf);
    const last: LandedRow | undefined = rows.at(-1);
    if (last === undefined || rows.length < pageSize) return;
    after = { at: last.landed_at, id: last.slice_id };
  }
}

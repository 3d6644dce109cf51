import { sql } from "kysely";
import type { Day } from "../core/day.ts";
import { scopeKey, type Covered, type Scope, type SliceState } from "../core/slice.ts";
import type { Window } from "../core/window.ts";
import type { Database } from "../warehouse/database.ts";

type CoveredRow = {
  scope: Scope;
  items: string[] | null;
  window_start: Day;
  window_end: Day;
  state: SliceState;
  as_of: Day;
  fingerprint: string;
  refused: boolean;
};

/** What was asked for before of one dataset, by `scopeKey`; only windows that touch `within`, when given. */
export async function readCoverage(
  db: Database,
  dataset: string,
  within: Partial<Window>,
): Promise<ReadonlyMap<string, readonly Covered[]>> {
  const { rows } = await sql<CoveredRow>`
    select s.scope, b.items, s.window_start, s.window_end, s.state, s.as_of, s.fingerprint,
           s.state = 'skipped' and coalesce(s.error_code in ('bad_request', 'not_encodable'), false) as refused
    from   ops.slice as s
    left   join ops.batch as b on b.batch_id = s.batch_id
    where  s.dataset = ${dataset}
    and    s.window_end > ${within.start ?? "-infinity"}::date and s.window_start < ${within.end ?? "infinity"}::date
    order  by s.slice_id`.execute(db);
  return Map.groupBy(rows.map(coveredOf), (covered) => scopeKey(covered.scope));
}

function coveredOf(row: CoveredRow): Covered {
  return {
    scope: row.scope,
    items: row.items,
    window: { start: row.window_start, end: row.window_end },
    state: row.state,
    asOf: row.as_of,
    fingerprint: row.fingerprint,
    refused: row.refused,
  };
}

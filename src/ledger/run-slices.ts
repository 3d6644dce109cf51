import type { Scope } from "../core/slice.ts";
import type { Database } from "../postgres/database.ts";
import { sql } from "../postgres/sql.ts";
import { isRetryable, retryCredits } from "./reopen.ts";

/** A slice of a run, as one line. Counts are numbers, days are `YYYY-MM-DD`. */
export type RunSlice = {
  readonly sliceId: string;
  readonly dataset: string;
  readonly scope: Scope;
  /** The app of its scope, as the dimension names it; null if it is not about one, or the name is unknown. */
  readonly appName: string | null;
  readonly itemCount: number;
  readonly firstDay: string;
  readonly lastDay: string;
  readonly state: string;
  readonly attempts: number;
  readonly plannedCredits: number;
  readonly bookedCredits: number;
  readonly rows: number;
  readonly rejects: number;
  readonly code: string | null;
  readonly message: string | null;
  readonly endedAt: Date | null;
  /** True if it failed and no newer slice has answered its cells or will request them. */
  readonly isRetryable: boolean;
  /** What a retry is expected to cost. */
  readonly retryCredits: number;
};

/** Which slices: of a run, in a state, of a dataset, at most a number of them after a given one. */
export type RunSliceFilter = {
  readonly runId: string;
  readonly state?: string | undefined;
  readonly dataset?: string | undefined;
  readonly after?: string | undefined;
  readonly most: number;
};

/** Slices of a run in the order of their numbers. */
export async function readRunSlices(
  db: Database,
  { runId, state = "", dataset = "", after = "0", most }: RunSliceFilter,
): Promise<readonly RunSlice[]> {
  const { rows } = await sql<RunSlice>`
    select s.slice_id as "sliceId", s.dataset, s.scope, a.app_name as "appName", s.item_count::int as "itemCount", s.first_day as "firstDay",
           s.last_day as "lastDay", s.state, s.attempt as attempts, s.planned_credits as "plannedCredits", s.booked_credits::int as "bookedCredits",
           s.rows_loaded as rows, s.rows_rejected as rejects, s.error_code as code, s.error_message as message, s.ended_at as "endedAt",
           ${isRetryable} as "isRetryable", ${retryCredits(sql`own.slice_id`)} as "retryCredits"
    from   ops.slice_status as s
    -- the SQL of retryCredits has an s of its own
    cross  join lateral (select s.slice_id) as own
    left   join core.dim_app as a on a.store = s.store and a.track_id = s.track_id
    where  s.run_id = ${runId}::bigint and s.slice_id > ${after}::bigint and (${state} = '' or s.state = ${state}) and (${dataset} = '' or s.dataset = ${dataset})
    order  by s.slice_id
    limit  ${most}`.execute(db);
  return rows;
}

/** Slices of a run by dataset and state, with their planned cost and loaded rows. */
export type RunPart = {
  readonly dataset: string;
  readonly state: string;
  readonly slices: number;
  readonly plannedCredits: number;
  readonly rows: number;
};

/** Reads them. */
export async function readRunParts(db: Database, runId: string): Promise<readonly RunPart[]> {
  const { rows } = await sql<RunPart>`
    select dataset, state, count(*)::int as slices, sum(planned_credits)::int as "plannedCredits", coalesce(sum(rows_loaded), 0)::float8 as rows
    from   ops.slice_status
    where  run_id = ${runId}::bigint
    group  by dataset, state
    order  by dataset, state`.execute(db);
  return rows;
}

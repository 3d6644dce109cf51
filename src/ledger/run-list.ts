import { sql } from "kysely";
import type { Database } from "../warehouse/database.ts";

/** A run as `ops.run_summary` has it. */
export type RunLine = {
  readonly run_id: string;
  readonly kind: string;
  readonly as_of: string;
  readonly plan_id: string | null;
  readonly started_at: Date;
  readonly ended_at: Date | null;
  readonly outcome: string | null;
  readonly planned_slice_count: number;
  readonly planned_credits: number;
  readonly loaded_count: number;
  readonly empty_count: number;
  readonly skipped_count: number;
  readonly failed_count: number;
  readonly open_count: number;
  readonly deferred_count: number;
  readonly request_count: number;
  readonly booked_credits: number;
};

/** The latest runs, the newest first. */
export async function latestRuns(db: Database, most: number): Promise<readonly RunLine[]> {
  const { rows } = await sql<RunLine>`
    select run_id, kind, as_of, plan_id, started_at, ended_at, outcome, planned_slice_count, planned_credits::float8, loaded_count::int,
           empty_count::int, skipped_count::int, failed_count::int, open_count::int, deferred_count::int, request_count::int, booked_credits::int
    from   ops.run_summary
    where  run_id in (select run_id from ops.run order by run_id desc limit ${most})
    order  by run_id desc`.execute(db);
  return rows;
}

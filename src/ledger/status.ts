import { sql } from "kysely";
import type { Database } from "../warehouse/database.ts";

/** Slices of one dataset by state, and when the last of them ended. */
type DatasetStatus = {
  readonly dataset: string;
  readonly pending: number;
  readonly running: number;
  readonly deferred: number;
  readonly loaded: number;
  readonly empty: number;
  readonly skipped: number;
  /** Those that no newer slice made good. */
  readonly failed: number;
  /** Rows that did not fit, of slices that are loaded or failed; a loaded slice may have some. */
  readonly rejects: number;
  readonly firstDay: string | null;
  readonly lastDay: string | null;
  readonly lastEndedAt: Date | null;
};

/** The latest run. */
type LastRun = {
  readonly runId: string;
  readonly kind: string;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
  readonly outcome: string | null;
  readonly plannedSlices: number;
  readonly plannedCredits: number;
};

/** A group of slices that ended badly for the same reason. */
type Trouble = {
  readonly dataset: string;
  readonly state: string;
  readonly code: string;
  readonly slices: number;
  readonly example: string;
};

/** Where everything stands. */
export type Status = {
  readonly datasets: readonly DatasetStatus[];
  readonly lastRun: LastRun | null;
  readonly troubles: readonly Trouble[];
};

/** Reads the ledger's summary. */
export async function readStatus(db: Database): Promise<Status> {
  const counted = await sql<DatasetStatus>`
    select dataset,
           count(*) filter (where state = 'pending')::int  as pending,
           count(*) filter (where state = 'running')::int  as running,
           count(*) filter (where state = 'deferred')::int as deferred,
           count(*) filter (where state = 'loaded')::int   as loaded,
           count(*) filter (where state = 'empty')::int    as empty,
           count(*) filter (where state = 'skipped')::int  as skipped,
           (select count(*)::int from ops.failed_slice as f where f.dataset = s.dataset) as failed,
           coalesce(sum(rows_rejected) filter (where state in ('loaded', 'failed')), 0)::float8 as rejects,
           min(window_start) filter (where state in ('loaded', 'empty'))   as "firstDay",
           max(window_end - 1) filter (where state in ('loaded', 'empty')) as "lastDay",
           max(ended_at)                                                   as "lastEndedAt"
    from   ops.slice as s
    group  by dataset
    order  by dataset`.execute(db);
  const runs = await sql<LastRun>`
    select run_id as "runId", kind, started_at as "startedAt", ended_at as "endedAt", outcome,
           planned_slices as "plannedSlices", planned_credits::int as "plannedCredits"
    from   ops.run
    order  by run_id desc
    limit  1`.execute(db);
  const troubles = await sql<Trouble>`
    select dataset, state, error_code as code, count(*)::int as slices, min(error_message) as example
    from   ops.slice
    where  error_code is not null and (state in ('skipped', 'deferred', 'pending') or slice_id in (select slice_id from ops.failed_slice))
    group  by dataset, state, error_code
    order  by dataset, state, error_code`.execute(db);
  return { datasets: counted.rows, lastRun: runs.rows[0] ?? null, troubles: troubles.rows };
}

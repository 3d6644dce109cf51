import { sql } from "kysely";
import type { Database } from "../warehouse/database.ts";

/** Slices of one dataset by state, and the days that they answered. */
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
    with counted as (
      -- by an index alone: a ledger of years is not read
      select dataset, state, count(*)::int as slices, max(window_end) as last from ops.slice group by dataset, state
    ), unfit as (
      select dataset, sum(rows_rejected)::float8 as rejects from ops.slice
      where  rows_rejected > 0 and state in ('loaded', 'failed') group by dataset
    ), failed as (
      select dataset, count(*)::int as slices from ops.failed_slice group by dataset
    )
    select c.dataset,
           coalesce(sum(c.slices) filter (where c.state = 'pending'), 0)::int  as pending,
           coalesce(sum(c.slices) filter (where c.state = 'running'), 0)::int  as running,
           coalesce(sum(c.slices) filter (where c.state = 'deferred'), 0)::int as deferred,
           coalesce(sum(c.slices) filter (where c.state = 'loaded'), 0)::int   as loaded,
           coalesce(sum(c.slices) filter (where c.state = 'empty'), 0)::int    as empty,
           coalesce(sum(c.slices) filter (where c.state = 'skipped'), 0)::int  as skipped,
           coalesce(max(f.slices), 0) as failed,
           coalesce(max(u.rejects), 0) as rejects,
           (select s.window_start from ops.slice as s where s.dataset = c.dataset and s.state in ('loaded', 'empty')
            order  by s.window_start limit 1)                                 as "firstDay",
           max(c.last - 1) filter (where c.state in ('loaded', 'empty'))      as "lastDay"
    from   counted as c
    left   join unfit  as u on u.dataset = c.dataset
    left   join failed as f on f.dataset = c.dataset
    group  by c.dataset
    order  by c.dataset`.execute(db);
  const runs = await sql<LastRun>`
    select run_id as "runId", kind, started_at as "startedAt", ended_at as "endedAt", outcome,
           planned_slices as "plannedSlices", planned_credits::int as "plannedCredits"
    from   ops.run
    order  by run_id desc
    limit  1`.execute(db);
  const troubles = await sql<Trouble>`
    select dataset, state, error_code as code, count(*)::int as slices, min(error_message) as example
    from   ops.slice
    where  error_code is not null
    and    (state in ('skipped', 'deferred', 'pending') or state = 'failed' and slice_id in (select slice_id from ops.failed_slice))
    group  by dataset, state, error_code
    order  by dataset, state, error_code`.execute(db);
  return { datasets: counted.rows, lastRun: runs.rows[0] ?? null, troubles: troubles.rows };
}

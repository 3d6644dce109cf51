import { sql } from "../postgres/sql.ts";
import { errorCodes } from "../core/error-codes.ts";
import type { Database } from "../postgres/database.ts";

const deferCodes = Object.entries(errorCodes).flatMap(([code, { recovery }]) => (recovery === "defer" ? [code] : []));

/** Slices of one dataset by state, and the days that they answered. */
type DatasetStatus = {
  readonly dataset: string;
  readonly pending: number;
  readonly running: number;
  readonly deferred: number;
  readonly loaded: number;
  readonly empty: number;
  readonly skipped: number;
  /** Those whose cells no newer slice has answered. */
  readonly failed: number;
  /** Rows that did not fit, of slices that are loaded or failed; a loaded slice may have some. */
  readonly rejects: number;
  readonly firstDay: string | null;
  readonly lastDay: string | null;
  /** True for a list of what the account tracks, from which the market is planned. */
  readonly listsPortfolio: boolean;
};

/** The latest run that had something to do, and its account. */
export type LastRun = {
  /** Empty for the account of API_TOKEN. */
  readonly account: string;
  readonly runId: string;
  readonly kind: string;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
  readonly outcome: string | null;
  /** What aborted it, and what to do next; null if nothing did. */
  readonly error: string | null;
  readonly plannedSlices: number;
  readonly plannedCredits: number;
  readonly bookedCredits: number;
};

/** A sync that ended before it had requested all that it planned, and how. */
export type UnfinishedSync = { readonly runId: string; readonly endedAs: "interrupted" | "aborted" | "limited" };

/** Slices of one account that were not loaded for the same reason. */
type Trouble = {
  readonly account: string;
  readonly dataset: string;
  readonly state: string;
  readonly code: string;
  readonly slices: number;
  readonly example: string;
};

/** The summary of the ledger. */
export type Status = {
  readonly datasets: readonly DatasetStatus[];
  readonly lastRun: LastRun | null;
  readonly troubles: readonly Trouble[];
  /** How many failed slices are requested again automatically: none of a dataset that is switched off. */
  readonly failedForNow: number;
  /** When the first of them is; null if there is none. */
  readonly nextTryAt: Date | null;
};

/** If no process has seen an outage for this long, it is over, or nobody waits for its end. In ms. */
export const outageFreshMs = 180_000;

/** Reads the ledger's summary; `switchedOff`: datasets that the configuration switches off. */
export async function readStatus(db: Database, switchedOff: readonly string[] = []): Promise<Status> {
  const counted = await sql<DatasetStatus>`
    with counted as (
      -- by an index alone: a ledger of years is not read
      select dataset, state, count(*)::int as slices, max(last_day) as last from ops.slice_status group by dataset, state
      union  all
      select dataset, state, slice_count::int, null from ops.folded_slices
    ), invalid as (
      select dataset, sum(rows_rejected)::float8 as rejects from ops.slice_status
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
           (select s.first_day from ops.slice_status as s where s.dataset = c.dataset and s.state in ('loaded', 'empty')
            order  by s.first_day limit 1)                                 as "firstDay",
           max(c.last) filter (where c.state in ('loaded', 'empty'))      as "lastDay",
           c.dataset in (select l.dataset from ops.portfolio_list as l) as "listsPortfolio"
    from   counted as c
    left   join invalid  as u on u.dataset = c.dataset
    left   join failed as f on f.dataset = c.dataset
    group  by c.dataset
    order  by c.dataset`.execute(db);
  const runs = await sql<LastRun>`
    select (select r.account from ops.run_log as r where r.run_id = run.run_id) as account,
           run_id as "runId", kind, started_at as "startedAt", ended_at as "endedAt", outcome, error_message as error,
           planned_slice_count as "plannedSlices", planned_credits::int as "plannedCredits",
           booked_credits::int as "bookedCredits"
    from   ops.run_summary as run
    where  run_id = coalesce((select max(r.run_id) from ops.run_log as r
                              where  r.ended_at is null or r.planned_slices > 0 or r.kind not in ('schedule', 'retry') or r.kind = 'retry' and r.outcome <> 'loaded'),
                             (select max(run_id) from ops.run_log))`.execute(db);
  const troubles = await sql<Trouble>`
    select coalesce(r.account, '') as account, s.dataset, s.state, s.error_code as code, count(*)::int as slices, min(s.error_message) as example
    from   ops.slice_status as s
    left   join ops.run_log as r using (run_id)
    where  s.error_code is not null
    and    (s.state in ('skipped', 'deferred') or s.state = 'failed' and s.slice_id in (select slice_id from ops.failed_slice)
            -- what it waited for is over
            or s.state = 'pending' and s.error_code <> all (${deferCodes}::text[]))
    -- slices that wait for different budgets continue at different times: the text has the name as its only word after "budget"
    group  by r.account, s.dataset, s.state, s.error_code,
           case when s.error_code like 'budget\\_%' then substring(s.error_message from 'budget (\\S+)') end
    order  by s.dataset, s.state, s.error_code, r.account, example`.execute(db);
  const later = await sql<Pick<Status, "failedForNow" | "nextTryAt">>`
    select count(*)::int as "failedForNow", min(next_try_at) as "nextTryAt" from ops.failed_slice
    where  next_try_at is not null and dataset <> all (${[...switchedOff]}::text[])`.execute(db);
  return {
    datasets: counted.rows,
    lastRun: runs.rows[0] ?? null,
    troubles: troubles.rows,
    ...(later.rows[0] ?? { failedForNow: 0, nextTryAt: null }),
  };
}

/**
 * The outcome of a run in words; `outcome` is null while it runs. A `limited` run has done what its limit of credits paid for, as each step
 * of a first sync does with the price that was agreed to.
 */
export function outcomeWords(outcome: string | null): string {
  if (outcome === null) return "under way";
  return outcome === "limited" ? "as far as agreed" : outcome;
}

/** The latest sync of an account that was broken off and that no later run has completed. */
export async function readUnfinishedSync(db: Database, account: string): Promise<UnfinishedSync | null> {
  const { rows } = await sql<UnfinishedSync>`
    select run_id as "runId", ended_as as "endedAs" from ops.unfinished_sync
    where  account = ${account} order by run_id desc limit 1`.execute(db);
  return rows[0] ?? null;
}

/** Whether the API refuses all requests of an account, and whether it responds: null for what is not so. */
export type ApiTrouble = {
  readonly refusedSince: Date | null;
  /** `isNow`: a process has seen it within three minutes, as each that waits does. */
  readonly outage: { readonly since: Date; readonly seenAt: Date; readonly isNow: boolean } | null;
};

/** Reads that, also if no process runs. `now`: epoch-ms. */
export async function readApiTrouble(db: Database, accountId: string, now: number): Promise<ApiTrouble> {
  type Row = { refusedSince: Date | null; since: Date | null; seenAt: Date | null };
  const { rows } = await sql<Row>`
    select refused_since as "refusedSince", outage_since as since, outage_seen_at as "seenAt"
    from   ops.api_trouble where account_id = ${accountId}`.execute(db);
  const { refusedSince = null, since = null, seenAt = null } = rows[0] ?? {};
  const isNow = seenAt !== null && now - seenAt.getTime() < outageFreshMs;
  return { refusedSince, outage: since === null || seenAt === null ? null : { since, seenAt, isNow } };
}

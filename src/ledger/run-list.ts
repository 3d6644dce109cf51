import { openStates, type SliceState } from "../core/slice.ts";
import { count } from "../core/words.ts";
import { sql } from "../postgres/sql.ts";
import type { Database } from "../postgres/database.ts";

/** A row of `ops.run_summary`. */
export type RunLine = {
  readonly run_id: string;
  readonly kind: string;
  /** Empty for the account of API_TOKEN. */
  readonly account: string;
  readonly as_of: string;
  readonly plan_id: string | null;
  readonly started_at: Date;
  readonly ended_at: Date | null;
  readonly outcome: string | null;
  /** What aborted it, and what to do next; null if nothing did. */
  readonly error_message: string | null;
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
  readonly rows_loaded: number;
  readonly rows_rejected: number;
  /** Slices that it requested and that other runs have now, by run. */
  readonly moved: readonly MovedSlices[];
};

/** Slices of a run that a later one has: a retry, or the run of a worker that went on with them. */
type MovedSlices = { readonly runId: string; readonly kind: string; readonly slices: number };

/** Where the slices of a run went, for people: `19 retried by run 12`. */
export function movedWords({ moved }: RunLine): readonly string[] {
  return moved.map(
    ({ runId, kind, slices }) => `${count(slices)} ${kind === "retry" ? "retried" : "continued"} by run ${runId}`,
  );
}

/** The kind of a run and its account: `backfill of plan 3 for acme`; the account of API_TOKEN is not named. */
export function runWords({ kind, plan_id: planId, account }: RunLine): string {
  return `${kind}${planId === null ? "" : ` of plan ${planId}`}${account === "" ? "" : ` for ${account}`}`;
}

/** The latest runs, the newest first. */
export function latestRuns(db: Database, most: number): Promise<readonly RunLine[]> {
  return summaries(db, sql`select run_id from ops.run_log order by run_id desc limit ${most}`);
}

/** One run; null if there is none with this number. */
export async function readRun(db: Database, runId: string): Promise<RunLine | null> {
  return (await summaries(db, sql`${runId}::bigint`))[0] ?? null;
}

async function summaries(db: Database, ids: ReturnType<typeof sql>): Promise<readonly RunLine[]> {
  const { rows } = await sql<RunLine>`
    select run_id, kind, account, as_of, plan_id, started_at, ended_at, outcome, error_message, planned_slice_count, planned_credits::float8, loaded_count::int,
           empty_count::int, skipped_count::int, failed_count::int, open_count::int, deferred_count::int, request_count::int, booked_credits::int, rows_loaded::float8, rows_rejected::float8,
           -- slices that are missing from its counts belong to other runs by now; in a limited run they were cancelled, and its many requests need not be read;
           -- a failed run is retried most often, and empty slices that it did not plan may hide from its counts that slices are missing
           case when outcome = 'failed' or outcome is distinct from 'limited' and planned_slice_count > loaded_count + empty_count + skipped_count + failed_count + open_count + deferred_count then coalesce((
             select jsonb_agg(jsonb_build_object('runId', m.run_id::text, 'kind', m.kind, 'slices', m.slices) order by m.run_id)
             from   (select s.run_id, o.kind, count(distinct s.slice_id) as slices
                     from   ops.request_log as q
                     join   ops.slice_log   as s on s.slice_id = q.slice_id and s.run_id <> q.run_id
                     join   ops.run_log     as o on o.run_id = s.run_id
                     -- what was retried without such a gap had an error
                     where  q.run_id = run.run_id and (q.error_code is not null or planned_slice_count > loaded_count + empty_count + skipped_count + failed_count + open_count + deferred_count)
                     group  by s.run_id, o.kind) as m), '[]') else '[]' end as moved
    from   ops.run_summary as run
    where  run_id in (${ids})
    order  by run_id desc`.execute(db);
  return rows;
}

/** Runs of the schedule that found nothing to do, one after the other. */
export type IdleRuns = {
  readonly first_run_id: string;
  readonly last_run_id: string;
  readonly run_count: number;
  readonly first_started_at: Date;
};

/** True for such runs among those that had something to do. */
export function isIdle(line: RunLine | IdleRuns): line is IdleRuns {
  return "run_count" in line;
}

type Group = IdleRuns & { readonly is_idle: boolean };

/** At most this many runs are read: a year of hourly triggers. */
const mostRead = 10_000;

/** Which runs are shown: all, those with failed slices or that failed, or those with slices that have not ended. */
export const runFilters = ["all", "failed", "open"] as const;
export type RunFilter = (typeof runFilters)[number];

/** The latest runs that have such slices or ended with this outcome, the newest first. */
function runsWith(
  db: Database,
  { states, outcome = null }: { readonly states: readonly SliceState[]; readonly outcome?: string | null },
  most: number,
): Promise<readonly RunLine[]> {
  return summaries(
    db,
    sql`select run_id from ops.run_log as r
        where  exists (select from ops.slice_log as s where s.run_id = r.run_id and s.state = any (${[...states]}::text[]))
        ${outcome === null ? sql`` : sql`or r.outcome = ${outcome}`}
        order  by run_id desc limit ${most}`,
  );
}

/** The latest runs that pass a filter, the newest first. Consecutive runs that found nothing to do are one line. */
export async function foldedRuns(
  db: Database,
  most: number,
  filter: RunFilter = "all",
): Promise<readonly (RunLine | IdleRuns)[]> {
  if (filter === "failed") return runsWith(db, { states: ["failed"], outcome: "failed" }, most);
  if (filter === "open") return runsWith(db, { states: openStates }, most);
  const { rows: groups } = await sql<Group>`
    with run as (
      select run_id, started_at,
             kind = 'schedule' and outcome = 'planned' and planned_slices = 0
             and past_loaded_count + past_empty_count = 0 and not exists (select from ops.slice_status as s where s.run_id = r.run_id) as is_idle
      from   ops.run_log as r
      order  by run_id desc
      limit  ${mostRead}
    ), numbered as (
      select *, count(*) filter (where not is_idle) over (order by run_id desc) as working from run
    )
    select is_idle, min(run_id) as first_run_id, max(run_id) as last_run_id, count(*)::int as run_count,
           min(started_at) as first_started_at
    from   numbered
    group  by is_idle, working
    order  by last_run_id desc
    limit  ${most}`.execute(db);
  const working = groups.filter(({ is_idle }) => !is_idle).map((group) => group.last_run_id);
  const runs = await summaries(db, sql`select unnest(${working}::bigint[])`);
  return groups.flatMap(({ is_idle: foundNothing, ...group }): readonly (RunLine | IdleRuns)[] =>
    foundNothing ? [group] : runs.filter((run) => run.run_id === group.last_run_id),
  );
}

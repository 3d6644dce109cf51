import { sql, type Queryable } from "../postgres/sql.ts";

/** A worker writes a heartbeat every ten seconds; one that has not for this long is frozen or gone. */
export const lateSeconds = 60;

/** SQL: true for a process (`ops.worker as w`) whose latest heartbeat is recent. */
export const hasRecentHeartbeat = sql<boolean>`(w.heartbeat_at >= clock_timestamp() - make_interval(secs => ${lateSeconds}))`;

/**
 * SQL: how a process (`ops.worker as w`) ended that neither runs nor waits. One that waits sends heartbeats, and notes its end when it is
 * stopped.
 */
export const endedAs = sql<string>`coalesce(nullif(w.ended_as, 'waiting'), 'died')`;

/** SQL: true for a process (`ops.worker as w`) that sends nothing until the API accepts the account again. */
export const isWaiting = sql<boolean>`(w.ended_as is not distinct from 'waiting' and ${hasRecentHeartbeat})`;

/** The workers of an account. */
export type WorkerCounts = {
  /** Those that hold their lock, with or without a recent heartbeat. */
  readonly running: number;
  /** Running ones without a recent heartbeat. */
  readonly late: number;
  /** Those that send nothing until the API accepts the account again. */
  readonly waiting: number;
  /** The latest heartbeat of any worker, and the time since then; null if none ever ran. */
  readonly beatAt: Date | null;
  readonly ageSeconds: number | null;
  /** How the last worker ended (`stopped`, `died`, or the code of an error); null while it runs or waits, or if none ever ran. */
  readonly lastEndedAs: string | null;
};

/** Counts the workers of an account by the clock of the database. */
export async function readWorkerCounts(db: Queryable, account: string): Promise<WorkerCounts> {
  const { rows } = await sql<WorkerCounts>`
    select count(*) filter (where is_running)::int as running,
           count(*) filter (where is_running and not ${hasRecentHeartbeat})::int as late,
           count(*) filter (where ${isWaiting})::int as waiting,
           max(heartbeat_at) as "beatAt",
           -- greatest() leaves nulls out
           case when count(*) > 0 then greatest(0, extract(epoch from clock_timestamp() - max(heartbeat_at)))::float8 end as "ageSeconds",
           (array_agg(case when not (is_running or ${isWaiting}) then ${endedAs} end order by heartbeat_at desc))[1] as "lastEndedAs"
    from   ops.worker_status as w
    where  kind = 'worker' and account = ${account}`.execute(db);
  return rows[0] as WorkerCounts;
}

/** A worker that runs another schedule than the one it was compared with. */
export type OutdatedWorker = { readonly workerId: string; readonly host: string; readonly startedAt: Date };

/** The running workers of an account whose schedule has another digest. */
export async function readOutdatedWorkers(
  db: Queryable,
  account: string,
  schedule: string,
): Promise<readonly OutdatedWorker[]> {
  const { rows } = await sql<OutdatedWorker>`
    select w.worker_id as "workerId", w.host, w.started_at as "startedAt"
    from   ops.worker        as w
    join   ops.worker_status as s on s.worker_id = w.worker_id
    where  w.account = ${account} and w.schedule_digest <> ${schedule} and s.is_running
    order  by w.worker_id`.execute(db);
  return rows;
}

/** True if a worker serves the account. */
export function isServed({ running, waiting }: Pick<WorkerCounts, "running" | "waiting">): boolean {
  return running + waiting > 0;
}

/** Slices that a living process runs. In the ledger, slices of a killed process count as running until another process finds them. */
export async function countRunning(db: Queryable): Promise<number> {
  const { rows } = await sql<{ slices: number }>`
    select count(*)::int as slices
    from   ops.slice_log     as s
    join   ops.worker_status as w on w.worker_id = s.worker_id
    where  s.state = 'running' and w.is_running`.execute(db);
  return rows[0]?.slices ?? 0;
}

/** True if a living process works on a run of the account, also while that waits and runs no slice. */
export async function isRunUnderWay(db: Queryable, account: string): Promise<boolean> {
  const { rows } = await sql`
    select from ops.run_log as r
    join   ops.worker_status as w on w.worker_id = r.worker_id
    where  r.ended_at is null and r.account = ${account} and w.is_running
    limit  1`.execute(db);
  return rows.length > 0;
}

/** A time without a worker. */
export type WorkerGap = { readonly from: Date; readonly to: Date; readonly endedAs: string };

/**
 * The last time of more than `longerThanMs` without a worker of the account, if it ended within the last `endedWithinMs`, by the clock of
 * the database.
 */
export async function readWorkerGap(
  db: Queryable,
  {
    account,
    longerThanMs,
    endedWithinMs,
  }: { readonly account: string; readonly longerThanMs: number; readonly endedWithinMs: number },
): Promise<WorkerGap | null> {
  const { rows } = await sql<WorkerGap>`
    with registered as (
      select started_at, lag(${endedAs}) over (order by started_at) as ended_as,
             max(heartbeat_at) over (order by started_at rows between unbounded preceding and 1 preceding) as seen_at
      from   ops.worker as w
      where  kind = 'worker' and account = ${account}
    )
    select seen_at as "from", started_at as "to", ended_as as "endedAs"
    from   registered
    where  started_at - seen_at > ${longerThanMs}::double precision * interval '1 millisecond'
    and    started_at > clock_timestamp() - ${endedWithinMs}::double precision * interval '1 millisecond'
    order  by started_at desc
    limit  1`.execute(db);
  return rows[0] ?? null;
}

import { sql, type SqlFragment } from "../postgres/sql.ts";
import { fail } from "../core/errors.ts";
import type { Database } from "../postgres/database.ts";
import { cancelUnfinished } from "./cancel-slices.ts";
import { decidingWaitMs, mostAlone } from "./poison.ts";
import { announceQueued } from "./shared-queue.ts";
import { holdsLock } from "./workers.ts";

/** What was found and freed: the processes that were found dead just now, and the slices that are free again, failed or cancelled. */
export type Reconciled = {
  readonly deadWorkers: readonly string[];
  readonly freed: number;
  readonly failed: readonly string[];
  /** Slices of syncs that are over; they are planned again if they are due. */
  readonly cancelled: number;
  /** Jobs of the queue that can be taken again. */
  readonly jobs: number;
};

/**
 * When other processes count as dead: if a heartbeat is older than `deadAfterMs`, or the lock is not held. `workerId`: the number of this
 * process, if it has one; while it replaces a broken connection it does not hold its own lock. `waitMs`: the wait of a slice that ran
 * alone.
 */
export type DeathRules = { readonly deadAfterMs: number; readonly workerId?: string | null; readonly waitMs?: number };

/**
 * Finds processes that died without noting their end, or that sent no heartbeat for `deadAfterMs` although they hold their lock, and frees
 * what they had: their slices become pending without counting a failure, their sessions are ended, and jobs that they had locked can be
 * taken. A slice that ran alone when several processes died fails (poison.ts); `waitMs` is the wait before its last attempt. Slices and
 * processes change in one statement, so that a process that freezes here does not block the others.
 */
export async function reconcile(db: Database, rules: DeathRules): Promise<Reconciled> {
  const { deadWorkers, sessions, freed, failed } = await freeSlices(db, rules);
  if (freed > 0) await announceQueued(db);
  if (sessions.length > 0) await endSessions(db, sessions);
  return { deadWorkers, freed, failed, cancelled: await cancelUnfinished(db), jobs: await freeJobs(db) };
}

/** SQL: true for a worker (`w`) that died without noting its end, or sent no heartbeat for this long. */
function isDead(deadAfterMs: number): SqlFragment<boolean> {
  return sql<boolean>`w.stopped_at is null
      and    (not ${holdsLock(sql`w.worker_id`)} or w.heartbeat_at < clock_timestamp() - ${deadAfterMs}::double precision * interval '1 millisecond')`;
}

/** A pool is recorded a moment after it has started. */
const unknownPool = "30 seconds";

/** SQL: jobs (`j`) that are locked by processes that no longer exist. */
const jobsOfTheDead = sql`
    from   graphile_worker.jobs as j
    left   join ops.worker as w on w.job_pool = j.locked_by
    where  j.locked_by is not null
    and    case when w.worker_id is null then j.locked_at < now() - ${unknownPool}::interval else w.stopped_at is not null end`;

/** SQL, for a process other than the worker: true if `reconcile` would find dead workers, or anything that they left. */
export function isReconcileDue(workerId: string, deadAfterMs: number): SqlFragment<boolean> {
  return sql<boolean>`(
    exists (select from ops.worker as w where w.worker_id <> ${workerId}::bigint and ${isDead(deadAfterMs)})
    or exists (select from ops.slice as s join ops.worker as w using (worker_id) where s.state = 'running' and w.stopped_at is not null)
    or exists (select ${jobsOfTheDead}))`;
}

type Freed = {
  readonly deadWorkers: readonly string[];
  readonly sessions: readonly string[];
  readonly freed: number;
  readonly failed: readonly string[];
};

const poisoned = fail("process_died", { attempts: mostAlone });

async function freeSlices(
  db: Database,
  { deadAfterMs, workerId, waitMs = decidingWaitMs }: DeathRules,
): Promise<Freed> {
  if (!(await mayHaveDied(db, workerId))) return { deadWorkers: [], sessions: [], freed: 0, failed: [] };
  const isPoisoned = sql`j.deaths >= ${mostAlone}::integer`;
  const { rows } = await sql<Freed>`
    with dead as (
      update ops.worker as w set stopped_at = clock_timestamp(), ended_as = 'died'
      where  ${isDead(deadAfterMs)} and w.worker_id is distinct from ${workerId ?? null}::bigint
      returning w.worker_id, w.session_name
    ), stuck as (
      -- one that a frozen session has locked is free by the next check
      select s.slice_id from ops.slice as s
      where  s.state = 'running'
      and    (s.worker_id in (select worker_id from dead)
              or exists (select from ops.worker as w where w.worker_id = s.worker_id and w.stopped_at is not null))
      for    update skip locked
    ), judged as (
      select s.slice_id, s.broken_off_alone_count + alone.count as deaths
      from   stuck
      join   ops.slice as s using (slice_id)
      cross  join lateral (
        select case when s.worker_id in (select worker_id from dead) and count(*) = 1 then 1 else 0 end as count
        from   ops.slice as beside where beside.worker_id = s.worker_id and beside.state = 'running') as alone
    ), freed as (
      update ops.slice as s
      set    broken_off_count = s.broken_off_count + 1, broken_off_alone_count = j.deaths,
             due_at = case when j.deaths = ${mostAlone - 1}::integer then clock_timestamp() + ${waitMs}::double precision * interval '1 millisecond' end,
             state = case when ${isPoisoned} then 'failed' else 'pending' end,
             error_code = case when ${isPoisoned} then ${poisoned.code} else s.error_code end,
             error_message = case when ${isPoisoned} then ${poisoned.message} else s.error_message end,
             ended_at = clock_timestamp()
      from   judged as j
      where  s.slice_id = j.slice_id
      returning s.slice_id, s.state
    )
    select coalesce((select array_agg(worker_id::text) from dead), '{}')                        as "deadWorkers",
           coalesce((select array_agg(session_name) from dead where session_name <> ''), '{}')  as sessions,
           (select count(*)::int from freed where state = 'pending')                              as freed,
           coalesce((select array_agg(slice_id::text) from freed where state = 'failed'), '{}')   as failed`.execute(
    db,
  );
  return rows[0] as Freed;
}

/** True if another process counts as living or a slice as running: otherwise none can be dead, and the statement for them costs far more. */
async function mayHaveDied(db: Database, workerId: string | null | undefined): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from ops.worker where stopped_at is null and worker_id is distinct from ${workerId ?? null}::bigint)
           or exists (select from ops.slice where state = 'running') as found`.execute(db);
  return rows[0]?.found === true;
}

/** A frozen process would keep its locks and transactions for as long as it is frozen. Sessions of other roles cannot be ended. */
async function endSessions(db: Database, names: readonly string[]): Promise<void> {
  await sql`
    select pg_catalog.pg_terminate_backend(a.pid) from pg_catalog.pg_stat_activity as a
    where  a.application_name = any (${[...names]}::text[]) and a.datname = current_database() and a.usename = current_user
    and    a.pid <> pg_backend_pid()
    and    not exists (select from ops.worker as w where w.session_name = a.application_name and w.stopped_at is null)`.execute(
    db,
  );
}

/**
 * Releases the claims of a process that continues under another number; this counts against no slice. True if it had been declared dead.
 */
export async function releaseFormerClaims(db: Database, workerId: string): Promise<boolean> {
  const { rows } = await sql<{ wasDead: boolean }>`
    with left_behind as (
      update ops.worker set stopped_at = coalesce(stopped_at, clock_timestamp()), ended_as = coalesce(nullif(ended_as, 'waiting'), 'stopped')
      where  worker_id = ${workerId}
      returning ended_as
    ), released as (
      update ops.slice set state = 'pending' where state = 'running' and worker_id = ${workerId}
    )
    select ended_as = 'died' as "wasDead" from left_behind`.execute(db);
  return rows[0]?.wasDead ?? false;
}

/** Without this the job queue would keep a job of a dead process for four hours, even the planning of a night. */
async function freeJobs(db: Database): Promise<number> {
  const { rows } = await sql<{ pool: string }>`
    select j.locked_by as pool ${jobsOfTheDead}`.execute(db);
  if (rows.length === 0) return 0;
  await sql`select graphile_worker.force_unlock_workers(${[...new Set(rows.map(({ pool }) => pool))]}::text[])`.execute(
    db,
  );
  return rows.length;
}

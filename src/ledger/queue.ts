import { instant, sql } from "../postgres/sql.ts";
import { creditClasses, type Slice } from "../core/slice.ts";
import { floorOf, type Floors } from "../core/floors.ts";
import { wasDeclaredDead } from "../credits/declared-dead.ts";
import type { Database } from "../postgres/database.ts";
import { canWait } from "./lost-days.ts";
import { suspectFrom } from "./poison.ts";
import { announceQueued } from "./shared-queue.ts";
import { likelyCredits, waitsForCredits } from "./open-slices.ts";
import { hasSameHash } from "./same-scope.ts";
import { sharingColumns, type SharingRow, slicesOf } from "./slice-rows.ts";

/*
 * The queue of slices is the ledger itself. The workers of an account share one queue. A foreground process has its own (`queue_id` is its
 * worker number), so that no other process runs its slices: that keeps its credit limit exact and lets it see when all is done. Slices of a
 * queue run in the order of `turn`.
 */

/** The process that claims slices, and the queue that it claims from. */
export type Taker = { readonly queueId: string; readonly workerId: string };

/** Ordinary slices run concurrently; suspects (see poison.ts) run alone. */
type Sort = "ordinary" | "suspect";

/** Claims at most `most` slices of a queue, next ones first: each starts an attempt at `now` (epoch-ms). One statement. */
export async function claimNext(
  db: Database,
  { queueId, workerId }: Taker,
  { most, now, sort = "ordinary" }: { readonly most: number; readonly now: number; readonly sort?: Sort },
): Promise<readonly Slice[]> {
  const { rows } = await sql<SharingRow>`
    with next as materialized (
      select slice_id from ops.slice
      where  queue_id = ${queueId}::bigint and state = 'pending' and due_at is null and ${isSort(sort)} and not ${wasDeclaredDead(workerId)}
      order  by turn, slice_id
      limit  ${most}
      for    update skip locked
    ), claimed as (
      update ops.slice as s set state = 'running', attempt = s.attempt + 1, worker_id = ${workerId}, started_at = ${instant(now)}
      from   next
      where  s.slice_id = next.slice_id
      returning s.*
    )
    select ${sharingColumns}, ${lastDigest}
    from   claimed as s
    left   join ops.batch as b on b.batch_id = s.batch_id
    order  by s.turn, s.slice_id`.execute(db);
  return slicesOf(rows);
}

/** Claims these slices as far as they are available, and returns them by number: each starts an attempt. One statement. */
export async function claimAll(
  db: Database,
  sliceIds: readonly string[],
  { queueId, workerId }: Taker,
  now: number,
): Promise<ReadonlyMap<string, Slice>> {
  // if another process took a slice over while this one was cut off, the slice is in the queue of that process
  const { rows } = await sql<SharingRow>`
    with claimed as (
      update ops.slice set state = 'running', attempt = attempt + 1, worker_id = ${workerId}, started_at = ${instant(now)}, due_at = null
      where  slice_id = any (${[...sliceIds]}::bigint[]) and queue_id = ${queueId}::bigint and not ${wasDeclaredDead(workerId)}
      and    (state in ('pending', 'deferred') and coalesce(due_at, ${instant(now)}) <= ${instant(now)} or state = 'running' and worker_id = ${workerId})
      returning *
    )
    select ${sharingColumns}, ${lastDigest} from claimed as s left join ops.batch as b on b.batch_id = s.batch_id`.execute(
    db,
  );
  return new Map(slicesOf(rows).map((slice) => [slice.sliceId, slice]));
}

/**
 * SQL: digest of the last loaded answer to the same request as slice `s`: if the next answer has the same digest, nothing is loaded.
 * `offset 0` is a barrier: it makes the planner use the index by scope (on Postgres 18 also the index by day, if statistics are stale: see
 * `gatherStatistics`).
 */
const lastDigest = sql`(
  select encode(e.answer_digest, 'hex')
  from   (select e.dataset, e.batch_id, e.state, e.answer_digest, e.ended_at from ops.slice as e
          where  ${hasSameHash("e", "s")} and e.window_end = s.window_end and e.window_start = s.window_start
          offset 0) as e
  where  e.dataset = s.dataset and e.batch_id is not distinct from s.batch_id and e.state = 'loaded' and e.answer_digest is not null
  order  by e.ended_at desc
  limit  1) as last_digest`;

/** SQL: the same condition as in the partial index slice_suspect. */
function isSort(sort: Sort): ReturnType<typeof sql<boolean>> {
  return sort === "suspect"
    ? sql`broken_off_count > ${sql.lit(suspectFrom - 1)}`
    : sql`broken_off_count < ${suspectFrom}`;
}

/**
 * The state of a queue: whether slices can be claimed, whether suspects are among them, and when the next deferred one is due (epoch-ms,
 * null if there is none; in the past while another session holds it). `hasStaleStatistics`: according to the statistics of Postgres the
 * table has fewer rows than pages.
 */
export type QueueState = {
  readonly ready: boolean;
  readonly suspects: boolean;
  readonly nextDueAt: number | null;
  readonly hasStaleStatistics: boolean;
};

/**
 * Makes deferred slices that are due pending, and returns the state of the queue. Planning the update costs more than reading, so it is left
 * out while none is due.
 */
export async function wakeDue(db: Database, queueId: string, now: number): Promise<QueueState> {
  const state = await readQueue(db, queueId);
  if (state.nextDueAt === null || state.nextDueAt > now) return state;
  await sql`
    update ops.slice set state = 'pending', due_at = null
    where  slice_id in (select slice_id from ops.slice
                        where  queue_id = ${queueId}::bigint and state in ('pending', 'deferred') and due_at <= ${instant(now)}
                        for    update skip locked)`.execute(db);
  return readQueue(db, queueId);
}

async function readQueue(db: Database, queueId: string): Promise<QueueState> {
  const isReady = sql`queue_id = ${queueId}::bigint and state = 'pending' and due_at is null`;
  const { rows } = await sql<Omit<QueueState, "nextDueAt"> & { nextDueAt: Date | null }>`
    select exists (select from ops.slice where ${isReady}) as ready,
           exists (select from ops.slice where ${isReady} and ${isSort("suspect")}) as suspects,
           (select min(due_at) from ops.slice where queue_id = ${queueId}::bigint and state in ('pending', 'deferred') and due_at is not null) as "nextDueAt",
           (select reltuples >= 0 and reltuples < relpages from pg_catalog.pg_class where oid = 'ops.slice'::regclass) as "hasStaleStatistics"`.execute(
    db,
  );
  const [found] = rows;
  return {
    ready: found?.ready ?? false,
    suspects: found?.suspects ?? false,
    nextDueAt: found?.nextDueAt?.getTime() ?? null,
    hasStaleStatistics: found?.hasStaleStatistics ?? false,
  };
}

/**
 * Runs `analyze` on the ledger. An autovacuum that runs while a large plan is being inserted records many pages and almost no rows; until
 * the next one, the planner would read the whole plan at each claim and each end of a slice. Does nothing while another session vacuums or
 * alters the table.
 */
export async function gatherStatistics(db: Database): Promise<void> {
  await sql`select ops.gather_slice_statistics()`.execute(db);
}

/** A slice that ran under the number of a process that did not run it; `startedAt`: when it was claimed, in epoch-ms. */
export type OrphanedClaim = { readonly sliceId: string; readonly startedAt: number };

/**
 * Makes slices pending that run under the number of this process although it does not run them: the connection broke before the reply to
 * their claim, or the database lost the end that the process wrote. `running`: the slices that it runs.
 */
export async function releaseOrphanedClaims(
  db: Database,
  { queueId, workerId }: Taker,
  running: readonly string[],
): Promise<readonly OrphanedClaim[]> {
  const { rows } = await sql<{ sliceId: string; startedAt: Date }>`
    update ops.slice set state = 'pending'
    where  queue_id = ${queueId}::bigint and state = 'running' and worker_id = ${workerId} and not slice_id = any (${[...running]}::bigint[])
    returning slice_id as "sliceId", started_at as "startedAt"`.execute(db);
  return rows.map(({ sliceId, startedAt }) => ({ sliceId, startedAt: startedAt.getTime() }));
}

/** SQL: true for slices of a shared queue that are deferred until the credits reset. */
function isWaiting(queueId: string, now: number) {
  return sql`s.queue_id = ${queueId}::bigint and ${waitsForCredits(now)}`;
}

/** True when a slice of the shared queue is deferred for credits until later than `now` (epoch-ms). */
export async function isAnyWaitingForCredits(db: Database, now: number, queueId: string): Promise<boolean> {
  const { rows } = await sql`select from ops.slice as s where ${isWaiting(queueId, now)} limit 1`.execute(db);
  return rows.length > 0;
}

/** An account and its floors: the share of the total that each class leaves untouched. */
export type CreditLimits = {
  readonly accountId: string;
  readonly floors: Floors;
  /** Credits that history leaves for the nights until the reset, if that is more than its floor. */
  readonly keptForNights: number;
  readonly onlySnapshots?: boolean;
  /** The queue of its workers. */
  readonly queueId: string;
};

/**
 * Makes slices that are deferred for credits pending, in order, as many as the known balance pays for; the others stay deferred. Returns
 * how many. Cheaper slices do not pass one that is too expensive: they would spend what it waits for, check after check.
 */
export async function resumeAffordable(
  db: Database,
  { accountId, floors, keptForNights, queueId, onlySnapshots = false }: CreditLimits,
  now: number,
): Promise<number> {
  const floor = sql.join(
    creditClasses.flatMap((name) =>
      [true, false].map(
        (waits) => sql`when (p.class, p.can_wait) = (${name}, ${waits}) then ${floorOf(floors, name, waits)}::numeric`,
      ),
    ),
    sql` `,
  );
  const { rows } = await sql`
    with put_off as (
      select s.slice_id, s.class, ${canWait(now)} as can_wait, sum(${likelyCredits}) over (order by s.turn, s.slice_id) as running
      from   ops.slice as s
      left   join ops.credit_price as c on c.operation = s.operation
      where  ${isWaiting(queueId, now)} and (s.class = 'snapshot' or not ${onlySnapshots}::boolean)
    ), paid as (
      select p.slice_id from put_off as p
      join   ops.credit_account as a on a.account_id = ${accountId}
      where  p.running <= a.remaining::bigint - a.held
             - greatest(ceil(a.total * case ${floor} end), case when p.class = 'history' then ${Math.ceil(keptForNights)}::bigint else 0 end)
    )
    update ops.slice as s set state = 'pending', due_at = null
    from   paid
    where  s.slice_id = paid.slice_id and s.state = 'deferred'
    returning s.slice_id`.execute(db);
  if (rows.length > 0) await announceQueued(db);
  return rows.length;
}

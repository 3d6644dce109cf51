import { instant, sql } from "../postgres/sql.ts";
import { creditClasses, type Slice } from "../core/slice.ts";
import { floorOf, type Floors } from "../core/floors.ts";
import type { Database } from "../postgres/database.ts";
import { canWait } from "./lost-days.ts";
import { suspectFrom } from "./poison.ts";
import { announceQueued } from "./shared-queue.ts";
import { likelyCredits } from "./open-slices.ts";
import { hasSameHash } from "./same-scope.ts";
import { sharingColumns, type SharingRow, slicesOf } from "./slice-rows.ts";

/*
 * Slices wait in the ledger. A foreground process has a queue of its own, named by its number: nobody else takes its slices, so that its
 * budget holds and its end is known. All others wait in the queue that the workers of an account share. `turn` is the order of
 * the slices of a queue, whichever process queued them and when.
 */

/** Who takes slices: the process, and the queue that it takes them from. */
export type Taker = { readonly queueId: string; readonly workerId: string };

/** Which slices are wanted: those that others may run beside, or those that run alone. */
type Sort = "ordinary" | "suspect";

/** Starts an attempt of each of the next slices of a queue, `most` of them or fewer, and returns them in their order. One statement. */
export async function claimNext(
  db: Database,
  { queueId, workerId }: Taker,
  most: number,
  now: number,
  sort: Sort = "ordinary",
): Promise<readonly Slice[]> {
  const { rows } = await sql<SharingRow>`
    with next as materialized (
      select slice_id from ops.slice
      where  queue_id = ${queueId}::bigint and state = 'pending' and due_at is null and ${isSort(sort)} and ${isEntered(workerId)}
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

/** Starts an attempt of each slice of a queue that is available; those by number. One statement. */
export async function claimAll(
  db: Database,
  sliceIds: readonly string[],
  { queueId, workerId }: Taker,
  now: number,
): Promise<ReadonlyMap<string, Slice>> {
  // what another process took over while this one was cut off is paid for from that one's budget
  const { rows } = await sql<SharingRow>`
    with claimed as (
      update ops.slice set state = 'running', attempt = attempt + 1, worker_id = ${workerId}, started_at = ${instant(now)}, due_at = null
      where  slice_id = any (${[...sliceIds]}::bigint[]) and queue_id = ${queueId}::bigint and ${isEntered(workerId)}
      and    (state in ('pending', 'deferred') and coalesce(due_at, ${instant(now)}) <= ${instant(now)} or state = 'running' and worker_id = ${workerId})
      returning *
    )
    select ${sharingColumns}, ${lastDigest} from claimed as s left join ops.batch as b on b.batch_id = s.batch_id`.execute(
    db,
  );
  return new Map(slicesOf(rows).map((slice) => [slice.sliceId, slice]));
}

/**
 * SQL: digest of the answer that was loaded last for the request of slice `s`: the next answer may repeat it. The fence leaves the index by
 * scope to choose, and on Postgres 18 that by day, which it takes where statistics know of hardly a slice (`gatherStatistics`).
 */
const lastDigest = sql`(
  select encode(e.answer_digest, 'hex')
  from   (select e.dataset, e.batch_id, e.state, e.answer_digest, e.ended_at from ops.slice as e
          where  ${hasSameHash("e", "s")} and e.window_end = s.window_end and e.window_start = s.window_start
          offset 0) as e
  where  e.dataset = s.dataset and e.batch_id is not distinct from s.batch_id and e.state = 'loaded' and e.answer_digest is not null
  order  by e.ended_at desc
  limit  1) as last_digest`;

/** SQL: as the index of suspects (slice_suspect) has it. */
function isSort(sort: Sort): ReturnType<typeof sql<boolean>> {
  return sort === "suspect"
    ? sql`broken_off_count > ${sql.lit(suspectFrom - 1)}`
    : sql`broken_off_count < ${suspectFrom}`;
}

/** SQL: false for a process that was declared dead; it may wake up and not know. */
function isEntered(workerId: string): ReturnType<typeof sql<boolean>> {
  return sql<boolean>`not exists (select from ops.worker where worker_id = ${workerId}::bigint and stopped_at is not null)`;
}

/**
 * What a queue holds: whether slices can be claimed, whether any of them run alone, and when the next one that waits is due (epoch-ms, null
 * when none waits). `isTakenForSmall`: the statistics know of fewer slices than the ledger has pages.
 */
export type QueueState = {
  readonly ready: boolean;
  readonly suspects: boolean;
  readonly nextDueAt: number | null;
  readonly isTakenForSmall: boolean;
};

/** Puts slices whose time has come back among those that are next in their turn. One statement. */
export async function wakeDue(db: Database, queueId: string, now: number): Promise<QueueState> {
  const { rows } = await sql<Omit<QueueState, "nextDueAt"> & { nextDueAt: Date | null }>`
    with woken as (
      update ops.slice set state = 'pending', due_at = null
      where  slice_id in (select slice_id from ops.slice
                          where  queue_id = ${queueId}::bigint and state in ('pending', 'deferred') and due_at <= ${instant(now)}
                          for    update skip locked)
      returning broken_off_count
    )
    select exists (select from woken)
           or exists (select from ops.slice where queue_id = ${queueId}::bigint and state = 'pending' and due_at is null) as ready,
           exists (select from woken where ${isSort("suspect")})
           or exists (select from ops.slice where queue_id = ${queueId}::bigint and state = 'pending' and due_at is null and ${isSort("suspect")}) as suspects,
           (select min(due_at) from ops.slice
            where  queue_id = ${queueId}::bigint and state in ('pending', 'deferred') and due_at > ${instant(now)}) as "nextDueAt",
           (select reltuples >= 0 and reltuples < relpages from pg_catalog.pg_class where oid = 'ops.slice'::regclass) as "isTakenForSmall"`.execute(
    db,
  );
  const [found] = rows;
  return {
    ready: found?.ready ?? false,
    suspects: found?.suspects ?? false,
    nextDueAt: found?.nextDueAt?.getTime() ?? null,
    isTakenForSmall: found?.isTakenForSmall ?? false,
  };
}

/**
 * Gathers statistics of the ledger. Where autovacuum comes by while a large plan is being queued it notes the pages and hardly a row, and
 * until it comes again each claim and each end of a slice reads all slices of the plan. Does nothing while another session vacuums or
 * alters the table.
 */
export async function gatherStatistics(db: Database): Promise<void> {
  await sql`select ops.gather_slice_statistics()`.execute(db);
}

/**
 * Gives back slices that a process took and does not know of: where a connection breaks between a claim and its reply. `running` are
 * those that it knows of. Returns how many.
 */
export async function releaseOrphanedClaims(
  db: Database,
  { queueId, workerId }: Taker,
  running: readonly string[],
): Promise<number> {
  const { rows } = await sql`
    update ops.slice set state = 'pending'
    where  queue_id = ${queueId}::bigint and state = 'running' and worker_id = ${workerId} and not slice_id = any (${[...running]}::bigint[])
    returning slice_id`.execute(db);
  return rows.length;
}

/** SQL: slices of a shared queue that wait for the reset of their credits. */
function isWaiting(queueId: string, now: number) {
  return sql`s.queue_id = ${queueId}::bigint and s.state = 'deferred' and s.error_code in ('credits_exhausted', 'allowance_too_small') and s.due_at > ${instant(now)}`;
}

/** True when slices that workers share wait for credits of a later time than `now` (epoch-ms). */
export async function isAnyWaitingForCredits(db: Database, now: number, queueId: string): Promise<boolean> {
  const { rows } = await sql`select from ops.slice as s where ${isWaiting(queueId, now)} limit 1`.execute(db);
  return rows.length > 0;
}

/** Whose credits are meant: the account, and the share of its total that each class leaves untouched. */
export type CreditLimits = {
  readonly accountId: string;
  readonly floors: Floors;
  /** The queue of its workers. */
  readonly queueId: string;
};

/**
 * Lets slices that wait for credits be tried again as far as the balance that is known pays for them now, in their turn; the others
 * stay where they are. Returns how many.
 */
export async function resumeAffordable(
  db: Database,
  { accountId, floors, queueId }: CreditLimits,
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
      left   join ops.credit_cost as c on c.operation = s.operation
      where  ${isWaiting(queueId, now)}
    ), paid as (
      select p.slice_id from put_off as p
      join   ops.credit_account as a on a.account_id = ${accountId}
      where  p.running <= a.remaining::bigint - a.held - ceil(a.total * case ${floor} end)
    )
    update ops.slice as s set state = 'pending', due_at = null
    from   paid
    where  s.slice_id = paid.slice_id and s.state = 'deferred'
    returning s.slice_id`.execute(db);
  if (rows.length > 0) await announceQueued(db);
  return rows.length;
}

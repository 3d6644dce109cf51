import { sql, type Queryable, type SqlFragment } from "../postgres/sql.ts";
import { hostname } from "node:os";
import type pg from "pg";
import type { Clock } from "../core/clock.ts";
import { fail } from "../core/errors.ts";
import { isLostConnection } from "../postgres/database-errors.ts";
import { queuedChannel } from "./shared-queue.ts";

/** What a process does: runs its own slices, runs those of the shared queue, makes a person's requests, or serves callers. */
export const workerKinds = ["foreground", "worker", "command", "gateway"] as const;
export type WorkerKind = (typeof workerKinds)[number];

/**
 * This process in the ledger. While it lives it holds an advisory lock, which shows at once if it was killed, and sends heartbeats, which
 * show if it is frozen.
 */
export interface LivingWorker extends AsyncDisposable {
  readonly workerId: string;
  /** Sends a heartbeat, and reads an answer in the same statement. */
  beat<T>(question?: SqlFragment<T>): Promise<Beat<T>>;
}

/**
 * What a heartbeat found. `isEntered` is false if the process was declared dead: then other processes have its slices, and it must
 * register again.
 */
export type Beat<T> = { readonly isEntered: boolean; readonly answer: T | null };

/** First key of the advisory locks that living workers hold; the second is the worker's number. */
const lockSpace = 0x53_54_4f_52;

/** After a lost connection the lock is taken again as soon as the database is back. */
const reopenMs = 500;
/** If a heartbeat takes longer, its connection counts as lost. */
const beatPatienceMs = 15_000;

/**
 * Registers this process in the ledger. Keeps one connection for the lock until disposed. `onQueued` is called when another process queues
 * slices that any worker takes; without it the process has its own queue.
 */
export async function enterWorker(
  pool: pg.Pool,
  {
    kind,
    account,
    clock,
    onQueued = null,
  }: {
    readonly kind: WorkerKind;
    readonly account: string;
    readonly clock: Clock;
    readonly onQueued?: (() => void) | null;
  },
): Promise<LivingWorker> {
  const left = new AbortController();
  const first = await pool.connect();
  const workerId = await enter(first, kind, account).catch((error: unknown) => {
    first.release(true);
    throw error;
  });
  let client: pg.PoolClient | null = first;
  const drop = (held: pg.PoolClient) => {
    if (client !== held) return;
    client = null;
    held.release(true);
    void reopen();
  };
  const watch = (held: pg.PoolClient) => {
    held.once("error", () => drop(held));
    if (onQueued === null) return;
    held.on("notification", onQueued);
    held.query(`listen ${queuedChannel}`).catch(() => drop(held));
  };
  const reopen = async () => {
    while (client === null && !left.signal.aborted) {
      const held = await holdAgain(pool, workerId);
      if (held === null) await clock.sleep(reopenMs, left.signal).catch(() => undefined);
      else if (left.signal.aborted) held.release(true);
      else {
        client = held;
        watch(held);
      }
    }
  };
  watch(first);
  return {
    workerId,
    beat: async <T>(question: SqlFragment<T | null> = sql<null>`null::boolean`) => {
      // on the connection that holds the lock, so that its loss is detected
      const held = client;
      try {
        const { rows } = await beatOf(workerId, question).execute(patiently(held ?? pool));
        return { isEntered: rows.length === 1, answer: rows[0]?.answer ?? null };
      } catch (error) {
        // an error of any kind: another connection may work
        if (held !== null) drop(held);
        throw isLostConnection(error)
          ? error
          : fail("database_unreachable", { problem: "a heartbeat was lost" }, error);
      }
    },
    [Symbol.asyncDispose]: async () => {
      left.abort();
      const held = client;
      if (held === null) return;
      held.removeAllListeners("error");
      held.removeAllListeners("notification");
      held.on("error", () => undefined);
      // a broken connection has released the lock automatically, and the next process to check notes the end
      const gone = await leave(held, workerId).then(
        () => false,
        () => true,
      );
      held.release(gone);
    },
  };
}

function beatOf<T>(workerId: string, question: SqlFragment<T>): SqlFragment<{ answer: T }> {
  return sql<{ answer: T }>`
    update ops.worker as w set heartbeat_at = clock_timestamp() where w.worker_id = ${workerId} and w.stopped_at is null
    returning ${question} as answer`;
}

/** The driver supports a time limit per query, but its types do not. */
function patiently(on: pg.Pool | pg.PoolClient): Queryable {
  return {
    run: (text, values) => {
      const query: pg.QueryConfig & { query_timeout: number } = {
        text,
        values: [...values],
        query_timeout: beatPatienceMs,
      };
      return on.query(query);
    },
  };
}

/** Takes the lock of a number on another connection; null while the database is out of reach. */
async function holdAgain(pool: pg.Pool, workerId: string): Promise<pg.PoolClient | null> {
  const client = await pool.connect().catch(() => null);
  if (client === null) return null;
  try {
    await client.query("select pg_advisory_lock($1, $2::integer)", [lockSpace, workerId]);
    return client;
  } catch {
    client.release(true);
    return null;
  }
}

/** One statement: no other process sees the row before its lock is held and declares this one dead. */
async function enter(client: pg.PoolClient, kind: WorkerKind, account: string): Promise<string> {
  const { rows } = await client.query<{ worker_id: string }>(
    `with entered as (
       insert into ops.worker (kind, host, pid, started_at, heartbeat_at, session_name, account)
       values ($1, $2, $3, clock_timestamp(), clock_timestamp(), current_setting('application_name'), $5) returning worker_id
     )
     select worker_id, pg_advisory_lock($4, worker_id::integer) from entered`,
    [kind, hostname(), process.pid, lockSpace, account],
  );
  return rows[0]?.worker_id ?? "";
}

async function leave(client: pg.PoolClient, workerId: string): Promise<void> {
  await client.query(
    "update ops.worker set stopped_at = coalesce(stopped_at, clock_timestamp()), ended_as = coalesce(ended_as, 'stopped') where worker_id = $1",
    [workerId],
  );
  await client.query("select pg_advisory_unlock($1, $2::integer)", [lockSpace, workerId]);
  await client.query("unlisten *");
}

/** Notes the state of a process that has left the ledger: it waits (`waiting`), has stopped, or ended with an error (its code). */
export async function noteEnd(db: Queryable, workerId: string, endedAs: string): Promise<void> {
  await sql`
    update ops.worker set ended_as = ${endedAs}, heartbeat_at = clock_timestamp()
    where  worker_id = ${workerId} and stopped_at is not null`.execute(db);
}

/** SQL: true while the worker's lock is held and nobody has found it dead. */
export function isAlive(workerId: ReturnType<typeof sql>): ReturnType<typeof sql<boolean>> {
  return sql<boolean>`(${holdsLock(workerId)} and exists (select from ops.worker as living where living.worker_id = ${workerId} and living.stopped_at is null))`;
}

/** SQL: true while a worker of the account of a run (`ops.run as r`) is alive: it runs the shared queue of that account. */
export const hasLivingWorker = sql<boolean>`(r.account in (
    select w.account from ops.worker as w where w.kind = 'worker' and ${isAlive(sql`w.worker_id`)}))`;

/** SQL: true if no process has worked with an account (its name) for a day: it may have been given up. */
export function isGivenUp(account: SqlFragment): SqlFragment<boolean> {
  return sql<boolean>`(not exists (
    select from ops.worker as w where w.account = ${account} and w.heartbeat_at > now() - interval '1 day'))`;
}

/** SQL: true while the worker's lock is held; a frozen process still holds it. */
export function holdsLock(workerId: ReturnType<typeof sql>): ReturnType<typeof sql<boolean>> {
  return sql<boolean>`exists (
    select from pg_catalog.pg_locks as l
    where  l.locktype = 'advisory' and l.granted and l.database = (select oid from pg_catalog.pg_database where datname = current_database())
    and    l.classid = ${lockSpace}::oid and l.objid = ${workerId}::bigint::oid and l.objsubid = 2)`;
}

/**
 * Records the name under which a worker locks jobs of the queue, so that the jobs of a dead one can be found, and a digest of the schedule
 * that it runs.
 */
export async function recordJobs(
  db: Queryable,
  workerId: string,
  { pool, schedule }: { readonly pool: string; readonly schedule: string },
): Promise<void> {
  await sql`
    update ops.worker set job_pool = ${pool}, schedule_digest = ${schedule} where worker_id = ${workerId}`.execute(db);
}

import { sql } from "kysely";
import { hostname } from "node:os";
import type pg from "pg";
import type { Clock } from "../core/clock.ts";
import type { Database } from "../warehouse/database.ts";

/** What a process does: runs its own slices, runs those of the shared queue, or asks what a person wants to know. */
export type WorkerKind = "sync" | "worker" | "command";

/** This process in the ledger. While it lives it holds an advisory lock, so that a killed one is known at once. */
export interface LivingWorker extends AsyncDisposable {
  readonly workerId: string;
  /** Notes that the process lives. */
  beat(): Promise<void>;
}

/** First key of the advisory locks that living workers hold; the second is the worker's number. */
const lockSpace = 0x53_54_4f_52;

/** After a lost connection the lock is taken again as soon as the database is back. */
const reopenMs = 500;

/** Enters this process in the ledger. Keeps one connection for the lock until disposed. */
export async function enterWorker(pool: pg.Pool, kind: WorkerKind, clock: Clock): Promise<LivingWorker> {
  const left = new AbortController();
  const first = await pool.connect();
  const workerId = await enter(first, kind, clock).catch((error: unknown) => {
    first.release(true);
    throw error;
  });
  let client: pg.PoolClient | null = first;
  const watch = (held: pg.PoolClient) =>
    held.once("error", (error) => {
      held.release(error);
      client = null;
      void reopen();
    });
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
    beat: async () => {
      // on the connection that holds the lock, so that its end is noticed
      await (client ?? pool).query("update ops.worker set heartbeat_at = $2, stopped_at = null where worker_id = $1", [
        workerId,
        nowOf(clock),
      ]);
    },
    [Symbol.asyncDispose]: async () => {
      left.abort();
      const held = client;
      if (held === null) return;
      held.removeAllListeners("error");
      held.on("error", () => undefined);
      // a broken connection has let go of the lock by itself, and the next process to look notes the end
      const gone = await leave(held, workerId, clock).then(
        () => false,
        () => true,
      );
      held.release(gone);
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

/** One statement: nobody sees the row before its lock is held, and takes the process for dead. */
async function enter(client: pg.PoolClient, kind: WorkerKind, clock: Clock): Promise<string> {
  const { rows } = await client.query<{ worker_id: string }>(
    `with entered as (
       insert into ops.worker (kind, host, pid, started_at, heartbeat_at) values ($1, $2, $3, $4, $4) returning worker_id
     )
     select worker_id, pg_advisory_lock($5, worker_id::integer) from entered`,
    [kind, hostname(), process.pid, nowOf(clock), lockSpace],
  );
  return rows[0]?.worker_id ?? "";
}

async function leave(client: pg.PoolClient, workerId: string, clock: Clock): Promise<void> {
  await client.query("update ops.worker set stopped_at = $2 where worker_id = $1", [workerId, nowOf(clock)]);
  await client.query("select pg_advisory_unlock($1, $2::integer)", [lockSpace, workerId]);
}

function nowOf(clock: Clock): string {
  return new Date(clock.now()).toISOString();
}

/** Finds workers that died without a word, notes it, and returns their numbers. */
export async function buryDead(db: Database, clock: Clock): Promise<readonly string[]> {
  const { rows } = await sql<{ worker_id: string }>`
    update ops.worker as w set stopped_at = ${nowOf(clock)}
    where  w.stopped_at is null and not ${isAlive(sql`w.worker_id`)}
    returning w.worker_id`.execute(db);
  return rows.map((row) => row.worker_id);
}

/** SQL: true while the worker's lock is held. */
export function isAlive(workerId: ReturnType<typeof sql>): ReturnType<typeof sql<boolean>> {
  return sql<boolean>`exists (
    select from pg_catalog.pg_locks as l
    where  l.locktype = 'advisory' and l.granted and l.database = (select oid from pg_catalog.pg_database where datname = current_database())
    and    l.classid = ${lockSpace}::oid and l.objid = ${workerId}::bigint::oid and l.objsubid = 2)`;
}

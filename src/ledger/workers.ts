import { sql } from "kysely";
import { hostname } from "node:os";
import type pg from "pg";
import type { Clock } from "../core/clock.ts";
import type { Database } from "../warehouse/database.ts";

/** This process in the ledger. While it lives it holds an advisory lock, so that a killed one is known at once. */
export interface LivingWorker extends AsyncDisposable {
  readonly workerId: string;
  /** Notes that the process lives; rejects when its lock was lost with the connection. */
  beat(): Promise<void>;
}

/** First key of the advisory locks that living workers hold; the second is the worker's number. */
const lockSpace = 0x53_54_4f_52;

/** Enters this process in the ledger. Keeps one connection for the lock until disposed. */
export async function enterWorker(pool: pg.Pool, kind: "sync" | "worker", clock: Clock): Promise<LivingWorker> {
  const client = await pool.connect();
  let broken: Error | undefined;
  const note = (error: Error) => {
    broken = error;
  };
  const workerId = await enter(client, kind, clock).catch((error: unknown) => {
    client.release(true);
    throw error;
  });
  client.on("error", note);
  return {
    workerId,
    beat: async () => {
      if (broken !== undefined) throw broken;
      await client.query("update ops.worker set heartbeat_at = $2 where worker_id = $1", [workerId, nowOf(clock)]);
    },
    [Symbol.asyncDispose]: async () => {
      try {
        // a broken connection has let go of the lock by itself, and the next process to look notes the end
        if (broken === undefined) await leave(client, workerId, clock);
      } catch (error) {
        broken = error instanceof Error ? error : new Error(String(error));
      }
      client.off("error", note);
      client.release(broken);
    },
  };
}

/** One statement: nobody sees the row before its lock is held, and takes the process for dead. */
async function enter(client: pg.PoolClient, kind: string, clock: Clock): Promise<string> {
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

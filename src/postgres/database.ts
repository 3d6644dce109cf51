import { Socket } from "node:net";
import pg from "pg";
import { fail } from "../core/errors.ts";
import { connectionString } from "./connection.ts";
import { connectionProblem, withoutReply, withoutSession } from "./database-errors.ts";
import { checkSessions } from "./pooler.ts";
import { sessionStatements } from "./session.ts";
import type { Queryable } from "./sql.ts";
import { isFlatArray, parseTextArray } from "./text-array.ts";

/** A database as the modules use it: a pool, one connection of it, or a transaction on one. Statements are written with `sql`. */
export interface Database extends Queryable {
  /** All of `work` on one connection. */
  connection(): { readonly execute: <T>(work: (db: Database) => Promise<T>) => Promise<T> };
  /**
   * All of `work` or nothing. With a level, all its statements see the database as it was at the first one. Throws inside another
   * transaction on the same connection, since its end would commit the outer one.
   */
  transaction(level?: "repeatable read"): { readonly execute: <T>(work: (db: Database) => Promise<T>) => Promise<T> };
}

/** The pool and the query layer on it. Disposing ends both. */
export interface Warehouse extends AsyncDisposable {
  readonly db: Database;
  readonly pool: pg.Pool;
}

const oid: Readonly<Record<"date" | "timestamp" | "dates" | "timestamps" | "texts", number>> = {
  date: 1082,
  timestamp: 1114,
  dates: 1182,
  timestamps: 1115,
  texts: 1009,
};

const texts: ReadonlySet<number> = new Set([oid.texts, oid.dates, oid.timestamps]);

/** Days and zoneless date-times stay text, in lists too: the driver would read them in the machine's time zone. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (id, format) => {
    if (id === oid.date || id === oid.timestamp) return (value: unknown) => value;
    const usual = pg.types.getTypeParser(texts.has(id) ? oid.texts : id, format) as (value: unknown) => unknown;
    if (!texts.has(id) || format === "binary") return usual;
    return (value: unknown) => (isFlatArray(value) ? parseTextArray(value) : usual(value));
  },
};

/** Long enough for any of our statements, and for a wait until another process has planned. */
const usualTimeoutMs = 600_000;
const connectMs = 10_000;
/** Longer than the pause of an idle worker between two checks, each of which would otherwise open a connection. */
const idleMs = 90_000;
/** A vanished peer is detected after about half a minute; the session settings do the same on the server. */
const keepAliveMs = 30_000;

/**
 * How connections behave. `timeoutMs`: a statement without a reply for this long counts as a lost connection; the first ones of a connection
 * have no longer than its login. `session`: settings that add
 * to or replace the usual ones.
 */
type ConnectionOptions = {
  readonly timeoutMs?: number;
  readonly session?: Readonly<Record<string, string>>;
};

/**
 * Opens a pool of at most `size` connections.
 * Throws `database_unreachable` when the server does not respond, `database_refused` when it refuses the login, `database_tls` when the
 * connection cannot be secured as sslmode requires, `database_busy` when no connection is left, `database_pooled` behind a pooler without
 * sessions, `database_options` for parameters that the server refuses, `database_too_old` below 15, `database_encoding` for an encoding
 * other than UTF8, and `bad_setting` for an invalid address.
 */
export async function openWarehouse(
  url: string,
  size: number,
  { timeoutMs = usualTimeoutMs, session = {} }: ConnectionOptions = {},
): Promise<Warehouse> {
  const address = {
    connectionString: connectionString(url),
    types,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
    connectionTimeoutMillis: Math.min(connectMs, timeoutMs),
    idleTimeoutMillis: idleMs,
  };
  const settings = sessionStatements(timeoutMs, session);
  let isChecked = false;
  const prepare = async (client: pg.ClientBase) => {
    const hasSession = breakWithoutReply(client, { firstMs: address.connectionTimeoutMillis, timeoutMs });
    // before any setting: behind a pooler without sessions it would apply to other programs
    if (!isChecked) await checkServer(client, address);
    isChecked = true;
    await client.query(settings);
    hasSession();
  };
  let newest = new Socket();
  const stream = () => (newest = new Socket());
  // the pool waits for the returned promise, which the driver's types do not say
  const pool = new pg.Pool({ ...address, stream, max: size, onConnect: (client): unknown => prepare(client) });
  // a broken connection is replaced at the next query, and the current query rejects; without a listener the error would end the process
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  try {
    (await pool.connect()).release();
  } catch (cause) {
    // the driver does not close a login without a password, and the process would live until the server gives up
    newest.destroy();
    await pool.end();
    throw connectionProblem(cause);
  }
  let ended: Promise<void> | undefined;
  return { db: databaseOf(pool), pool, [Symbol.asyncDispose]: () => (ended ??= pool.end()) };
}

async function checkServer(client: pg.ClientBase, address: pg.ClientConfig): Promise<void> {
  const { rows } = await client.query<{ version: number; encoding: string; pid: number }>(`
    select pg_catalog.current_setting('server_version_num')::pg_catalog.int4 as version,
           pg_catalog.current_setting('server_encoding') as encoding, pg_catalog.pg_backend_pid() as pid`);
  const { version = 0, encoding = "", pid = 0 } = rows[0] ?? {};
  if (version < 150_000) throw fail("database_too_old", { found: version });
  if (encoding !== "UTF8") throw fail("database_encoding", { found: encoding });
  await checkSessions(client, { pid, address });
}

/** What the driver has but its types leave out. */
type Inside = {
  readonly readyForQuery: boolean;
  readonly _ending: boolean;
  readonly connection: { readonly stream: Socket };
};

/**
 * Breaks a connection when a statement, or its closing message, has had no reply for `timeoutMs`: the other end may have vanished, and then
 * none would ever come. The caller sees a lost connection. Idle connections are never broken. The limit is `firstMs` until the returned
 * function is called.
 */
function breakWithoutReply(
  client: pg.ClientBase,
  { firstMs, timeoutMs }: { readonly firstMs: number; readonly timeoutMs: number },
): () => void {
  const inside = client as unknown as Inside;
  const { stream } = inside.connection;
  let problem = `${withoutSession} ${firstMs / 1000} s`;
  stream.setTimeout(firstMs);
  stream.on("timeout", () => {
    if (!inside.readyForQuery || inside._ending) stream.destroy(new Error(problem));
  });
  return () => {
    problem = `${withoutReply} ${timeoutMs / 1000} s`;
    stream.setTimeout(timeoutMs);
  };
}

/**
 * Removes the time limit for statements on a connection until the returned function is called: one statement computes a mart over years.
 * The connection's keep-alive still detects a vanished peer.
 */
export function liftReplyLimit(client: pg.ClientBase): () => void {
  const { stream } = (client as unknown as Inside).connection;
  const limitMs = stream.timeout ?? 0;
  stream.setTimeout(0);
  return () => void stream.setTimeout(limitMs);
}

function databaseOf(pool: pg.Pool): Database {
  const onOne = async <T>(work: (one: Database) => Promise<T>): Promise<T> => {
    const client = await pool.connect();
    try {
      return await work(databaseOn(client));
    } finally {
      // the pool does not take back a client whose connection broke
      client.release();
    }
  };
  return {
    run: (text, values) => onOne((one) => one.run(text, values)),
    connection: () => ({ execute: onOne }),
    transaction: (level) => ({ execute: (work) => onOne((one) => one.transaction(level).execute(work)) }),
  };
}

/** One connection, which runs one statement after the other, and one transaction at a time. */
export function databaseOn(client: pg.PoolClient): Database {
  let before: Promise<unknown> = Promise.resolve();
  let isInTransaction = false;
  const transact = async <T>(work: (db: Database) => Promise<T>, begin: string) => {
    if (isInTransaction) throw new Error("a transaction is under way on this connection: run the statements on it");
    isInTransaction = true;
    try {
      return await within(one, work, begin);
    } finally {
      isInTransaction = false;
    }
  };
  const one: Database = {
    run: (text, values) => {
      const result = before.then(() => client.query<Record<string, unknown>>(text, [...values]));
      before = result.catch(() => undefined);
      return result;
    },
    connection: () => ({ execute: (work) => work(one) }),
    transaction: (level) => ({
      execute: (work) => transact(work, level === undefined ? "begin" : `begin isolation level ${level}`),
    }),
  };
  return one;
}

async function within<T>(one: Database, work: (db: Database) => Promise<T>, begin: string): Promise<T> {
  await one.run(begin, []);
  try {
    const result = await work(one);
    await one.run("commit", []);
    return result;
  } catch (error) {
    // a broken connection has already rolled back; the first error is the one to throw
    await one.run("rollback", []).catch(() => undefined);
    throw error;
  }
}

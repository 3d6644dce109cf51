import { randomBytes } from "node:crypto";
import type { Socket } from "node:net";
import { Kysely, PostgresDialect, sql } from "kysely";
import pg from "pg";
import type { PoolClient } from "pg";
import { fail } from "../core/errors.ts";
import { connectionString } from "./connection.ts";
import { connectionProblem } from "./database-errors.ts";

/** A database as the modules use it: a pool behind kysely. Queries are written with `sql` or the builder. */
export type Database = Kysely<Record<string, Record<string, unknown>>>;

/** The pool and the query layer over it. Disposing ends both. */
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

/** Days and zoneless date-times stay text, in lists too: the driver would read them in the machine's time zone. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (id, format) => {
    if (id === oid.date || id === oid.timestamp) return (value: unknown) => value;
    const read = id === oid.dates || id === oid.timestamps ? oid.texts : id;
    return pg.types.getTypeParser(read, format) as (value: unknown) => unknown;
  },
};

/** Long enough for any statement of ours, and for waiting until somebody else has planned. */
const patienceMs = 600_000;
const connectMs = 10_000;
/** A peer that has vanished is noticed after half a minute or so, at either end, and its locks are let go. */
const keepAliveMs = 30_000;
const keepAlive = "-c tcp_keepalives_idle=30 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3";

/**
 * Opens a pool of at most `size` connections. A statement of which nothing is heard for `silenceMs` counts as a lost connection.
 * Throws `database_unreachable` when nobody answers, `database_refused` when the server lets nobody in, `database_tls` when the way cannot
 * be secured as sslmode asks, `database_too_old` below 15, and `bad_setting` for an address that does not fit.
 */
export async function openWarehouse(url: string, size: number, silenceMs = patienceMs): Promise<Warehouse> {
  const pool = new pg.Pool({
    connectionString: connectionString(url),
    max: size,
    types,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
    connectionTimeoutMillis: Math.min(connectMs, silenceMs),
    // of this pool alone: the sessions of a process that is found dead can be told from others
    application_name: `storehouse ${randomBytes(4).toString("hex")}`,
    // a session that fell silent in a transaction lets its locks go
    options: `-c timezone=UTC -c statement_timeout=0 -c idle_in_transaction_session_timeout=${Math.ceil(silenceMs)} ${keepAlive}`,
  });
  // a connection that breaks is replaced at the next query, and the query at hand rejects; without a listener it would end the process
  pool.on("error", () => undefined);
  pool.on("connect", (client) => {
    client.on("error", () => undefined);
    breakWhenSilent(client, silenceMs);
  });
  const db: Database = new Kysely({ dialect: new PostgresDialect({ pool }) });
  try {
    const version = await sql<{
      version: number;
    }>`select current_setting('server_version_num')::int as version`.execute(db);
    const found = version.rows[0]?.version ?? 0;
    if (found < 150_000) throw fail("database_too_old", { found });
  } catch (cause) {
    await db.destroy();
    throw connectionProblem(cause);
  }
  return { db, pool, [Symbol.asyncDispose]: () => db.destroy() };
}

/** What the driver has and its types leave out. */
type Inside = {
  readonly readyForQuery: boolean;
  readonly _ending: boolean;
  readonly connection: { readonly stream: Socket };
};

/**
 * Breaks a connection off when a statement, or a farewell, is at work on it and nothing was heard for so many ms: the other end may have
 * gone without a word, and then no answer would ever come. Whoever waits sees a lost connection. Idle ones may be silent for ever.
 */
function breakWhenSilent(client: PoolClient, ms: number): void {
  const inside = client as unknown as Inside;
  const { stream } = inside.connection;
  stream.setTimeout(ms);
  stream.on("timeout", () => {
    if (!inside.readyForQuery || inside._ending)
      stream.destroy(new Error("Connection terminated: nothing was heard for too long"));
  });
}

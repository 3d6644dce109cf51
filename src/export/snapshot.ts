import type { Pool, PoolClient } from "pg";
import { liftReplyLimit } from "../postgres/database.ts";

/**
 * Begins a transaction that sees one moment of the database and writes only its own tables (`read write`), with values as text that means
 * the same on every machine. It has no time limit between two statements.
 */
export async function beginSnapshot(
  client: PoolClient,
  access: "read only" | "read write" = "read only",
): Promise<void> {
  await client.query(`
    begin isolation level repeatable read, ${access};
    set local idle_in_transaction_session_timeout = 0;
    set local timezone = 'UTC';
    set local datestyle = 'ISO, YMD';
    set local intervalstyle = 'postgres';
    set local extra_float_digits = 1;
    set local bytea_output = 'hex';
    -- the statement of an export that was killed ends soon after it, where the machine of the database can see that
    do $$
    begin
      set local client_connection_check_interval = '10s';
    exception when invalid_parameter_value then null;
    end
    $$`);
}

/** A connection in such a transaction, which is rolled back at the end. */
export interface Snapshot extends AsyncDisposable {
  readonly client: PoolClient;
}

/** Takes a connection of the pool, without a time limit for replies, and begins a snapshot on it. */
export async function openSnapshot(pool: Pool, access?: "read write"): Promise<Snapshot> {
  await using opened = new AsyncDisposableStack();
  const client = await pool.connect();
  opened.defer(() => client.release());
  opened.defer(liftReplyLimit(client));
  await beginSnapshot(client, access);
  opened.defer(() => client.query("rollback").then(nothing, nothing));
  const stack = opened.move();
  return { client, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

const nothing = () => undefined;

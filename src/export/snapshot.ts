import type { PoolClient } from "pg";

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

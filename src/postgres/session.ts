import { randomBytes } from "node:crypto";
import { escapeLiteral } from "pg";

/*
 * Settings are statements on each new connection, not startup `options`: poolers refuse or ignore those, and an address may have its own
 * options.
 */

/** What statements and the driver rely on, even if the server, the database or the role has other settings for other programs. */
const settings: Readonly<Record<string, string>> = {
  statement_timeout: "0",
  timezone: "UTC",
  datestyle: "ISO,YMD",
  intervalstyle: "postgres",
  bytea_output: "hex",
  extra_float_digits: "1",
  standard_conforming_strings: "on",
  transform_null_equals: "off",
  array_nulls: "on",
  default_transaction_isolation: "read committed",
  default_transaction_deferrable: "off",
  lock_timeout: "0",
  // as for the reader (role-statements.ts)
  jit: "off",
  search_path: "public",
  // a vanished client is detected after about half a minute, and its locks are released
  tcp_keepalives_idle: "30",
  tcp_keepalives_interval: "10",
  tcp_keepalives_count: "3",
};

/** Runs first: a role may allow a statement less time than the settings take. */
const timeless = "set statement_timeout to 0";

/**
 * The statements that a connection begins with. `timeoutMs`: a session that is idle in a transaction for this long loses its locks.
 * `others`: settings that add to or replace the usual ones; a role comes last, since it may be allowed fewer settings. The name of the
 * sessions is unique to these statements, which distinguishes the sessions of a dead process from others.
 */
export function sessionStatements(timeoutMs: number, others: Readonly<Record<string, string>>): string {
  const { role, ...rest } = others;
  const all = {
    ...settings,
    idle_in_transaction_session_timeout: String(Math.ceil(timeoutMs)),
    application_name: `storehouse ${randomBytes(4).toString("hex")}`,
    ...rest,
    ...(role === undefined ? {} : { role }),
  };
  const values = Object.entries(all).map(([name, value]) => `${escapeLiteral(name)}, ${escapeLiteral(value)}`);
  return `${timeless}; select ${values.map((each) => `pg_catalog.set_config(${each}, false)`).join(", ")}`;
}

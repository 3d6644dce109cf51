import { randomBytes } from "node:crypto";
import { escapeLiteral } from "pg";

/*
 * Settings are statements of each new connection and no `options` of its start: poolers refuse those or pass over them, and an address
 * may have options of its own.
 */

/** What statements and the driver rely on, also where the server, the database or the role has other settings for other programs. */
const settings: Readonly<Record<string, string>> = {
  statement_timeout: "0",
  timezone: "UTC",
  datestyle: "ISO,YMD",
  intervalstyle: "postgres",
  bytea_output: "hex",
  extra_float_digits: "1",
  standard_conforming_strings: "on",
  transform_null_equals: "off",
  default_transaction_isolation: "read committed",
  default_transaction_deferrable: "off",
  lock_timeout: "0",
  // as for the reader
  jit: "off",
  search_path: "public",
  // a client that has vanished is found after half a minute or so, and its locks are released
  tcp_keepalives_idle: "30",
  tcp_keepalives_interval: "10",
  tcp_keepalives_count: "3",
};

/** First: a role may allow a statement less time than the settings take. */
const timeless = "set statement_timeout to 0";

/**
 * The statements that a connection begins with. `timeoutMs`: a session that is idle in a transaction for so long loses its locks. `others`:
 * settings beside or instead of the usual; a role comes last in them, since it may set less. The name of the sessions is of these
 * statements alone: the sessions of a dead process can be distinguished from others.
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

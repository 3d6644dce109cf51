import { fail, UsageError } from "../core/errors.ts";
import { openWarehouse, type Warehouse } from "./database.ts";
import { roles } from "./role-statements.ts";
import { sql } from "./sql.ts";

/**
 * Opens the warehouse as the reader role, with a separate login: a session that only does `set role` could leave the role by a function in
 * the statement that it runs. Throws `bad_setting` without a password, if the role cannot log in with it, and if it may do more than read.
 */
export async function openAsReader(
  databaseUrl: string,
  {
    password,
    size,
    timeoutMs,
    session = {},
  }: {
    readonly password: string | undefined;
    readonly size: number;
    readonly timeoutMs: number;
    /** Settings of each of its sessions. */
    readonly session?: Readonly<Record<string, string>>;
  },
): Promise<Warehouse> {
  if (password === undefined)
    throw refused("is not set: set it, then run `storehouse grants` so that the role can log in with it");
  const warehouse = await openWarehouse(readerUrl(databaseUrl, password), size, { timeoutMs, session }).catch(
    (cause: unknown) => {
      // the caller has opened the same database by its address: the refusal is about the role
      if (cause instanceof UsageError && cause.code === "database_refused") throw refused(notLetIn, cause);
      throw cause;
    },
  );
  const { rows } = await sql<{ hasAdminRights: boolean }>`
    select rolsuper or rolcreaterole or rolbypassrls or rolcreatedb
           or pg_catalog.pg_has_role(session_user, ${roles.loader}, 'member')
           or pg_catalog.pg_has_role(session_user, ${roles.owner}, 'member') as "hasAdminRights"
    from   pg_catalog.pg_roles where rolname = session_user`.execute(warehouse.db);
  if (rows[0]?.hasAdminRights !== false) {
    await warehouse[Symbol.asyncDispose]();
    throw refused(`opens a role that may more than read: take from ${roles.reader} what \`storehouse doctor\` names`);
  }
  return warehouse;
}

/** The address with the user and password of the reader: in the driver those in the query override those before the host. */
function readerUrl(databaseUrl: string, password: string): string {
  const [server = "", ...rest] = databaseUrl.split("?");
  const query = new URLSearchParams(rest.join("?"));
  query.set("user", roles.reader);
  query.set("password", password);
  return `${server}?${query.toString()}`;
}

const notLetIn = `does not let ${roles.reader} log in: run \`storehouse grants\` with it, and check that pg_hba.conf allows the role`;

function refused(problem: string, cause?: unknown): Error {
  return fail("bad_setting", { variable: "STOREHOUSE_READER_PASSWORD", problem }, cause);
}

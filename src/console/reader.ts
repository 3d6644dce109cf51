import type { App } from "../app.ts";
import { dayOf } from "../core/day.ts";
import { fail } from "../core/errors.ts";
import { openWarehouse, type Database, type Warehouse } from "../postgres/database.ts";
import { roles } from "../postgres/role-statements.ts";
import { sql } from "../postgres/sql.ts";

/** This many reads of pages run at the same time; others wait. */
export const readingConnections = 4;

/**
 * Opens the connections by which pages read: read-only, each statement with a time limit (ms), as storehouse_reader if the connected role
 * may act as it and it may read here. Otherwise they read as the connected role, and nobody can sign in as a viewer. Throws
 * `console_reader_missing`.
 */
export async function openReader(
  { config, warehouse, databaseUrl, clock }: App,
  statementMs: number,
): Promise<Warehouse> {
  const isThere = await mayRead(warehouse.db);
  const { STOREHOUSE_CONSOLE_VIEWER_PASSWORD: viewers } = config.environment;
  if (!isThere && (viewers !== undefined || config.settings.console.proxy?.user_header !== undefined))
    throw fail("console_reader_missing");
  const session = {
    ...(isThere ? { role: roles.reader } : {}),
    default_transaction_read_only: "on",
    statement_timeout: String(Math.ceil(statementMs)),
    // a pinned day applies to views as well
    ...(clock.today() === dayOf(clock.now()) ? {} : { "storehouse.today": clock.today() }),
  };
  return openWarehouse(databaseUrl, readingConnections, { session });
}

/** Roles belong to the server: if they were made for another of its databases, the reader has no rights in this one. */
async function mayRead(db: Database): Promise<boolean> {
  const { rows } = await sql<{ may: boolean }>`
    select coalesce(pg_catalog.pg_has_role(current_user, r.oid, 'member') and has_schema_privilege(r.oid, to_regnamespace('ops'), 'usage'), false) as may
    from   (select to_regrole(${roles.reader})::oid as oid) as r`.execute(db);
  return rows[0]?.may === true;
}

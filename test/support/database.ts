import { randomBytes } from "node:crypto";
import pg, { escapeIdentifier } from "pg";
import { inject } from "vitest";
import { databaseUrl } from "../setup/template-database.ts";

/**
 * A migrated, empty database of the test's own, or a copy of one that nobody is connected to; disposing drops it, although clients are still
 * connected.
 */
export async function freshDatabase(copied?: string): Promise<{ readonly url: string } & AsyncDisposable> {
  const template = inject("template");
  const name = `${template}_${randomBytes(6).toString("hex")}`;
  const from = escapeIdentifier(copied ?? template);
  // copying the files beats writing them to the log when the database is small
  await asAdmin(`create database ${escapeIdentifier(name)} template ${from} strategy file_copy`);
  return {
    url: databaseUrl(inject("adminUrl"), name),
    [Symbol.asyncDispose]: () => asAdmin(`drop database if exists ${escapeIdentifier(name)} with (force)`),
  };
}

/** One connection of the process for all its databases: another one for each costs as much as the copy. It keeps no process alive. */
let administrator: pg.Pool | undefined;

async function asAdmin(statement: string): Promise<void> {
  administrator ??= new pg.Pool({
    connectionString: inject("adminUrl"),
    max: 1,
    idleTimeoutMillis: 0,
    allowExitOnIdle: true,
  }).on("error", () => undefined);
  await administrator.query(statement);
}

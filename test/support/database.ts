import { randomBytes } from "node:crypto";
import { Client, escapeIdentifier } from "pg";
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

async function asAdmin(statement: string): Promise<void> {
  const admin = new Client({ connectionString: inject("adminUrl") });
  await admin.connect();
  try {
    await admin.query(statement);
  } finally {
    await admin.end();
  }
}

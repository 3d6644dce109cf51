import { randomBytes } from "node:crypto";
import { Client, escapeIdentifier } from "pg";
import { inject } from "vitest";
import { databaseUrl } from "../setup/template-database.ts";

/** A database of the test's own with nothing in it, not even migrations; disposing drops it. */
export async function emptyDatabase(
  encoding: "UTF8" | "LATIN1" = "UTF8",
): Promise<{ readonly url: string } & AsyncDisposable> {
  // named after the run's template, so that what a killed run leaves behind is dropped with it
  const name = `${inject("template")}_${randomBytes(6).toString("hex")}`;
  const admin = new Client({ connectionString: inject("adminUrl") });
  await admin.connect();
  const locale = encoding === "UTF8" ? "" : "locale_provider libc locale 'C'";
  await admin.query(`create database ${escapeIdentifier(name)} template template0 encoding '${encoding}' ${locale}`);
  return {
    url: databaseUrl(inject("adminUrl"), name),
    [Symbol.asyncDispose]: async () => {
      await admin.query(`drop database if exists ${escapeIdentifier(name)} with (force)`);
      await admin.end();
    },
  };
}

import { randomBytes } from "node:crypto";
import { Client, escapeIdentifier } from "pg";
import { migrate } from "../../src/postgres/migrate.ts";

const prefix = "storehouse_test_";
const template = `${prefix}________________`;

/** A migrated database to copy from, for one run; disposing drops it and every copy. */
export type TemplateDatabase = { readonly name: string } & AsyncDisposable;

/**
 * Creates the run's template. An advisory lock on a connection that stays open marks the run as alive; what runs
 * without that lock left behind is dropped first.
 */
export async function templateDatabase(adminUrl: string): Promise<TemplateDatabase> {
  const admin = new Client({ connectionString: adminUrl, application_name: "storehouse tests" });
  await admin.connect();
  const name = `${prefix}${randomBytes(8).toString("hex")}`;
  const drop = async (): Promise<void> => {
    await dropRun(admin, name);
    await admin.end();
  };
  try {
    await admin.query("select pg_advisory_lock(hashtext($1))", [name]);
    await dropAbandoned(admin);
    await admin.query(`create database ${escapeIdentifier(name)} template template0 ${await locale(admin)}`);
    await migrate(databaseUrl(adminUrl, name));
  } catch (error) {
    await drop();
    throw error;
  }
  return { name, [Symbol.asyncDispose]: drop };
}

/** The same server, another database. */
export function databaseUrl(adminUrl: string, database: string): string {
  const url = new URL(adminUrl);
  url.pathname = `/${database}`;
  return url.href;
}

/** Encoding and locale of the embedded server, or the nearest that an older Postgres has, for any default of the machine. */
async function locale(admin: Client): Promise<string> {
  const { rows } = await admin.query<{ server_version_num: string }>("show server_version_num");
  const builtin = Number(rows[0]?.server_version_num) >= 170_000;
  return builtin
    ? "encoding 'UTF8' locale_provider builtin builtin_locale 'C.UTF-8' locale 'C'"
    : "encoding 'UTF8' locale_provider libc locale 'C'";
}

async function dropAbandoned(admin: Client): Promise<void> {
  const { rows } = await admin.query<{ datname: string }>("select datname from pg_database where datname like $1", [
    template,
  ]);
  for (const { datname } of rows) {
    const { rows: tried } = await admin.query<{ free: boolean }>("select pg_try_advisory_lock(hashtext($1)) as free", [
      datname,
    ]);
    if (tried[0]?.free !== true) continue;
    await dropRun(admin, datname);
    await admin.query("select pg_advisory_unlock(hashtext($1))", [datname]);
  }
}

/** Copies first: the template's name shows that a run was there. */
async function dropRun(admin: Client, name: string): Promise<void> {
  const { rows } = await admin.query<{ datname: string }>(
    "select datname from pg_database where starts_with(datname, $1) order by length(datname) desc",
    [name],
  );
  for (const { datname } of rows)
    await admin.query(`drop database if exists ${escapeIdentifier(datname)} with (force)`);
}

import { readdir } from "node:fs/promises";
import path from "node:path";
import { sql } from "kysely";
import type { Database } from "./database.ts";

/** The folder of our migrations. */
export const migrationsFolder = path.resolve(import.meta.dirname, "../../migrations");

/** How a database stands to this program's migrations: those that it lacks, those that it knows and the program does not, and whether this role may change that. */
export type PendingMigrations = {
  readonly missing: readonly string[];
  readonly unknown: readonly string[];
  readonly mayMigrate: boolean;
};

/** Names of our migrations in their order. */
export async function migrationNames(): Promise<readonly string[]> {
  const files = (await readdir(migrationsFolder)).filter((file) => file.endsWith(".sql")).sort();
  return files.map((file) => file.replace(/\.sql$/, ""));
}

/** Looks at which migrations have run, and changes nothing. Needs no right but to read `ops.migration`. */
export async function pendingMigrations(db: Database): Promise<PendingMigrations> {
  const { rows } = await sql<{ mayMigrate: boolean; hasTable: boolean }>`
    select case when n.oid is null then has_database_privilege(current_database(), 'create') else pg_has_role(n.nspowner, 'usage') end as "mayMigrate",
           exists (select from pg_catalog.pg_class as c where c.relnamespace = n.oid and c.relname = 'migration') as "hasTable"
    from   (values (0)) as one (row) left join pg_catalog.pg_namespace as n on n.nspname = 'ops'`.execute(db);
  const { mayMigrate = false, hasTable = false } = rows[0] ?? {};
  const names = await migrationNames();
  const ran = hasTable
    ? (await sql<{ name: string }>`select name from ops.migration order by name`.execute(db)).rows
    : [];
  const known = new Set(ran.map(({ name }) => name));
  return {
    missing: names.filter((name) => !known.has(name)),
    unknown: [...known].filter((name) => !names.includes(name)),
    mayMigrate,
  };
}

import { readdir } from "node:fs/promises";
import path from "node:path";
import { fail, type StorehouseError } from "../core/errors.ts";
import { sql } from "./sql.ts";
import type { Database } from "./database.ts";

/** The folder of our migrations. */
export const migrationsFolder = path.resolve(import.meta.dirname, "../../migrations");

/** The newest migration of graphile-worker itself: known here, so that a start need not load the package to compare. */
export const newestQueueMigration = 20;

/** True if nothing is to be migrated and no newer program has migrated: one query. Also false if the role may not read that. */
export async function isUpToDate(db: Database): Promise<boolean> {
  const names = await migrationNames();
  try {
    const { rows } = await sql<{ ran: readonly string[]; queue: number }>`
      select coalesce((select array_agg(name) from ops.migration), '{}') as ran,
             (select max(id) from graphile_worker.migrations) as queue`.execute(db);
    const { ran = [], queue = 0 } = rows[0] ?? {};
    return queue === newestQueueMigration && ran.length === names.length && names.every((name) => ran.includes(name));
  } catch {
    // no such table, or no right to read it: `migrateWarehouse` finds and reports the reason
    return false;
  }
}

/**
 * A database compared with this program's migrations: those that it lacks, those that only it has, whether any has run, and whether this role
 * may migrate.
 */
export type PendingMigrations = {
  readonly missing: readonly string[];
  readonly unknown: readonly string[];
  readonly hasAny: boolean;
  readonly mayMigrate: boolean;
};

/** Names of our migrations in their order. */
async function migrationNames(): Promise<readonly string[]> {
  const files = (await readdir(migrationsFolder)).filter((file) => /^\d{4}-.*\.sql$/.test(file)).sort();
  return files.map((file) => file.replace(/\.sql$/, ""));
}

/** Checks which migrations have run, and changes nothing. Needs only the right to read `ops.migration`. */
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
    hasAny: known.size > 0,
    mayMigrate,
  };
}

/** `database_newer` if a newer program has migrated the database, else null. */
export async function newerProblem(db: Database): Promise<StorehouseError | null> {
  return newerOf(await pendingMigrations(db));
}

/** `database_newer` if these migrations contain one that this program does not know, else null. */
export function newerOf({ unknown }: PendingMigrations): StorehouseError | null {
  const migration = unknown.at(-1);
  return migration === undefined ? null : fail("database_newer", { migration });
}

/**
 * An object of another program where the first migration creates ours: a table such as `core.dim_app`, or a schema, including that of the
 * queue, whose jobs two programs cannot share; null in a database that is empty or ours. Any role may read the catalogue.
 */
export async function foreignThing(db: Database): Promise<string | null> {
  const { rows } = await sql<{ thing: string }>`
    select coalesce(format('%I.%I', n.nspname, c.relname), 'a schema ' || n.nspname) as thing
    from   pg_catalog.pg_namespace as n
    left   join pg_catalog.pg_class as c on c.relnamespace = n.oid and c.relkind in ('r', 'p', 'v', 'm', 'f')
    where  n.nspname in ('archive', 'core', 'graphile_worker', 'mart', 'ops', 'parts', 'raw') and (n.nspname <> 'ops' or c.oid is not null)
    and    not exists (
      select from pg_catalog.pg_attribute as own join pg_catalog.pg_class as t on t.oid = own.attrelid
      where  t.relname = 'migration' and t.relnamespace = to_regnamespace('ops') and own.attname = 'ran_at' and own.atttypid = 'timestamptz'::regtype)
    order  by 1
    limit  1`.execute(db);
  return rows[0]?.thing ?? null;
}

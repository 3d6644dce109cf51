import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { Logger, runMigrations } from "graphile-worker";
import { sql } from "kysely";
import { Migrator, type Migration } from "kysely/migration";
import { openWarehouse, type Database, type Warehouse } from "./database.ts";

/** The queue's own migrations speak on the console otherwise. */
const silent = new Logger(() => () => undefined);

const folder = path.resolve(import.meta.dirname, "../../migrations");

/** Brings the database at `url` up to date and returns the names of the migrations that ran. Safe to call from many processes. */
export async function migrate(url: string): Promise<string[]> {
  await using warehouse = await openWarehouse(url, 2);
  return await migrateWarehouse(warehouse);
}

/** `migrate` over an open pool of at least two connections. */
export async function migrateWarehouse(warehouse: Warehouse): Promise<string[]> {
  // `if not exists` does not keep two processes from making the same schema at once, so the whole is done one by one
  return warehouse.db.connection().execute(async (connection) => {
    await sql`select pg_advisory_lock(hashtext('storehouse migrate'))`.execute(connection);
    try {
      return await bringUpToDate(warehouse);
    } finally {
      await sql`select pg_advisory_unlock(hashtext('storehouse migrate'))`.execute(connection);
    }
  });
}

async function bringUpToDate({ db, pool }: Warehouse): Promise<string[]> {
  await sql`create schema if not exists ops`.execute(db);
  const { error, results = [] } = await migrator(db).migrateToLatest();
  if (error !== undefined) throw error;
  if (results.length > 0) await sql.raw(commentsOnOwnTables).execute(db);
  await runMigrations({ pgPool: pool, logger: silent });
  return results.map((result) => result.migrationName);
}

/** How the database stands against the migrations of this program, without running any; none has run in a database that has no such table. */
export async function pendingMigrations(
  db: Database,
): Promise<{ readonly missing: readonly string[]; readonly unknown: readonly string[] }> {
  const known = Object.keys(await getMigrations());
  const { rows: found } = await sql<{
    there: boolean;
  }>`select to_regclass('ops.migration') is not null as there`.execute(db);
  const { rows } =
    found[0]?.there === true ? await sql<{ name: string }>`select name from ops.migration`.execute(db) : { rows: [] };
  const ran = new Set(rows.map(({ name }) => name));
  return {
    missing: known.filter((name) => !ran.has(name)),
    unknown: [...ran].filter((name) => !known.includes(name)).sort(),
  };
}

/** The migrator makes its tables itself, and without a word about them. */
const commentsOnOwnTables = `
  comment on table  ops.migration                is 'Migrations that have run.';
  comment on column ops.migration.name           is 'File in migrations/, without its ending.';
  comment on column ops.migration.timestamp      is 'When it ran.';
  comment on table  ops.migration_lock           is 'One row that a process locks while it migrates.';
  comment on column ops.migration_lock.id        is 'Name of the lock.';
  comment on column ops.migration_lock.is_locked is 'Not used on Postgres.';`;

function migrator(db: Database): Migrator {
  return new Migrator({
    db,
    provider: { getMigrations },
    migrationTableSchema: "ops",
    migrationTableName: "migration",
    migrationLockTableName: "migration_lock",
  });
}

async function getMigrations(): Promise<Record<string, Migration>> {
  const files = (await readdir(folder)).filter((file) => file.endsWith(".sql")).sort();
  const texts = await Promise.all(files.map((file) => readFile(path.join(folder, file), "utf8")));
  return Object.fromEntries(
    files.map((file, index) => [
      file.replace(/\.sql$/, ""),
      { up: async (db) => void (await sql.raw(texts[index] ?? "").execute(db)) },
    ]),
  );
}

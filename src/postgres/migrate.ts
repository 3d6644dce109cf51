import { readFile } from "node:fs/promises";
import path from "node:path";
import { Logger, runMigrations } from "graphile-worker";
import { sql } from "kysely";
import { type Migration, Migrator } from "kysely/migration";
import { fail } from "../core/errors.ts";
import { alone } from "./advisory-lock.ts";
import { isMissingRight } from "./database-errors.ts";
import { type Database, openWarehouse, type Warehouse } from "./database.ts";
import { renewRights } from "./grants.ts";
import { migrationNames, migrationsFolder, pendingMigrations } from "./pending-migrations.ts";

/** The queue's own migrations speak on the console otherwise. */
const silent = new Logger(() => () => undefined);

/** Brings the database at `url` up to date and returns the names of the migrations that ran. Safe to call from many processes. */
export async function migrate(url: string): Promise<string[]> {
  await using warehouse = await openWarehouse(url, 3);
  return await migrateWarehouse(warehouse);
}

/**
 * `migrate` over an open pool of at least three connections. A database that is up to date takes a look and no right to change
 * anything. Throws `migrations_pending` where the connected role may not migrate, `database_newer` where a newer program has.
 */
export async function migrateWarehouse(warehouse: Warehouse): Promise<string[]> {
  const { missing, unknown, mayMigrate } = await pendingMigrations(warehouse.db);
  if (unknown.length > 0) throw fail("database_newer", { migration: unknown.at(-1) });
  if (missing.length > 0 && !mayMigrate) throw fail("migrations_pending", { migration: missing[0] });
  if (missing.length === 0) {
    if (await bringQueueUpToDate(warehouse)) await alone(warehouse.db, () => renewRights(warehouse.db));
    return [];
  }
  return alone(warehouse.db, async () => {
    const ran = await bringUpToDate(warehouse.db);
    const queueMoved = await bringQueueUpToDate(warehouse);
    if (ran.length > 0 || queueMoved) await renewRights(warehouse.db);
    return ran;
  });
}

async function bringUpToDate(db: Database): Promise<string[]> {
  await sql`create schema if not exists ops`.execute(db);
  const { error, results = [] } = await migrator(db).migrateToLatest();
  if (error !== undefined) throw error;
  if (results.length > 0) await sql.raw(commentsOnOwnTables).execute(db);
  return results.map((result) => result.migrationName);
}

/** The queue's own tables, by its own migrations; true when something changed. Reads one table where nothing is to be done. */
async function bringQueueUpToDate({ db, pool }: Warehouse): Promise<boolean> {
  try {
    const before = await queueVersion(db);
    await runMigrations({ pgPool: pool, logger: silent });
    return before !== (await queueVersion(db));
  } catch (error) {
    if (isMissingRight(error)) throw fail("migrations_pending", { migration: "the queue's own" }, error);
    throw error;
  }
}

async function queueVersion(db: Database): Promise<number | null> {
  const there =
    await sql`select from pg_catalog.pg_tables where schemaname = 'graphile_worker' and tablename = 'migrations'`.execute(
      db,
    );
  if (there.rows.length === 0) return null;
  const { rows } = await sql<{ id: number }>`select max(id) as id from graphile_worker.migrations`.execute(db);
  return rows[0]?.id ?? null;
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
  const names = await migrationNames();
  const texts = await Promise.all(names.map((name) => readFile(path.join(migrationsFolder, `${name}.sql`), "utf8")));
  return Object.fromEntries(
    names.map((name, index) => [name, { up: async (db) => void (await sql.raw(texts[index] ?? "").execute(db)) }]),
  );
}

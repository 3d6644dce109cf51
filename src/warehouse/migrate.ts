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

/** `migrate` over an open pool. */
export async function migrateWarehouse(warehouse: Warehouse): Promise<string[]> {
  await sql`create schema if not exists ops`.execute(warehouse.db);
  const { error, results } = await migrator(warehouse.db).migrateToLatest();
  if (error !== undefined) throw error;
  await runMigrations({ pgPool: warehouse.pool, logger: silent });
  return (results ?? []).map((result) => result.migrationName);
}

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

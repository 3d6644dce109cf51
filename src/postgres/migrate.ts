import { readFile } from "node:fs/promises";
import path from "node:path";
import { Logger, runMigrations } from "graphile-worker";
import pg from "pg";
import { sql } from "./sql.ts";
import { fail, StorehouseError } from "../core/errors.ts";
import { systemClock } from "../core/clock.ts";
import { withAdvisoryLock } from "./advisory-lock.ts";
import { isInterrupted, isLockTimeout, isLostConnection, isMissingRight } from "./database-errors.ts";
import { type Database, openWarehouse, type Warehouse } from "./database.ts";
import { renewRights } from "./grants.ts";
import { type LockWaits, migrationTransaction } from "./migration-transaction.ts";
import { foreignThing, migrationsFolder, newerOf, pendingMigrations } from "./pending-migrations.ts";

/** Without it the queue's own migrations write to the console. */
const noLogger = new Logger(() => () => undefined);

/** Brings the database at `url` up to date and returns the names of the migrations that ran. Safe to call from many processes. */
export async function migrate(url: string): Promise<string[]> {
  await using warehouse = await openWarehouse(url, 3);
  return await migrateWarehouse(warehouse);
}

/**
 * `migrate` over an open pool of at least three connections. If the database is up to date, it reads one table and needs no right to change
 * anything. Waits for tables that another session has locked; `waits.onLocked` is called with that session. Throws `migrations_pending` if
 * the connected role may not migrate, `migration_failed` if Postgres refuses a migration, `database_newer` if a newer program has migrated,
 * and `database_taken` if another program has tables in one of our schemas.
 */
export async function migrateWarehouse(
  warehouse: Warehouse,
  waits: LockWaits = { clock: systemClock(), onLocked: () => undefined },
): Promise<string[]> {
  const taken = await foreignThing(warehouse.db);
  if (taken !== null) throw fail("database_taken", { thing: taken });
  const pending = await pendingMigrations(warehouse.db);
  const { missing, mayMigrate } = pending;
  const newer = newerOf(pending);
  if (newer !== null) throw newer;
  if (missing.length > 0 && !mayMigrate) throw fail("migrations_pending", { migration: missing[0] });
  if (missing.length === 0) {
    if (await bringQueueUpToDate(warehouse))
      await withAdvisoryLock(warehouse.db, "migrate", () => renewRights(warehouse.db));
    return [];
  }
  return withAdvisoryLock(warehouse.db, "migrate", async () => {
    const ran = await bringUpToDate(warehouse.db, waits);
    const queueMoved = await bringQueueUpToDate(warehouse);
    if (ran.length > 0 || queueMoved) await renewRights(warehouse.db);
    return ran;
  });
}

/** Runs what is missing, all of it or nothing. Another process may have run it while this one waited for the lock. */
function bringUpToDate(db: Database, waits: LockWaits): Promise<string[]> {
  return migrationTransaction(db, runPending, waits);
}

async function runPending(transaction: Database): Promise<string[]> {
  await sql.raw(ownTable).execute(transaction);
  const { missing } = await pendingMigrations(transaction);
  for (const name of missing) {
    await runFile(transaction, name);
    await sql`insert into ops.migration (name, ran_at) values (${name}, now())`.execute(transaction);
  }
  return [...missing];
}

/**
 * Why the migrations of an empty database would fail, from a transaction that is rolled back; null if they would not, or if that cannot be
 * seen now. Needs two connections. Not for a database in use, whose tables it would lock.
 */
export async function foreseenFailure(db: Database): Promise<StorehouseError | null> {
  const ended = new Error("every migration can run");
  const rehearsal = () =>
    db.transaction().execute(async (transaction) => {
      await runPending(transaction);
      throw ended;
    });
  return withAdvisoryLock(db, "migrate", rehearsal).catch((error: unknown) =>
    error instanceof StorehouseError ? error : null,
  );
}

async function runFile(db: Database, name: string): Promise<void> {
  const statements = await readFile(path.join(migrationsFolder, `${name}.sql`), "utf8");
  try {
    await sql.raw(statements).execute(db);
  } catch (error) {
    throw failed(name, error);
  }
}

/** Our error for a migration that Postgres refuses; any other error is returned unchanged, since its code decides whether to try again. */
function failed(migration: string, error: unknown): unknown {
  if (isMissingRight(error)) return fail("rights_missing", { migration, problem: error.message }, error);
  const mayPass = [isLostConnection, isInterrupted, isLockTimeout].some((is) => is(error));
  if (!(error instanceof pg.DatabaseError) || mayPass) return error;
  const detail = error.detail === undefined ? "" : ` (${error.detail})`;
  return fail("migration_failed", { migration, problem: `${error.message}${detail}` }, error);
}

const ownTable = `
  create schema if not exists ops;
  create table if not exists ops.migration (name text primary key, ran_at timestamptz not null);
  comment on table  ops.migration        is 'Migrations that have run.';
  comment on column ops.migration.name   is 'File in migrations/, without its ending.';
  comment on column ops.migration.ran_at is 'When it ran.';`;

/** The queue's own tables, by its own migrations; true if something changed. Reads one table if there is nothing to do. */
async function bringQueueUpToDate({ db, pool }: Warehouse): Promise<boolean> {
  try {
    const before = await queueVersion(db);
    await runMigrations({ pgPool: pool, logger: noLogger });
    return before !== (await queueVersion(db));
  } catch (error) {
    if (isMissingRight(error)) throw fail("migrations_pending", { migration: "the queue's own" }, error);
    throw failed("of the queue", error);
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

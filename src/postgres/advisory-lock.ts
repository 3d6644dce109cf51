import { sql, type SqlFragment } from "./sql.ts";
import type { Database } from "./database.ts";
import { isLockTimeout } from "./database-errors.ts";

/**
 * What only one process at a time may do in a database:
 * - `migrate`: change tables or rights. `if not exists` does not keep two processes from making the same thing at once.
 * - `planning`: find and queue what is missing for some apps, or for no app, so that no two plan the same cells. Numbered.
 * - `raw import`: import an answer, so that no two import the same one.
 * - `refused batch`: start to search for a refused item, so that no two search for the same one.
 * - `past slices`: sum up slices of past days, exclusively; processes that change one of them share the lock (migrations/0004).
 * - `keywords`: change what the account tracks, so that nobody relies on a list that another person is changing.
 * - `pruning`: delete stored answers, exclusively; transactions that rebuild rows from stored answers share the lock.
 * - `replay`: rebuild rows of a dataset; transactions that load answers of this dataset share the lock. By name of the dataset.
 * - `publish`: publish to ClickHouse, so that no two load into one table.
 * - `export`: write into a bucket, which has no lock of its own, and every process that exports into it reads this database. By name of the
 *   bucket and its prefix.
 * - `configuration`: change the configuration file, so that nobody relies on one that another person is changing.
 */
export type LockName =
  | "migrate"
  | "planning"
  | "raw import"
  | "refused batch"
  | "past slices"
  | "keywords"
  | "pruning"
  | "replay"
  | "publish"
  | "export"
  | "configuration";

const keyOf = (name: LockName) => sql`hashtext(${`storehouse ${name}`})`;

/** A lock that is not waited for after an abort of `signal`. */
type StoppableLock = { readonly name: LockName; readonly signal: AbortSignal };

/**
 * Does work while no other process holds the lock. `work` gets the connection that holds it: callers that each took a second connection
 * could starve each other. After an abort of the signal the lock is not waited for: throws its reason if the lock is not free.
 */
export function withAdvisoryLock<T>(
  db: Database,
  lock: LockName | StoppableLock,
  work: (db: Database) => Promise<T>,
): Promise<T> {
  const { name, signal } = typeof lock === "string" ? { name: lock, signal: undefined } : lock;
  return db.connection().execute(async (connection) => {
    while (!(await tryTake(connection, name, signal))) signal?.throwIfAborted();
    try {
      return await work(connection);
    } finally {
      await sql`select pg_advisory_unlock(${keyOf(name)})`.execute(connection);
    }
  });
}

/** How long a statement waits for a lock: a long wait would count as a lost connection. */
const waitMs = 2_000;

function waitUnlessAborted(signal: AbortSignal | undefined): number {
  return signal?.aborted ? 1 : waitMs;
}

async function waitAtMost(transaction: Database, ms: number): Promise<void> {
  await sql`select set_config('lock_timeout', ${`${ms}ms`}, true)`.execute(transaction);
}

/**
 * Does work in a transaction that first takes locks, however long other processes hold them: each try to take them has a transaction of its
 * own. After an abort of `signal` they are not waited for: throws its reason if they are not free.
 */
export async function withLocks<T>(
  db: Database,
  { take, signal }: { readonly take: (transaction: Database) => Promise<void>; readonly signal?: AbortSignal },
  work: (transaction: Database) => Promise<T>,
): Promise<T> {
  for (;;) {
    let hasLocks = false;
    try {
      return await db.transaction().execute(async (transaction) => {
        await waitAtMost(transaction, waitUnlessAborted(signal));
        await take(transaction);
        hasLocks = true;
        await waitAtMost(transaction, 0);
        return work(transaction);
      });
    } catch (error) {
      if (hasLocks || !isLockTimeout(error)) throw error;
      signal?.throwIfAborted();
    }
  }
}

/** Takes the lock until it is released; false if another session holds it for the whole wait. */
async function tryTake(connection: Database, name: LockName, signal: AbortSignal | undefined): Promise<boolean> {
  try {
    await connection.transaction().execute(async (transaction) => {
      await waitAtMost(transaction, waitUnlessAborted(signal));
      await sql`select pg_advisory_lock(${keyOf(name)})`.execute(transaction);
    });
    return true;
  } catch (error) {
    if (isLockTimeout(error)) return false;
    throw error;
  }
}

/** Takes the lock until the transaction ends. */
export async function lockUntilCommit(transaction: Database, name: LockName): Promise<void> {
  await sql`select pg_advisory_xact_lock(${keyOf(name)})`.execute(transaction);
}

/** Takes the lock until the transaction ends; others may share it, and none may take it for itself. */
export async function shareUntilCommit(transaction: Database, name: LockName): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(${keyOf(name)})`.execute(transaction);
}

/** Takes the lock until the transaction ends, if no other session holds it now; false if one does. */
export async function tryLockUntilCommit(transaction: Database, name: LockName): Promise<boolean> {
  const { rows } = await sql<{ taken: boolean }>`select pg_try_advisory_xact_lock(${keyOf(name)}) as taken`.execute(
    transaction,
  );
  return rows[0]?.taken === true;
}

/** As `tryLockUntilCommit`, for the lock of this name for one thing. */
export async function tryLockNamed(transaction: Database, name: LockName, thing: string): Promise<boolean> {
  const { rows } = await sql<{
    taken: boolean;
  }>`select pg_try_advisory_xact_lock(${keyOf(name)}, hashtext(${thing})) as taken`.execute(transaction);
  return rows[0]?.taken === true;
}

/**
 * Takes some of the numbered locks of this name until the transaction ends, in the given order, which must be the same in every process.
 */
export async function lockNumbers(transaction: Database, name: LockName, numbers: readonly number[]): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(${keyOf(name)}, number) from unnest(${[...numbers]}::integer[]) as number`.execute(
    transaction,
  );
}

/**
 * Takes the locks of this name for some things, by their names, until the transaction ends; always in the same order, so that no two
 * transactions wait for each other. A shared lock keeps out only those who want it exclusively.
 */
export async function lockNamed(
  transaction: Database,
  name: LockName,
  { of, mode }: { readonly of: readonly string[]; readonly mode: "shared" | "exclusive" },
): Promise<void> {
  const lock = sql.raw(mode === "shared" ? "pg_advisory_xact_lock_shared" : "pg_advisory_xact_lock");
  await sql`
    select ${lock}(${keyOf(name)}, number)
    from   (select distinct hashtext(thing) as number from unnest(${[...of]}::text[]) as thing order by number) as numbers`.execute(
    transaction,
  );
}

/**
 * SQL: shares the lock of this name for a thing until the transaction ends, without waiting; false if another session holds it exclusively,
 * or waits to.
 */
export function shares(name: LockName, thing: SqlFragment): SqlFragment<boolean> {
  return sql<boolean>`pg_try_advisory_xact_lock_shared(${keyOf(name)}, hashtext(${thing}))`;
}

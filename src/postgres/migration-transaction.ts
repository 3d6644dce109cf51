import type { Clock } from "../core/clock.ts";
import { retry } from "../core/retry.ts";
import { isLockTimeout } from "./database-errors.ts";
import type { Database } from "./database.ts";
import { longestLockWait, type LockWait } from "./lock-waits.ts";
import { sql } from "./sql.ts";

/** How a migration waits for locks: the clock, and a function that is called after each try with the awaited lock. */
export type LockWaits = { readonly clock: Clock; readonly onLocked: (wait: LockWait) => void };

/** While a statement waits for a lock, all readers of the table queue behind it: between two tries they can proceed. */
const lockTimeoutMs = 2_000;
const pauseMs = 3_000;
/** How often to check who holds the lock, which cannot be seen after the try. */
const checkEveryMs = 500;

/** All of `work` or nothing; retries while another session has locked what it needs. Needs at least two connections. */
export function migrationTransaction<T>(
  db: Database,
  work: (transaction: Database) => Promise<T>,
  { clock, onLocked }: LockWaits,
): Promise<T> {
  const again = (error: unknown) => isLockTimeout(error);
  return retry({ clock, backoff: { firstMs: pauseMs, longestMs: pauseMs }, again }, async () => {
    const seen: { wait: LockWait | null } = { wait: null };
    try {
      return await db.transaction().execute(async (transaction) => {
        const { rows } = await sql<{ pid: number }>`
          select set_config('lock_timeout', ${`${lockTimeoutMs}ms`}, true), pg_catalog.pg_backend_pid() as pid`.execute(
          transaction,
        );
        await using _ = watchWaits(db, { clock, pid: rows[0]?.pid ?? 0, onWait: (wait) => (seen.wait = wait) });
        return await work(transaction);
      });
    } catch (error) {
      if (isLockTimeout(error) && seen.wait !== null) onLocked(seen.wait);
      throw error;
    }
  });
}

/** Repeatedly reads which lock a session waits for, until disposed. */
function watchWaits(
  db: Database,
  { clock, pid, onWait }: { readonly clock: Clock; readonly pid: number; readonly onWait: (wait: LockWait) => void },
): AsyncDisposable {
  const ended = new AbortController();
  const pause = () => clock.sleep(checkEveryMs, ended.signal).catch(() => undefined);
  async function watching(): Promise<void> {
    for (await pause(); !ended.signal.aborted; await pause()) {
      const { rows } = await sql<{ wait: LockWait | null }>`
        select ${longestLockWait(0, sql`a.pid = ${pid}`)} as wait`.execute(db);
      const wait = rows[0]?.wait ?? null;
      if (wait !== null) onWait(wait);
    }
  }
  // the holder of a lock is only for the report: a problem with the connection also fails the work
  const all = watching().catch(() => undefined);
  return {
    [Symbol.asyncDispose]: async () => {
      ended.abort();
      await all;
    },
  };
}

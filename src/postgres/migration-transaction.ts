import type { Clock } from "../core/clock.ts";
import { retry } from "../core/retry.ts";
import { isLockTimeout } from "./database-errors.ts";
import type { Database } from "./database.ts";
import { schemas } from "./role-statements.ts";
import { sql } from "./sql.ts";

/** A session of another program that has a table of ours locked: its process in Postgres, its role and its name. */
type LockHolder = {
  readonly table: string;
  readonly held_by: number;
  readonly role: string | null;
  readonly program: string | null;
};

/** How a migration waits for locks: by which clock, and who is called with the session that holds one, after each try. */
export type LockWaits = { readonly clock: Clock; readonly onLocked: (holder: LockHolder) => void };

/** While a statement waits for a lock, everyone who reads the table waits behind it: between two tries they get through. */
const lockTimeoutMs = 2_000;
const pauseMs = 3_000;

/**
 * All of `work` or nothing, again and again while another session has locked what it needs. The session that `onLocked` is called with is
 * the one whose statement began first.
 */
export function migrationTransaction<T>(
  db: Database,
  work: (transaction: Database) => Promise<T>,
  { clock, onLocked }: LockWaits,
): Promise<T> {
  const again = (error: unknown) => isLockTimeout(error);
  return retry({ clock, backoff: { firstMs: pauseMs, longestMs: pauseMs }, again }, async () => {
    try {
      return await db.transaction().execute(async (transaction) => {
        await sql`select set_config('lock_timeout', ${`${lockTimeoutMs}ms`}, true)`.execute(transaction);
        return work(transaction);
      });
    } catch (error) {
      const holder = isLockTimeout(error) ? await longestHolder(db) : null;
      if (holder !== null) onLocked(holder);
      throw error;
    }
  });
}

async function longestHolder(db: Database): Promise<LockHolder | null> {
  const { rows } = await sql<LockHolder>`
    select l.relation::regclass::text as "table", l.pid as held_by, a.usename as role, a.application_name as program
    from   pg_catalog.pg_locks as l
    join   pg_catalog.pg_class as c on c.oid = l.relation
    join   pg_catalog.pg_namespace as n on n.oid = c.relnamespace
    join   pg_catalog.pg_stat_activity as a on a.pid = l.pid and a.datname = current_database()
    where  l.granted and n.nspname = any (${schemas}::text[]) and a.application_name <> current_setting('application_name')
    order  by a.query_start
    limit  1`.execute(db);
  return rows[0] ?? null;
}

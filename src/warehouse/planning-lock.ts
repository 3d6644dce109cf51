import { sql } from "kysely";
import type { Database } from "./database.ts";

/**
 * Lets one planner at a time see what is missing and write what it plans, so that no two plan the same cells.
 * `work` is given the connection that holds the lock: planners that all took a second one could starve each other of it.
 */
export async function planningLock<T>(db: Database, work: (db: Database) => Promise<T>): Promise<T> {
  return db.connection().execute(async (connection) => {
    await sql`select pg_advisory_lock(hashtext('storehouse planning'))`.execute(connection);
    try {
      return await work(connection);
    } finally {
      await sql`select pg_advisory_unlock(hashtext('storehouse planning'))`.execute(connection);
    }
  });
}

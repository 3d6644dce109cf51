import { sql } from "./sql.ts";
import type { Database } from "./database.ts";

/**
 * Does work on the shape or the rights of the warehouse while no other process does: `if not exists` does not keep two from making the
 * same thing at once. Takes a connection beside those that the work takes.
 */
export function alone<T>(db: Database, work: () => Promise<T>): Promise<T> {
  return db.connection().execute(async (connection) => {
    await sql`select pg_advisory_lock(hashtext('storehouse migrate'))`.execute(connection);
    try {
      return await work();
    } finally {
      await sql`select pg_advisory_unlock(hashtext('storehouse migrate'))`.execute(connection);
    }
  });
}

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

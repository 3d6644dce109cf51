import { sql } from "kysely";
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

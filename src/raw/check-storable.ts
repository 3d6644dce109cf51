import { randomBytes } from "node:crypto";
import { sql } from "../postgres/sql.ts";
import { databaseOutage, isLostConnection } from "../postgres/database-errors.ts";
import type { Database } from "../postgres/database.ts";

/** Enough to need new pages, and random, so that it cannot be compressed. A megabyte would take Postgres five times as long. */
const triedBytes = 2 ** 17;

/** Rolls back the transaction of the trial. */
class TrialOver extends Error {}

/**
 * Tries to store an answer, and rolls back: reading works on a standby, and writing to pages with free space works on a full disk, so
 * nothing less shows that a paid answer could be stored. Throws `database_read_only`, `database_full` and other outages.
 */
export async function checkStorable(db: Database): Promise<void> {
  try {
    await db.transaction().execute(async (transaction) => {
      await sql`
        insert into raw.answer (request_id, slice_id, attempt, page, operation, body, byte_count, fetched_at)
        values (0, 0, 0, 0, '', ${randomBytes(triedBytes)}, ${triedBytes}, now())`.execute(transaction);
      throw new TrialOver();
    });
  } catch (error) {
    if (error instanceof TrialOver) return;
    throw isLostConnection(error) ? databaseOutage(error) : error;
  }
}

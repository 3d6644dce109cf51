import { randomBytes } from "node:crypto";
import { sql } from "../postgres/sql.ts";
import { databaseOutage, isLostConnection } from "../postgres/database-errors.ts";
import type { Database } from "../postgres/database.ts";

/** As much as a long answer, which random bytes cannot be compressed below. */
const triedBytes = 2 ** 20;

/** Ends the transaction of the trial, so that nothing of it stays. */
class TrialOver extends Error {}

/**
 * Tries to store an answer, and takes it back: reading works on a standby, and writing to pages that have room works on a full disk, so
 * nothing less shows that an answer that is paid for could be kept. Throws `database_read_only`, `database_full` and other outages.
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

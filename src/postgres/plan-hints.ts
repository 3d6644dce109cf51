import type { Database } from "./database.ts";
import { sql } from "./sql.ts";

/**
 * Makes the rest of a transaction find rows by the index of their key, which is right for every batch. With stale statistics a merge may
 * read the whole partition, and the end of an attempt may read every dead entry of other indexes.
 */
export async function findByKey(transaction: Database): Promise<void> {
  await sql`
    select set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
           set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true)`.execute(
    transaction,
  );
}

/**
 * Runs statements that compare a whole list with a whole table, in the caller's transaction. With stale statistics Postgres would compare
 * each row with each.
 */
export async function compareByHash(transaction: Database, work: () => Promise<void>): Promise<void> {
  await sql`set local enable_nestloop = off`.execute(transaction);
  await work();
  await sql`set local enable_nestloop to default`.execute(transaction);
}

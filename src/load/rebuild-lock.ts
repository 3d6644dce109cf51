import { lockNamed, shares } from "../postgres/advisory-lock.ts";
import type { Database } from "../postgres/database.ts";
import { sql } from "../postgres/sql.ts";

/*
 * A replay clears rows of a dataset and rebuilds them from older answers, in one transaction. The statements of a load that close or delete
 * rows would wait for the cleared ones, and after the commit would find them gone and not see those that replaced them: a member that left
 * would be current again. So both take a lock before they write, and neither sees the other half done.
 */

/** Keeps replays of datasets out until the transaction of a load ends. Waits for them: to be called in `take` of `withLocks`. */
export async function keepReplaysOut(transaction: Database, datasets: Iterable<string>): Promise<void> {
  await lockNamed(transaction, "replay", { of: [...datasets], mode: "shared" });
}

/**
 * The same without waiting. Returns the datasets that a replay rebuilds, or is about to: their answers must not be loaded now. To be called
 * before the transaction locks any row.
 */
export async function tryKeepReplaysOut(
  transaction: Database,
  datasets: Iterable<string>,
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ dataset: string }>`
    select dataset from unnest(${[...datasets]}::text[]) as d (dataset) where not ${shares("replay", sql`dataset`)}`.execute(
    transaction,
  );
  return new Set(rows.map(({ dataset }) => dataset));
}

/** Keeps loads of a dataset out until the transaction of a replay ends. Waits for them: to be called in `take` of `withLocks`. */
export async function keepLoadsOut(transaction: Database, dataset: string): Promise<void> {
  await lockNamed(transaction, "replay", { of: [dataset], mode: "exclusive" });
}

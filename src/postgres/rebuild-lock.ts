import { lockNamed, shares } from "./advisory-lock.ts";
import type { Database } from "./database.ts";
import { sql, type SqlFragment } from "./sql.ts";

/*
 * A replay clears rows of a dataset and rebuilds them from older answers, in one transaction. The statements of a load that close or delete
 * rows would wait for the cleared ones, and after the commit would find them gone and not see those that replaced them: a member that left
 * would be current again. So both take a lock before they write, and neither sees the other half done.
 */

/** A replay rebuilds this many parts of a dataset at once, each in a transaction with a lock of its own. */
export const rebuildLanes = 2;

const lanes = Array.from({ length: rebuildLanes }, (_, lane) => lane);

function lockOf(dataset: string, lane: number): string {
  return `${dataset} ${lane}`;
}

/** Keeps replays of datasets out until the transaction of a load ends. Waits for them: to be called in `take` of `withLocks`. */
export async function keepReplaysOut(transaction: Database, datasets: Iterable<string>): Promise<void> {
  await lockNamed(transaction, "replay", {
    of: [...datasets].flatMap((dataset) => lanes.map((lane) => lockOf(dataset, lane))),
    mode: "shared",
  });
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
    select dataset from unnest(${[...datasets]}::text[]) as d (dataset) where not ${keepsReplaysOut(sql`dataset`)}`.execute(
    transaction,
  );
  return new Set(rows.map(({ dataset }) => dataset));
}

/** SQL: the same for one dataset; false if a replay rebuilds it, or is about to. */
export function keepsReplaysOut(dataset: SqlFragment): SqlFragment<boolean> {
  return sql<boolean>`(${sql.join(
    lanes.map((lane) => shares("replay", sql`${dataset} || ${lockOf("", lane)}`)),
    sql` and `,
  )})`;
}

/** Keeps loads of a dataset out until the transaction of a replay ends. Waits for them: to be called in `take` of `withLocks`. */
export async function keepLoadsOut(transaction: Database, dataset: string, lane: number): Promise<void> {
  await lockNamed(transaction, "replay", { of: [lockOf(dataset, lane)], mode: "exclusive" });
}

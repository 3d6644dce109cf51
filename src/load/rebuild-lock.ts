import { lockNamed } from "../postgres/advisory-lock.ts";
import type { Database } from "../postgres/database.ts";

/*
 * A replay clears rows of a dataset and rebuilds them from older answers, in one transaction. The statements of a load that close or delete
 * rows would wait for the cleared ones, and after the commit would find them gone and not see those that replaced them: a member that left
 * would be current again. So both take a lock before they write, and neither sees the other half done.
 */

/** Keeps replays of datasets out until the transaction of a load ends. To be called before the transaction locks any row. */
export async function keepReplaysOut(transaction: Database, datasets: Iterable<string>): Promise<void> {
  await lockNamed(transaction, "replay", { of: [...datasets], mode: "shared" });
}

/** Keeps loads of a dataset out until the transaction of a replay ends. To be called before the transaction locks any row. */
export async function keepLoadsOut(transaction: Database, dataset: string): Promise<void> {
  await lockNamed(transaction, "replay", { of: [dataset], mode: "exclusive" });
}

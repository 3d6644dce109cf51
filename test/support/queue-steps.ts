import type { Slice, SliceDraft } from "../../src/core/slice.ts";
import { claimAll, type Taker } from "../../src/ledger/queue.ts";
import { enqueueWithin } from "../../src/ledger/runs.ts";
import type { Database } from "../../src/postgres/database.ts";

/** Starts an attempt of one slice; null when it is not available (done, not due, or in another queue). */
export async function claim(db: Database, sliceId: string, taker: Taker, now: number): Promise<Slice | null> {
  return (await claimAll(db, [sliceId], taker, now)).get(sliceId) ?? null;
}

/** Writes planned slices into the queue of their run, in a transaction of its own; returns how many are new. */
export async function enqueue(
  db: Database,
  runId: string,
  drafts: readonly SliceDraft[],
  now: number,
): Promise<number> {
  return db.transaction().execute((transaction) => enqueueWithin(transaction, runId, drafts, now));
}

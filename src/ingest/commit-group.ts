import type { Clock } from "../core/clock.ts";
import { endAttempts, type Ending } from "../ledger/slices.ts";
import type { Database } from "../warehouse/database.ts";
import type { Dimensions } from "../warehouse/dimensions.ts";
import type { CrashHook } from "./crash-point.ts";
import { planAfter } from "./plan-after.ts";
import { byKey, forgetRejects, writeSlices, type SliceLoad } from "./slice-load.ts";

/** A slice that is ready to be committed: what it loads and how it ends. */
export type GroupMember = { readonly load: SliceLoad; readonly ending: Ending };

type Parts = {
  readonly db: Database;
  readonly dimensions: Dimensions;
  readonly clock: Clock;
  readonly queueId: string;
  readonly retryMs: number;
  readonly at?: CrashHook | undefined;
};

/**
 * Commits rows, rejects, drift and outcomes of different slices in one transaction, so that rows and outcome of each are there
 * together or not at all; so is the next look at what is due. A member that was taken over is left out, rows and all. True for each
 * that was not.
 */
export function commitGroup(
  { db, dimensions, clock, queueId, retryMs, at }: Parts,
  members: readonly GroupMember[],
): Promise<readonly boolean[]> {
  return db.transaction().execute(async (transaction) => {
    await byKey(transaction);
    // first, so that the slices' rows are locked: a worker that took one over waits or has won already
    const ended = await endAttempts(
      transaction,
      members.map(({ load, ending }) => ({ slice: load.slice, ending })),
      clock.now(),
    );
    const mine = members.filter(({ load }) => ended.has(load.slice.sliceId)).map(({ load }) => load);
    for (const _ of mine) await at?.("in the load");
    await forgetRejects(
      transaction,
      mine.filter(({ slice }) => slice.attempt > 1),
    );
    if (mine.length > 0) await writeSlices(transaction, { dimensions }, mine);
    await planAfter(
      transaction,
      { clock, queueId, retryMs },
      mine.map(({ slice }) => slice),
    );
    return members.map(({ load }) => ended.has(load.slice.sliceId));
  });
}

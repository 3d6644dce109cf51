import { setImmediate as nextTurn } from "node:timers/promises";
import { unexpected } from "../core/errors.ts";
import type { Slice } from "../core/slice.ts";
import { databaseOutage, isLostConnection, isPassing } from "../postgres/database-errors.ts";
import type { IngestParts } from "./ingest-parts.ts";
import { createNextSlices } from "./next-slices.ts";
import { runSlice } from "./run-slice.ts";

/** Runs the slices of this process's queue concurrently. */
export type SliceRunner = {
  /** Checks for pending slices now. */
  readonly wake: () => void;
  /** Resolves when no slice runs any more; to be called after `halted`. Calls still under way after `graceMs` are aborted. */
  readonly stop: () => Promise<void>;
};

/** Slices are claimed in batches, when a quarter of the places is free: a separate claim per slice would cost as much as its rows. */
const freeShare = 4;
/** The smallest batch, or half of all places if that is fewer. */
const enoughFree = 4;

/**
 * Runs slices of this process's queue in order, until `halted`: at most `count` that wait for answers, plus as many waiting for their
 * commit as claimed-slices.ts allows. A slice is claimed only when it can start, so that a stop has little to release. If the database
 * stays unreachable, the whole process is aborted.
 */
export function startSliceRunner(
  parts: IngestParts,
  { count, graceMs }: { readonly count: number; readonly graceMs: number },
): SliceRunner {
  const { clock, halted, claimedSlices } = parts;
  const cut = new AbortController();
  // a stop aborts calls that are not sent yet; those under way are aborted when the grace period is over
  const signals = { unsent: AbortSignal.any([cut.signal, halted]), underWay: cut.signal };
  const running = new Set<Promise<void>>();
  /** Attempts by slice: a slice that became pending may be claimed again before the end of its earlier attempt is noted here. */
  const attempts = new Map<string, number>();
  const queue = createNextSlices(parts);
  let awake = Promise.withResolvers<void>();
  const wake = () => {
    queue.changed();
    awake.resolve();
  };
  halted.addEventListener("abort", wake, { once: true });

  function take(slice: Slice): void {
    attempts.set(slice.sliceId, (attempts.get(slice.sliceId) ?? 0) + 1);
    claimedSlices.start(slice.sliceId);
    const work = runSlice(parts, slice, signals)
      .catch((error: unknown) => releaseSlice(slice, error))
      .finally(() => {
        running.delete(work);
        endAttempt(slice);
      });
    running.add(work);
  }

  function endAttempt({ sliceId }: Slice): void {
    const left = (attempts.get(sliceId) ?? 1) - 1;
    if (left > 0) attempts.set(sliceId, left);
    else {
      attempts.delete(sliceId);
      claimedSlices.end(sliceId);
    }
  }

  /**
   * Called when the end of a slice could not be written: releases the slice if the error may pass, since any other would recur.
   */
  function releaseSlice({ sliceId }: Slice, error: unknown): void {
    if (isLostConnection(error) || isPassing(error)) queue.lost(sliceId);
    else parts.abort(unexpected(error, parts.scrub));
  }

  function free(): number {
    return Math.max(0, count - claimedSlices.coming());
  }

  async function untilFree(): Promise<void> {
    const wanted = Math.min(Math.ceil(count / 2), Math.max(enoughFree, Math.ceil(count / freeShare)));
    while (free() < wanted) await claimedSlices.changed();
  }

  async function idle(): Promise<void> {
    const waking = new AbortController();
    void awake.promise.then(() => waking.abort());
    await clock.sleep(queue.nextCheckMs(), waking.signal).catch(() => undefined);
    // the clock of a test does not wait: without this nothing else would run
    await nextTurn();
  }

  async function feed(): Promise<void> {
    while (!halted.aborted) {
      const most = free();
      awake = Promise.withResolvers();
      const slices = await queue.claim(most);
      for (const slice of slices) take(slice);
      if (slices.length < most) await idle();
      else await untilFree();
    }
  }

  const feeding = feed().catch((error: unknown) =>
    parts.abort(
      isLostConnection(error)
        ? databaseOutage(error, "the connection broke while slices were claimed")
        : unexpected(error, parts.scrub),
    ),
  );
  return {
    wake,
    stop: async () => {
      const grace = AbortSignal.timeout(graceMs);
      grace.addEventListener("abort", () => cut.abort(), { once: true });
      await feeding;
      await Promise.allSettled(running);
      await queue.ended();
    },
  };
}

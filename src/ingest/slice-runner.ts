import { setImmediate as nextTurn } from "node:timers/promises";
import { unexpected } from "../core/errors.ts";
import type { Slice } from "../core/slice.ts";
import { claimNext, gatherStatistics, releaseOrphanedClaims, wakeDue } from "../ledger/queue.ts";
import { databaseOutage, isLostConnection, isPassing } from "../postgres/database-errors.ts";
import type { IngestParts } from "./ingest-parts.ts";
import { longestRetryMs, retryDatabase } from "./retry-database.ts";
import { runSlice } from "./run-slice.ts";

/** Runs the slices of this process's queue side by side. */
export type SliceRunner = {
  /** Checks for pending slices at once. */
  readonly wake: () => void;
  /** Resolves when no slice runs any more; to be called after the stop was signalled. What is under way after `graceMs` is cut. */
  readonly stop: () => Promise<void>;
};

/** Slices are claimed together once one part in so many is free: a statement for each slice would cost as much as its rows. */
const freeShare = 4;
/** So many are claimed together at least, or half of all that may run where that is fewer. */
const enoughFree = 4;

/**
 * Runs slices of this process's queue in the order of their turn, until `halted`: at most `count` that are on their way, and beside them
 * as many as wait for their commit (claimed-slices.ts says how many may). Slices are claimed by the chunk and none ahead of being run, so that a
 * stop has little to release. When the database stays unreachable it aborts everything.
 */
export function startSliceRunner(
  parts: IngestParts,
  { count, graceMs }: { readonly count: number; readonly graceMs: number },
): SliceRunner {
  const { clock, halted, claimedSlices } = parts;
  const cut = new AbortController();
  // a call that is not sent yet is given back as soon as everything is to stop; one that is under way has until the grace is over
  const signals = { unsent: AbortSignal.any([cut.signal, halted]), underWay: cut.signal };
  const running = new Set<Promise<void>>();
  const queue = createNextSlices(parts);
  let awake = Promise.withResolvers<void>();
  const wake = () => {
    queue.changed();
    awake.resolve();
  };
  halted.addEventListener("abort", wake, { once: true });

  function take(slice: Slice): void {
    claimedSlices.start(slice.sliceId);
    const work = runSlice(parts, slice, signals)
      .catch(releaseSlice)
      .finally(() => {
        running.delete(work);
        claimedSlices.end(slice.sliceId);
      });
    running.add(work);
  }

  /** The end of a slice could not be written. If the database was lost, the slice is released; any other error would recur for ever. */
  function releaseSlice(error: unknown): void {
    if (isLostConnection(error) || isPassing(error)) queue.lost();
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
    // with a clock that does not wait, nothing else would run
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
    },
  };
}

/** The slices that this process runs next. */
type NextSlices = {
  /** Claims the next ones, at most `most`; waits through an outage of the database as long as other work does. */
  readonly claim: (most: number) => Promise<readonly Slice[]>;
  /** To be called when a slice's end could not be written: the slice is released. */
  readonly lost: () => void;
  /** To be called when another process may have queued slices: what is due is read anew. */
  readonly changed: () => void;
  /** How long to wait when there is nothing to claim, in ms. */
  readonly nextCheckMs: () => number;
};

/** How often the queue is checked for slices that are due, while some run. */
const slowestCheckMs = 3_000;
const quickestCheckMs = 50;
/** While none runs the next one that is due is known, and what is queued is announced; a check after so many first retries finds what was missed. */
const idleRetries = 30;
const longestIdleMs = 30_000;
/** How often slices outside of the queue are searched for: the shortest distance between two tries of a failed one is minutes. */
const leftOverCheckMs = 120_000;
/** A ledger of which most was deleted has fewer slices than pages for good. */
const gatherAgainMs = 120_000;

/** The wait between two checks, in ms; a longer one than the shortest retry would delay every retry. */
function checkEveryMs(retryMs: number): number {
  return Math.min(slowestCheckMs, Math.max(quickestCheckMs, retryMs));
}

/** Opens the queue of this process. */
function createNextSlices(parts: IngestParts): NextSlices {
  const { db, clock, queueId, workerId, claimedSlices } = parts;
  const taker = { queueId, workerId };
  let hasSuspects = false;
  /** A suspect that runs, and nothing beside it. */
  let suspectId: string | null = null;
  let nextDueAt: number | null = null;
  // false while a slice runs: it may end by waiting, and its time may then be the next one
  let isNextKnown = false;
  let wakeAt = Number.NEGATIVE_INFINITY;
  let leftOverAt = Number.NEGATIVE_INFINITY;
  let gatherAt = Number.NEGATIVE_INFINITY;
  let orphanChecks: readonly number[] = [];

  /** The server may still be executing a claim whose reply was lost: orphaned claims are released now, and when it has ended for certain. */
  function lost(): void {
    orphanChecks = [clock.now(), clock.now() + longestRetryMs(parts.retryMs)];
  }

  async function releaseOrphans(now: number): Promise<void> {
    const found = await releaseOrphanedClaims(db, taker, claimedSlices.ids());
    orphanChecks = orphanChecks.filter((at) => at > now);
    if (found > 0) parts.log.warn({ slices: found }, "queue.orphaned_claims");
  }

  /** Without statistics claims are slow, and no more than that. */
  async function gather(now: number): Promise<void> {
    gatherAt = now + gatherAgainMs;
    await gatherStatistics(db).catch((error: unknown) => {
      if (isLostConnection(error)) throw error;
      parts.log.warn({ problem: parts.scrub(String(error)) }, "queue.no_statistics");
    });
  }

  async function claimOnce(most: number): Promise<readonly Slice[]> {
    const now = clock.now();
    if (orphanChecks.some((at) => at <= now)) await releaseOrphans(now);
    if (now >= leftOverAt) {
      await parts.queueLeftOver?.();
      leftOverAt = now + leftOverCheckMs;
    }
    if (suspectId !== null && claimedSlices.ids().includes(suspectId)) return [];
    if (now >= wakeAt) {
      isNextKnown = claimedSlices.ids().length === 0;
      const found = await wakeDue(db, queueId, now);
      ({ suspects: hasSuspects, nextDueAt } = found);
      wakeAt = now + checkEveryMs(parts.retryMs);
      if (!found.ready) return [];
      if (found.hasStaleStatistics && now >= gatherAt) await gather(now);
    }
    const claimed = hasSuspects ? await claimAlone(most, now) : await claimNext(db, taker, most, now);
    if (claimed.length > 0) isNextKnown = false;
    return claimed;
  }

  /** One at a time and no other beside it: if the process dies once more, the slice that killed it is known. */
  async function claimAlone(most: number, now: number): Promise<readonly Slice[]> {
    if (claimedSlices.ids().length > 0) return [];
    const [suspect] = await claimNext(db, taker, 1, now, "suspect");
    suspectId = suspect?.sliceId ?? null;
    if (suspect !== undefined) return [suspect];
    hasSuspects = false;
    return claimNext(db, taker, most, now);
  }

  return {
    claim: (most) =>
      retryDatabase(parts, async () => {
        try {
          return await claimOnce(most);
        } catch (error) {
          if (isLostConnection(error)) lost();
          throw error;
        }
      }),
    lost,
    changed: () => (wakeAt = Number.NEGATIVE_INFINITY),
    nextCheckMs: () => {
      const oftenMs = checkEveryMs(parts.retryMs);
      if (!isNextKnown || hasSuspects || orphanChecks.length > 0) return oftenMs;
      const dueMs = (nextDueAt ?? Number.POSITIVE_INFINITY) - clock.now();
      const idleMs = Math.min(longestIdleMs, idleRetries * parts.retryMs);
      return Math.max(oftenMs, Math.min(dueMs, idleMs));
    },
  };
}

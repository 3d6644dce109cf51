import { addDays, dayOf, startOfDay } from "../core/day.ts";
import type { Slice } from "../core/slice.ts";
import { claimNext, gatherStatistics, releaseOrphanedClaims, wakeDue } from "../ledger/queue.ts";
import { isLostConnection } from "../postgres/database-errors.ts";
import type { IngestParts } from "./ingest-parts.ts";
import { longestRetryMs, retryDatabase, type RetryParts } from "./retry-database.ts";

/** The queue of a process as its runner sees it. */
export type NextSlices = {
  /** Claims at most `most` slices; retries through an outage of the database. */
  readonly claim: (most: number) => Promise<readonly Slice[]>;
  /** To be called when the end of a slice could not be written: its claim is released. */
  readonly lost: (sliceId: string) => void;
  /** To be called when no slice runs any more: releases claims once more, if the end of a slice could not be written. */
  readonly ended: () => Promise<void>;
  /** To be called when another process may have queued slices: the next claim reads the state of the queue. */
  readonly changed: () => void;
  /** How long to wait when there is nothing to claim, in ms. */
  readonly nextCheckMs: () => number;
};

/** How often the queue is checked for due slices while some run: their next due time is not known until they end. */
const slowestCheckMs = 3_000;
const quickestCheckMs = 250;
/** The soonest check for a slice whose due time is known. */
const soonestDueMs = 50;
/**
 * While none runs, the next due time is known and new slices are announced: a check is only a fallback, after this many times the first
 * retry.
 */
const idleRetries = 30;
const longestIdleMs = 30_000;
/**
 * How often orphaned slices and due retries are moved to the queue: retries are minutes apart. As often, the slices that run under the number
 * of this process are compared with those that it runs.
 */
const leftOverCheckMs = 120_000;
/** Statistics are gathered again after this time at the earliest: a ledger whose rows were mostly deleted always seems stale. */
const gatherAgainMs = 120_000;

/** The wait between two checks, in ms: at most the first retry, which a longer wait would delay. */
function checkEveryMs(retryMs: number): number {
  return Math.min(slowestCheckMs, Math.max(quickestCheckMs, retryMs));
}

/** What the queue of a process needs. */
type QueueParts = RetryParts &
  Pick<IngestParts, "db" | "queueId" | "workerId" | "claimedSlices" | "log" | "scrub" | "queueLeftOver">;

/** Opens the queue of a process. The queue is checked from time to time, and at once after `changed`. */
export function createNextSlices(parts: QueueParts): NextSlices {
  const { db, clock, queueId, workerId, claimedSlices } = parts;
  const taker = { queueId, workerId };
  let hasSuspects = false;
  /** The suspect that is running alone. */
  let suspectId: string | null = null;
  let nextDueAt: number | null = null;
  // false while a slice runs: it may be deferred, and its time may then be the next one
  let isNextKnown = false;
  let wakeAt = Number.NEGATIVE_INFINITY;
  let leftOverAt = Number.NEGATIVE_INFINITY;
  let gatherAt = Number.NEGATIVE_INFINITY;
  let orphanChecks: readonly number[] = [];
  /** What broken connections have left: slices whose end could not be written, and the first claim without a reply. */
  const unwritten = new Set<string>();
  let unansweredFrom = Number.POSITIVE_INFINITY;

  /**
   * The server may still execute a claim whose reply was lost: orphaned claims are released now, and again when that claim must have ended.
   */
  function checkOrphans(): void {
    orphanChecks = [clock.now(), clock.now() + longestRetryMs(parts.retryMs)];
  }

  /** Only called between two claims: every slice of an earlier claim that has a reply is among the claimed ones. */
  async function releaseOrphans(now: number): Promise<void> {
    const found = await releaseOrphanedClaims(db, taker, claimedSlices.ids());
    const ofBroken = found.filter(({ sliceId, startedAt }) => unwritten.has(sliceId) || startedAt >= unansweredFrom);
    orphanChecks = orphanChecks.filter((at) => at > now);
    if (orphanChecks.length === 0) {
      unwritten.clear();
      unansweredFrom = Number.POSITIVE_INFINITY;
    }
    if (found.length === 0) return;
    wakeAt = Number.NEGATIVE_INFINITY;
    if (ofBroken.length > 0) parts.log.warn({ slices: ofBroken.length }, "queue.orphaned_claims");
    const lostEnds = found.length - ofBroken.length;
    if (lostEnds > 0) parts.log.warn({ slices: lostEnds }, "queue.ends_lost");
  }

  /** An error is only logged: without statistics claims are slow, but right. */
  async function gather(now: number): Promise<void> {
    gatherAt = now + gatherAgainMs;
    await gatherStatistics(db).catch((error: unknown) => {
      if (isLostConnection(error)) throw error;
      parts.log.warn({ problem: parts.scrub(String(error)) }, "queue.no_statistics");
    });
  }

  /** How long until the next slice is due, in ms; one that is due already is held by another session, and checked as often as any. */
  function untilDue(now: number): number {
    if (nextDueAt === null) return Number.POSITIVE_INFINITY;
    return nextDueAt > now ? Math.max(soonestDueMs, nextDueAt - now) : checkEveryMs(parts.retryMs);
  }

  async function claimOnce(most: number, now: number): Promise<readonly Slice[]> {
    if (now >= leftOverAt || orphanChecks.some((at) => at <= now)) await releaseOrphans(now);
    if (now >= leftOverAt) {
      await parts.queueLeftOver?.();
      // at midnight days may no longer be kept: nothing is claimed for them from then on
      leftOverAt = Math.min(now + leftOverCheckMs, startOfDay(addDays(dayOf(now), 1)));
    }
    if (suspectId !== null && claimedSlices.ids().includes(suspectId)) return [];
    if (now >= wakeAt) {
      isNextKnown = claimedSlices.ids().length === 0;
      const found = await wakeDue(db, queueId, now);
      ({ suspects: hasSuspects, nextDueAt } = found);
      wakeAt = now + (isNextKnown ? Math.min(untilDue(now), checkEveryMs(parts.retryMs)) : checkEveryMs(parts.retryMs));
      if (!found.ready) return [];
      if (found.hasStaleStatistics && now >= gatherAt) await gather(now);
    }
    const claimed = hasSuspects ? await claimAlone(most, now) : await claimNext(db, taker, { most, now });
    if (claimed.length > 0) isNextKnown = false;
    return claimed;
  }

  /** Claims a suspect once nothing else runs: if the process dies again, this slice was the cause. */
  async function claimAlone(most: number, now: number): Promise<readonly Slice[]> {
    if (claimedSlices.ids().length > 0) return [];
    const [suspect] = await claimNext(db, taker, { most: 1, now, sort: "suspect" });
    suspectId = suspect?.sliceId ?? null;
    if (suspect !== undefined) return [suspect];
    hasSuspects = false;
    return claimNext(db, taker, { most, now });
  }

  return {
    claim: (most) =>
      retryDatabase(parts, async () => {
        const now = clock.now();
        try {
          return await claimOnce(most, now);
        } catch (error) {
          if (isLostConnection(error)) {
            unansweredFrom = Math.min(unansweredFrom, now);
            checkOrphans();
          }
          throw error;
        }
      }),
    lost: (sliceId) => {
      unwritten.add(sliceId);
      checkOrphans();
    },
    ended: async () => {
      // otherwise the next check by another process treats them as slices of a dead process
      if (orphanChecks.length > 0) await releaseOrphans(clock.now()).catch(() => undefined);
    },
    changed: () => (wakeAt = Number.NEGATIVE_INFINITY),
    nextCheckMs: () => {
      const oftenMs = checkEveryMs(parts.retryMs);
      if (!isNextKnown || hasSuspects || orphanChecks.length > 0) return oftenMs;
      return Math.min(untilDue(clock.now()), Math.max(oftenMs, Math.min(longestIdleMs, idleRetries * parts.retryMs)));
    },
  };
}

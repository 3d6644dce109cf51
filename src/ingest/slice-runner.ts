import { setImmediate as nextTurn } from "node:timers/promises";
import { fail, type StorehouseError } from "../core/errors.ts";
import type { Slice } from "../core/slice.ts";
import { anySuspect, claimNext, giveBackStrays, wakeDue } from "../ledger/queue.ts";
import { isLostConnection, isPassing } from "../postgres/database-errors.ts";
import type { IngestParts } from "./ingest-parts.ts";
import { outageMs, retryDatabase } from "./retry-database.ts";
import { runSlice } from "./run-slice.ts";

/** SliceRunner that run slices side by side. */
export type SliceRunner = {
  /** Looks for work at once. */
  readonly wake: () => void;
  /** Resolves when nothing runs any more; to be called once everything was told to stop. What is under way after `patienceMs` is cut. */
  readonly stop: () => Promise<void>;
};

/** Slices are taken together once so large a share of the hands is free: a statement for each alone would cost as much as its rows. */
const freeShare = 4;

/**
 * Runs slices of this process's queue, `count` at a time at most, in their turn, until everything is to stop. Slices are claimed by the
 * chunk and none ahead of being run, so that a stop leaves little to give back. When the database stays away it stops everything itself.
 */
export function startSliceRunner(
  parts: IngestParts,
  { count, patienceMs }: { readonly count: number; readonly patienceMs: number },
): SliceRunner {
  const { clock, halted } = parts;
  const cut = new AbortController();
  const inHands = new Map<string, Promise<void>>();
  const queue = createNextSlices(parts, () => [...inHands.keys()]);
  let awake = Promise.withResolvers<void>();
  let ended = Promise.withResolvers<void>();
  const wake = () => awake.resolve();
  halted.addEventListener("abort", wake, { once: true });

  function take(slice: Slice): void {
    const work = runSlice(parts, slice, cut.signal)
      .catch(letGo)
      .finally(() => {
        inHands.delete(slice.sliceId);
        ended.resolve();
      });
    inHands.set(slice.sliceId, work);
  }

  /** The end of a slice could not be written. What a lost database explains is given back; anything else would happen for ever. */
  function letGo(error: unknown): void {
    if (isLostConnection(error) || isPassing(error)) queue.lost();
    else parts.abort(broken(error));
  }

  function broken(error: unknown): StorehouseError {
    return fail("unexpected", { problem: parts.scrub(String(error)).slice(0, 300) }, error);
  }

  async function someEnd(most: number): Promise<void> {
    while (inHands.size > most) {
      ended = Promise.withResolvers();
      await ended.promise;
    }
  }

  async function idle(): Promise<void> {
    const waking = new AbortController();
    void awake.promise.then(() => waking.abort());
    await clock.sleep(lookEvery(parts.retryMs), waking.signal).catch(() => undefined);
    // a clock that does not wait would keep everything else from its turn
    await nextTurn();
  }

  async function feed(): Promise<void> {
    while (!halted.aborted) {
      const free = count - inHands.size;
      awake = Promise.withResolvers();
      const slices = await queue.claim(free);
      for (const slice of slices) take(slice);
      if (slices.length < free) await idle();
      else await someEnd(count - Math.ceil(count / freeShare));
    }
  }

  const feeding = feed().catch((error: unknown) =>
    parts.abort(isLostConnection(error) ? unreachable(error) : broken(error)),
  );
  return {
    wake,
    stop: async () => {
      const patience = AbortSignal.timeout(patienceMs);
      patience.addEventListener("abort", () => cut.abort(), { once: true });
      await feeding;
      await Promise.allSettled(inHands.values());
    },
  };
}

function unreachable(error: unknown): StorehouseError {
  return fail("database_unreachable", { problem: "the connection broke while slices were claimed" }, error);
}

/** The slices that this process is to run next. */
type NextSlices = {
  /** Claims the next ones, `most` of them or fewer; through an outage of the database, as long as work waits for one. */
  readonly claim: (most: number) => Promise<readonly Slice[]>;
  /** To be told when a slice was let go of without its end being written: it is given back. */
  readonly lost: () => void;
};

/** How often slices are looked for whose time has come. */
const slowestLookMs = 1_000;
const quickestLookMs = 50;

/** The wait between two looks, in ms; looking more seldom than the shortest wait would make every wait longer. */
function lookEvery(retryMs: number): number {
  return Math.min(slowestLookMs, Math.max(quickestLookMs, retryMs));
}

/** Opens the queue of this process. `inHands` tells the slices that it runs now. */
function createNextSlices(parts: IngestParts, inHands: () => readonly string[]): NextSlices {
  const { db, clock, queueId, workerId } = parts;
  const taker = { queueId, workerId };
  let suspects = false;
  let wakeAt = Number.NEGATIVE_INFINITY;
  let strayLooks: readonly number[] = [];

  /** The server may still be at work on a claim whose reply is lost: once at once, and once when it has ended for certain. */
  function lost(): void {
    strayLooks = [clock.now(), clock.now() + outageMs(parts.retryMs)];
  }

  async function findStrays(now: number): Promise<void> {
    const found = await giveBackStrays(db, taker, inHands());
    strayLooks = strayLooks.filter((look) => look > now);
    if (found > 0) parts.log.warn({ slices: found }, "queue.orphaned_claims");
  }

  async function claimOnce(most: number): Promise<readonly Slice[]> {
    const now = clock.now();
    if (strayLooks.some((look) => look <= now)) await findStrays(now);
    if (now >= wakeAt) {
      await wakeDue(db, queueId, now);
      suspects = await anySuspect(db, queueId);
      wakeAt = now + lookEvery(parts.retryMs);
    }
    return suspects ? claimAlone(most, now) : claimNext(db, taker, most, now);
  }

  /** One at a time and nothing beside it: when the process ends once more, it is known which slice ends it. */
  async function claimAlone(most: number, now: number): Promise<readonly Slice[]> {
    if (inHands().length > 0) return [];
    const alone = await claimNext(db, taker, 1, now, "suspect");
    if (alone.length > 0) return alone;
    suspects = false;
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
  };
}

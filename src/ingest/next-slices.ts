import type { Slice } from "../core/slice.ts";
import { anySuspect, claimNext, giveBackStrays, wakeDue } from "../ledger/queue.ts";
import { isLostConnection } from "../warehouse/database-errors.ts";
import { outageMs, throughOutage } from "./outage.ts";
import type { IngestParts } from "./parts.ts";

/** The slices that this process is to run next. */
export type NextSlices = {
  /** Claims the next ones, `most` of them or fewer; through an outage of the database, as long as work waits for one. */
  readonly claim: (most: number) => Promise<readonly Slice[]>;
  /** To be told when a slice was let go of without its end being written: it is given back. */
  readonly lost: () => void;
};

/** How often slices are looked for whose time has come. */
const slowestLookMs = 1_000;
const quickestLookMs = 50;

/** The wait between two looks, in ms; looking more seldom than the shortest wait would make every wait longer. */
export function lookEvery(retryMs: number): number {
  return Math.min(slowestLookMs, Math.max(quickestLookMs, retryMs));
}

/** Opens the queue of this process. `inHands` tells the slices that it runs now. */
export function createNextSlices(parts: IngestParts, inHands: () => readonly string[]): NextSlices {
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
    if (found > 0) parts.log.warn({ slices: found }, "queue.strays");
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
      throughOutage(parts, async () => {
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

import type { Queryable } from "../postgres/sql.ts";
import { createBatcher } from "../core/batcher.ts";
import type { Clock } from "../core/clock.ts";
import { releaseDead, type Holders } from "./dead-holds.ts";
import { areAlike, releaseExpired, reserveMany, settle, type End, type Grant, type Wish } from "./holds.ts";

/** Holds that calls under way at the same time take and end together: one statement for all that are alike. */
export interface SharedHolds {
  /** Leave for one call; null when it is not granted. Who came first is granted first. */
  reserve(wish: Wish): Promise<Grant | null>;
  /** Ends a hold and books what its call cost. */
  settle(end: End): Promise<void>;
}

/** No more than this wait for one statement. */
const mostAtOnce = 100;
/** Lapsed holds matter where credits run short, and so do they after this. */
const releaseEveryMs = 10_000;

/** Opens the holds of a process on its account. `pace` in requests a second. */
export function createSharedHolds(options: {
  readonly db: Queryable;
  readonly accountId: string;
  readonly clock: Clock;
  readonly pace: number;
  readonly holders: Holders;
}): SharedHolds {
  const { db, accountId, clock, pace, holders } = options;
  let releasedAt = Number.NEGATIVE_INFINITY;

  async function release(): Promise<void> {
    releasedAt = clock.now();
    await releaseDead(db, { accountId, holders }, clock);
    await releaseExpired(db, accountId, clock);
  }

  async function grant(wishes: readonly Wish[]): Promise<readonly Grant[]> {
    if (clock.now() - releasedAt >= releaseEveryMs) await release();
    const grants = await reserveMany(db, wishes, clock);
    if (grants.length > 0 || releasedAt === clock.now()) return grants;
    // before all are refused, what dead workers hold is let go
    await release();
    return reserveMany(db, wishes, clock);
  }

  return {
    reserve: createBatcher({
      most: mostAtOnce,
      alike: (a: Wish, b: Wish) => a.class === b.class && a.cost === b.cost && a.floor === b.floor,
      flush: async (wishes) => {
        const grants = await grant(wishes);
        return wishes.map((_, place) => grants[place] ?? null);
      },
    }),
    settle: createBatcher({
      most: mostAtOnce,
      alike: areAlike,
      flush: async (ends: readonly End[]) => {
        await settle(db, { accountId, ends, pace }, clock);
        return ends.map(() => undefined);
      },
    }),
  };
}

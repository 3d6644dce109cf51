import type { Queryable } from "../postgres/sql.ts";
import { createBatcher } from "../core/batcher.ts";
import type { Clock } from "../core/clock.ts";
import { releaseLapsedHolds, type Holders } from "./lapsed-holds.ts";
import { canShareStatement, reserveMany, settle, type Settlement, type Grant, type CreditRequest } from "./holds.ts";

/** Takes and settles the holds of concurrent calls together: one statement for all that are alike. */
export interface SharedHolds {
  /** A grant for one call; null if it is refused. Requests are granted in the order in which they came. */
  reserve(request: CreditRequest): Promise<Grant | null>;
  /** Settles a hold and books what its call cost. */
  settle(end: Settlement): Promise<void>;
}

/** At most this many calls share one statement. */
const mostAtOnce = 100;
/** Expired holds are released this often, and whenever credits run short. */
const releaseEveryMs = 10_000;

/** Opens the holds of a process on its account. `pace` is in requests per second. */
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
    await releaseLapsedHolds(db, { accountId, holders }, clock);
  }

  async function grant(requests: readonly CreditRequest[]): Promise<readonly Grant[]> {
    if (clock.now() - releasedAt >= releaseEveryMs) await release();
    const grants = await reserveMany(db, requests, clock);
    if (grants.length > 0 || releasedAt === clock.now()) return grants;
    // before any is refused, the holds of dead workers are released
    await release();
    return reserveMany(db, requests, clock);
  }

  return {
    reserve: createBatcher({
      most: mostAtOnce,
      alike: (a: CreditRequest, b: CreditRequest) =>
        a.cost === b.cost &&
        a.floor === b.floor &&
        a.keeps === b.keeps &&
        a.planId === b.planId &&
        a.passesBudgets === b.passesBudgets &&
        JSON.stringify(a.budgets) === JSON.stringify(b.budgets),
      flush: async (requests) => {
        const grants = await grant(requests);
        return requests.map((_, place) => grants[place] ?? null);
      },
    }),
    settle: createBatcher({
      most: mostAtOnce,
      alike: canShareStatement,
      flush: async (settlements: readonly Settlement[]) => {
        await settle(db, { accountId, settlements, pace }, clock);
        return settlements.map(() => undefined);
      },
    }),
  };
}

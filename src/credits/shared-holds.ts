import type { Queryable } from "../postgres/sql.ts";
import { createBatcher } from "../core/batcher.ts";
import type { Clock } from "../core/clock.ts";
import { releaseLapsedHolds, type Holders } from "./lapsed-holds.ts";
import { reserveMany, type Grant, type CreditRequest } from "./holds.ts";

/** Returns a grant for one call; null if it is refused. Requests are granted in the order in which they came. */
export type Reserve = (request: CreditRequest) => Promise<Grant | null>;

/** At most this many calls share one statement. */
const mostAtOnce = 100;
/** Expired holds are released this often, and whenever credits run short. */
const releaseEveryMs = 10_000;

/** Makes the function that takes the holds of a process on its account: one statement for all concurrent calls that are alike. */
export function createSharedHolds(options: {
  readonly db: Queryable;
  readonly accountId: string;
  readonly clock: Clock;
  readonly holders: Holders;
}): Reserve {
  const { db, accountId, clock, holders } = options;
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

  return createBatcher({
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
  });
}

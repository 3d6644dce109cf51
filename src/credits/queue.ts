import type { QueryExecutorProvider } from "kysely";
import PQueue from "p-queue";
import type { Clock } from "../core/clock.ts";
import { fail } from "../core/errors.ts";
import { creditClasses, type CreditClass } from "../core/slice.ts";
import { readAccount } from "./account.ts";
import type { Budget } from "./budget.ts";
import { releaseExpired, reserve, settle, type Grant, type Receipt } from "./holds.ts";

/** What the queue needs: the shared ledger, how much each class leaves untouched, and a way to ask for the balance for free. */
export type QueueOptions = {
  readonly db: QueryExecutorProvider;
  readonly accountId: string;
  readonly clock: Clock;
  readonly concurrency: number;
  /** Requests a second that all workers together may start. */
  readonly pace: number;
  readonly floors: Readonly<Record<CreditClass, number>>;
  readonly budget: Budget;
  /** Asks the service for the balance and books it. */
  readonly refresh: () => Promise<void>;
};

/** One call that wants credits. */
export type Work = { readonly cost: number; readonly class: CreditClass; readonly signal?: AbortSignal };

/** The credit-aware queue: nothing is sent that was not granted first. */
export interface CreditQueue {
  /** Runs `send` once credits and pace allow. Throws a DeferError, with the time at which to come again, when credits do not. */
  run<T>(work: Work, send: () => Promise<{ result: T; receipt: Receipt }>): Promise<T>;
}

/** What a call leaves when it threw: no answer, so nobody knows whether it was charged. */
const lostReceipt: Receipt = { charged: null, remaining: null, resetsAt: null, tooFast: false, lost: true };

/** Opens the queue of this process; credits and pace are shared with all others through Postgres. */
export function createCreditQueue(options: QueueOptions): CreditQueue {
  const { db, accountId, clock, budget } = options;
  const queue = new PQueue({ concurrency: options.concurrency });
  let refreshing: Promise<void> | null = null;

  /** Many calls may find the balance wanting at once; one question answers all of them. */
  function refreshOnce(): Promise<void> {
    refreshing ??= options.refresh().finally(() => {
      refreshing = null;
    });
    return refreshing;
  }

  async function grantFor(work: Work): Promise<Grant> {
    const request = { accountId, cost: work.cost, class: work.class, floor: options.floors[work.class] };
    const first = await reserve(db, request, clock);
    if (first !== null) return first;
    // before work is put off for hours, look again: holds may have lapsed, the period may be over, credits may have been bought
    await releaseExpired(db, accountId, clock);
    await refreshOnce();
    const second = await reserve(db, request, clock);
    if (second !== null) return second;
    const account = await readAccount(db, accountId);
    throw fail("credits_exhausted", {
      class: work.class,
      cost: work.cost,
      remaining: account?.remaining,
      until: account?.resetsAt,
    });
  }

  async function send<T>(work: Work, call: () => Promise<{ result: T; receipt: Receipt }>): Promise<T> {
    if (!budget.take(work.cost)) throw fail("budget_spent", { cost: work.cost, left: budget.left() });
    let charged = 0;
    try {
      const grant = await grantFor(work);
      let receipt = lostReceipt;
      try {
        await clock.sleep(Math.max(0, grant.startsAt - clock.now()), work.signal);
        charged = work.cost;
        const done = await call();
        receipt = done.receipt;
        charged = receipt.charged ?? 0;
        return done.result;
      } finally {
        // a call that was never sent costs nothing
        const end = charged === 0 && receipt.lost ? { ...receipt, lost: false } : receipt;
        await settle(db, { accountId, holdId: grant.holdId, receipt: end, pace: options.pace }, clock);
      }
    } finally {
      budget.settle(work.cost, charged);
    }
  }

  return {
    run: (work, call) => {
      const priority = creditClasses.length - creditClasses.indexOf(work.class);
      return queue.add(() => send(work, call), { priority, ...(work.signal ? { signal: work.signal } : {}) });
    },
  };
}

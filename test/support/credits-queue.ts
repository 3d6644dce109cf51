import { expect } from "vitest";
import { createRunLimit, type RunLimit } from "../../src/credits/run-limit.ts";
import { createCreditQueue, type CreditQueueOptions } from "../../src/credits/queue.ts";
import type { CallReceipt } from "../../src/credits/holds.ts";
import { noHolders, settlingQueue, type SettlingQueue, type TestAccount } from "./credits-account.ts";

/** A queue on an account, with calls that wait until the test lets them end. */
export type TestQueue = {
  readonly queue: SettlingQueue;
  readonly runLimit: RunLimit;
  /** Names of the calls that were sent, in the order in which they were. */
  readonly sent: readonly string[];
  /** How often the balance was requested. */
  readonly refreshes: () => number;
  /** A call that ends when `end` is called with its name. */
  readonly held: (name: string) => () => Promise<{ result: string; receipt: CallReceipt }>;
  readonly end: (name: string, receipt?: CallReceipt) => void;
  readonly fail: (name: string, error: Error) => void;
  /** Resolves when the call was sent. */
  readonly untilSent: (name: string) => Promise<void>;
};

const noFloors = { snapshot: 0, daily: 0, lookback: 0, history: 0 };

/** Opens a queue over the account; the free question finds nothing new unless `refresh` says otherwise. */
export function openQueue(
  account: TestAccount,
  options: Partial<Pick<CreditQueueOptions, "concurrency" | "floors" | "refresh" | "holders" | "budgets">> & {
    limit?: number;
  } = {},
): TestQueue {
  const calls = new Map<string, PromiseWithResolvers<CallReceipt>>();
  const sent: string[] = [];
  let refreshes = 0;
  const runLimit = createRunLimit(options.limit ?? null);
  const queue = createCreditQueue({
    db: account.db,
    accountId: account.accountId,
    clock: account.clock,
    concurrency: options.concurrency ?? 4,
    pace: account.pace,
    holders: options.holders ?? noHolders,
    retriesADay: 500,
    floors: options.floors ?? noFloors,
    runLimit,
    budgets: options.budgets ?? [],
    refresh: async () => {
      refreshes += 1;
      await options.refresh?.();
    },
  });
  const callOf = (name: string) => {
    const call = calls.get(name) ?? Promise.withResolvers<CallReceipt>();
    calls.set(name, call);
    return call;
  };
  return {
    queue: settlingQueue(queue, account),
    runLimit,
    sent,
    refreshes: () => refreshes,
    held: (name) => async () => {
      sent.push(name);
      return { result: name, receipt: await callOf(name).promise };
    },
    end: (name, receipt = account.answer(1)) => callOf(name).resolve(receipt),
    fail: (name, error) => callOf(name).reject(error),
    untilSent: async (name) => {
      await expect.poll(() => sent, { timeout: 10_000, interval: 2 }).toContain(name);
    },
  };
}

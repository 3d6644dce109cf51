import type { Clock } from "../../src/core/clock.ts";
import { must } from "./must.ts";
import { sql } from "../../src/postgres/sql.ts";
import { observeBalance, openAccount, readAccount, type AccountState } from "../../src/credits/account.ts";
import type { CreditQueue } from "../../src/credits/queue.ts";
import { releaseLapsedHolds, type Holders } from "../../src/credits/lapsed-holds.ts";
import { reserveMany, settle, type CallReceipt, type CreditRequest, type Grant } from "../../src/credits/holds.ts";
import { openWarehouse, type Database } from "../../src/postgres/database.ts";
import { stoppedClock, type StoppedClock } from "./credits-clock.ts";
import { freshDatabase } from "./database.ts";

export const hour = 3_600_000;
export const minute = 60_000;
export const second = 1000;

/** So quick that starts are no microsecond apart. */
const unpaced = 10_000_000;

/** A request for one credit that no floor, plan or budget limits, changed in some parts. */
export function creditRequest(over: Partial<CreditRequest>): CreditRequest {
  const about = { dataset: "", app: null };
  const limits = { floor: 0, keeps: 0, planId: null, budgets: [], about, passesBudgets: false };
  return { accountId: "", workerId: null, sliceId: null, cost: 1, ...limits, ...over };
}

/** What a service could say in the headers of an answer; the reset is that of the account's period where left out. */
type Reported = { readonly left?: number; readonly resetsAt?: number | null };

/** An account in a real Postgres, with a clock of its own. */
export type TestAccount = {
  readonly db: Database;
  readonly accountId: string;
  readonly clock: StoppedClock;
  /** Where the period ends that the account was opened in. */
  readonly periodEnd: number;
  readonly pace: number;
  readonly state: () => Promise<AccountState>;
  readonly reserve: (cost: number, floor?: number) => Promise<Grant | null>;
  /** Reserves and fails the test where nothing is granted. */
  readonly hold: (cost: number) => Promise<Grant>;
  readonly settle: (grant: Grant, receipt: CallReceipt) => Promise<void>;
  readonly observe: (reported: Reported & { total?: number; sentAt?: number }) => Promise<void>;
  readonly releaseLapsed: () => Promise<void>;
  /** A good answer that cost `charged`. */
  readonly answer: (charged: number, reported?: Reported) => CallReceipt;
  readonly refusal: (reported?: Reported & { tooFast?: boolean; notBefore?: number | null }) => CallReceipt;
};

/** A call that nobody answered. */
export const lost: CallReceipt = { charged: null, remaining: null, resetsAt: null, tooFast: false, lost: true };

/** Holders in a database without workers. */
export const noHolders: Holders = { workerId: null, isAlive: () => sql<boolean>`true` };

/** One database for the accounts of a test file. */
export type Bank = AsyncDisposable & {
  readonly url: string;
  readonly db: Database;
  /** Opens a new account; with `left: null` the service has not reported its balance. */
  readonly account: (options?: { total?: number; left?: number | null; pace?: number }) => Promise<TestAccount>;
};

/** Opens a migrated database for accounts. */
export async function openBank(): Promise<Bank> {
  await using opened = new AsyncDisposableStack();
  const { url } = opened.use(await freshDatabase());
  const { db } = opened.use(await openWarehouse(url, 10));
  let count = 0;
  const stack = opened.move();
  return {
    url,
    db,
    account: async ({ total = 100, left = total, pace = unpaced } = {}) => {
      const account = accountIn(db, `account-${(count += 1)}`, pace);
      await openAccount(db, account.accountId, pace, account.clock);
      if (left !== null) await account.observe({ total, left });
      return account;
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

function accountIn(db: Database, accountId: string, pace: number): TestAccount {
  const clock = stoppedClock();
  const periodEnd = clock.now() + 18 * hour;
  const take = async (cost: number, floor = 0) =>
    (await reserveMany(db, [creditRequest({ accountId, cost, floor })], clock))[0] ?? null;
  const headers = ({ left, resetsAt = periodEnd }: Reported) => ({
    remaining: left ?? null,
    resetsAt: left === undefined ? null : resetsAt,
  });
  return {
    db,
    accountId,
    clock,
    periodEnd,
    pace,
    state: async () => must(await readAccount(db, accountId)),
    reserve: take,
    hold: async (cost) => must(await take(cost)),
    settle: (grant, receipt) =>
      settle(db, { accountId, settlements: [{ holdId: grant.holdId, receipt }], pace }, clock),
    observe: ({ total, sentAt, ...reported }) =>
      observeBalance(
        db,
        accountId,
        { ...headers(reported), total: total ?? null, periodHours: 24, ...(sentAt === undefined ? {} : { sentAt }) },
        clock,
      ),
    releaseLapsed: () => releaseLapsedHolds(db, { accountId, holders: noHolders }, clock),
    answer: (charged, reported = {}) => ({ ...headers(reported), charged, tooFast: false, lost: false }),
    refusal: ({ tooFast = false, notBefore = null, ...reported } = {}) => ({
      ...headers(reported),
      charged: null,
      tooFast,
      notBefore,
      lost: false,
    }),
  };
}

/** A queue whose calls return their receipt: it settles their holds with it, as the statement does that stores an answer. */
export type SettlingQueue = Pick<CreditQueue, "whileHeld"> & {
  run<T>(
    work: Parameters<CreditQueue["run"]>[0],
    call: () => Promise<{ readonly result: T; readonly receipt: CallReceipt }>,
  ): Promise<T>;
};

/** Makes one of a queue on the same account. */
export function settlingQueue(
  queue: CreditQueue,
  { db, accountId, clock, pace }: Pick<TestAccount, "db" | "accountId" | "pace"> & { readonly clock: Clock },
): SettlingQueue {
  return {
    whileHeld: queue.whileHeld,
    run: (work, call) =>
      queue.run(work, async (holdId) => {
        const { result, receipt } = await call();
        await settle(db, { accountId, settlements: [{ holdId, receipt }], pace }, clock);
        return { result, charged: receipt.charged ?? 0 };
      }),
  };
}

/** Credits held by hold rows, which is what the account's row must say too. */
export async function heldByRows(account: TestAccount): Promise<{ held: number; inFlight: number }> {
  const { rows } = await sql<{ held: number; inFlight: number }>`
    select coalesce(sum(cost), 0)::int as held, count(*)::int as "inFlight"
    from   ops.credit_hold where account_id = ${account.accountId}`.execute(account.db);
  return must(rows[0]);
}

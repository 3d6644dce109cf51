import type { BudgetSubject, CreditBudget } from "../core/credit-budget.ts";
import type { Clock } from "../core/clock.ts";
import { fail, type StorehouseError } from "../core/errors.ts";
import { floorCredits, floorOf, type Floors } from "../core/floors.ts";
import { count } from "../core/words.ts";
import type { Spender } from "../core/slice.ts";
import type { Database } from "../postgres/database.ts";
import { createAccountReader, freshForMs, type AccountState } from "./account.ts";
import { budgetRefusal, startOfLastDay, waitForNights } from "./budget-refusal.ts";
import { createBudgetBook, refusingBudget, type BudgetOfCall } from "./budgets.ts";
import { isDeclaredDead } from "./declared-dead.ts";
import type { Grant } from "./holds.ts";
import type { Holders } from "./lapsed-holds.ts";
import { createNightsKeeper, keptOfBudget, type KeptOfBudget } from "./nights-ahead.ts";
import { leftOfPlan } from "./plan-price.ts";
import type { Reserve } from "./shared-holds.ts";

/** What decides whether a call gets credits. */
export type GrantOptions = {
  readonly db: Database;
  readonly accountId: string;
  readonly clock: Clock;
  /** Requests per second that all workers together may start. */
  readonly pace: number;
  readonly holders: Holders;
  readonly floors: Floors;
  /** Credits that retries of failed slices may cost in a day. */
  readonly retriesADay: number;
  /** Limits of the configuration; none if left out. */
  readonly budgets?: readonly CreditBudget[];
  /** Checks the balance with the service and books it. */
  readonly refresh: () => Promise<void>;
};

/** A call whose turn has come. */
export type PricedWork = {
  readonly cost: number;
  readonly class: Spender;
  /** Share of the allowance that it leaves untouched, in place of the floor of its class. */
  readonly floor?: number;
  /** The slice that the call is for, if it is for one. */
  readonly sliceId?: string;
  /** The plan whose price it counts against, if there is one. */
  readonly planId?: string | null;
  /** What it is about, for budgets; left out if it is not about a dataset. */
  readonly about?: BudgetSubject;
  /**
   * When (epoch-ms) the data of a slice is lost for good, null for never. On its last day no budget refuses a snapshot, and only then may
   * it use credits that are kept for snapshots. Left out if the call is not for a slice: a caller of class snapshot may use those credits
   * on any day, and budgets may refuse it on any day.
   */
  readonly lostAt?: () => Promise<number | null>;
};

/**
 * Makes the function that holds credits for a call. It throws a DeferError, with the time of the next try, if the floor of its class, a
 * budget, the price of its plan or the allowance leaves too few.
 */
export function createGranting(options: GrantOptions, reserve: Reserve): (work: PricedWork) => Promise<Grant> {
  const {
    accountId,
    clock,
    holders: { workerId },
  } = options;
  const readFreshAccount = createAccountReader(options);
  const keptForNights = createNightsKeeper(options);
  const budgetsOf = createBudgetBook({ db: options.db, accountId, budgets: options.budgets ?? [], clock });

  /** True if a budget refuses the call but it is allowed anyway; throws a DeferError if it is not. */
  async function passesBudgets(
    cost: number,
    lostAt: number | null,
    budgets: readonly BudgetOfCall[],
  ): Promise<boolean> {
    const now = clock.now();
    const refusing = budgets.length === 0 ? null : await refusingBudget(options.db, { budgets, cost, now });
    if (refusing === null) return false;
    if (!refusing.isUsedUp) throw waitForNights({ refusing, cost }, await keptOf(refusing));
    const refusal = budgetRefusal({ refusing, cost, lostAt, now });
    if (refusal !== null) throw refusal;
    return true;
  }

  /** The floor of a call; for a snapshot that can wait, a higher one. */
  function floorFor(work: PricedWork, canWait: boolean): number {
    return work.floor ?? (work.class === "person" ? 0 : floorOf(options.floors, work.class, canWait));
  }

  /** Only slices of history leave what the nights take. */
  function leavesNights(work: PricedWork): boolean {
    return work.class === "history" && work.sliceId !== undefined;
  }

  /** What a call leaves of the allowance on top of its floor. */
  async function keepsFor(work: PricedWork): Promise<number> {
    return leavesNights(work) ? (await keptForNights()).credits : 0;
  }

  async function keptOf(budget: CreditBudget): Promise<KeptOfBudget> {
    return keptOfBudget(await keptForNights(), budget, clock.now());
  }

  /** The budgets of a call, with what it leaves of them. */
  async function budgetsFor(work: PricedWork, about: BudgetSubject): Promise<readonly BudgetOfCall[]> {
    const budgets = await budgetsOf(about);
    return Promise.all(
      budgets.map(async (budget) => ({
        budgetId: budget.budgetId,
        keeps: leavesNights(work) ? (await keptOf(budget)).credits : 0,
      })),
    );
  }

  return async function grantFor(work: PricedWork): Promise<Grant> {
    const planId = work.planId ?? null;
    const about = work.about ?? { dataset: "", app: null };
    const budgets = await budgetsFor(work, about);
    let request = {
      accountId,
      workerId,
      cost: work.cost,
      floor: floorFor(work, work.lostAt !== undefined),
      sliceId: work.sliceId ?? null,
      planId,
      budgets,
      about,
      // a person who runs a command has decided already
      passesBudgets: work.class === "person",
    };
    let waitsUntil = null as number | null;
    // when a slice is lost and what budgets allow is read only after a refusal
    const tryOnce = async (): Promise<Grant | null> => {
      const keeps = await keepsFor(work);
      const granted = await reserve({ ...request, keeps });
      if (granted !== null) return granted;
      const lostAt = work.class === "snapshot" ? ((await work.lostAt?.()) ?? null) : null;
      const lastDay = lostAt === null ? null : startOfLastDay(lostAt);
      waitsUntil = lastDay !== null && clock.now() < lastDay ? lastDay : null;
      const allowed = {
        floor: floorFor(work, waitsUntil !== null),
        passesBudgets: request.passesBudgets || (await passesBudgets(work.cost, lostAt, budgets)),
      };
      if (allowed.floor === request.floor && allowed.passesBudgets === request.passesBudgets) return null;
      request = { ...request, ...allowed };
      return reserve({ ...request, keeps });
    };
    const first = await tryOnce();
    if (first !== null) return first;
    const left = planId === null ? work.cost : await leftOfPlan(options.db, planId);
    if (left < work.cost) throw fail("plan_spent", { plan: planId, cost: work.cost, left: Math.max(0, left) });
    // before work is deferred for hours, check the balance: the period may be over, credits may have been bought
    const account = await readFreshAccount();
    // checks the budgets again too: one that had room before may have been used up meanwhile
    const second = await tryOnce();
    if (second !== null) return second;
    if (await isDeclaredDead(options.db, workerId)) throw fail("lease_expired");
    throw shortage(work, { account, floor: floorFor(work, false), now: clock.now(), waitsUntil });
  };
}

/**
 * Why the allowance is too small, with the time at which it may suffice. A slice that can wait is tried on its last day at the latest
 * (`waitsUntil`).
 */
function shortage(
  { class: name, cost }: PricedWork,
  {
    account,
    floor,
    now,
    waitsUntil,
  }: { account: AccountState | null; floor: number; now: number; waitsUntil: number | null },
): StorehouseError {
  const reset = account?.resetsAt == null ? null : Math.max(account.resetsAt, now + freshForMs);
  const until = waitsUntil !== null && reset !== null ? Math.min(reset, waitsUntil) : reset;
  const most = account?.total == null ? null : account.total - floorCredits(account.total, floor);
  if (most !== null && cost > most)
    return fail("allowance_too_small", { class: name, cost, total: account?.total, most, until });
  const kept = keptWords(name, account?.total == null ? 0 : floorCredits(account.total, floor));
  return fail("credits_exhausted", { class: name, cost, remaining: account?.remaining, kept, until });
}

/** What a class leaves of the credits, as words that end a sentence about them; undefined if it may use them all. */
function keptWords(name: Spender, floor: number): string | undefined {
  const nights = name === "history" ? "what the nights until the reset take" : "";
  const kept = [floor > 0 ? count(floor) : "", nights].filter((text) => text !== "");
  return kept.length === 0 ? undefined : `: class ${name} leaves ${kept.join(" and ")} to others`;
}

import PQueue from "p-queue";
import type { Clock } from "../core/clock.ts";
import type { Database } from "../postgres/database.ts";
import { fail, mayBeCharged, StorehouseError } from "../core/errors.ts";
import { whenAborted } from "../core/when-aborted.ts";
import { creditClasses, type Spender } from "../core/slice.ts";
import type { RunLimit } from "./run-limit.ts";
import { createCallGate, type CallGate } from "./call-gate.ts";
import { freshForMs, createAccountReader } from "./account.ts";
import type { Holders } from "./lapsed-holds.ts";
import { correctPlan, leftOfPlan } from "./plan-price.ts";
import { createSharedHolds } from "./shared-holds.ts";
import type { BudgetSubject, CreditBudget } from "../core/credit-budget.ts";
import { createBudgetBook, refusingBudget } from "./budgets.ts";
import { budgetRefusal, startOfLastDay } from "./budget-refusal.ts";
import { floorOf, floorCredits, type Floors } from "../core/floors.ts";
import { isDeclaredDead, type Grant, type CallReceipt } from "./holds.ts";

/** What the queue needs: the shared ledger, how much each class leaves untouched, and the balance check. */
export type CreditQueueOptions = {
  readonly db: Database;
  readonly accountId: string;
  readonly clock: Clock;
  readonly concurrency: number;
  /** Requests a second that all workers together may start. */
  readonly pace: number;
  readonly holders: Holders;
  readonly floors: Floors;
  readonly runLimit: RunLimit;
  /** Limits of the configuration; none when left out. */
  readonly budgets?: readonly CreditBudget[];
  /** Checks the balance with the service and books it. */
  readonly refresh: () => Promise<void>;
};

/** One call that needs credits. `cost` is computed when its turn comes: a higher price may have been learned while it waited. */
type Work = {
  readonly cost: () => number;
  readonly class: Spender;
  /** Share of the allowance that it leaves untouched, in place of its class's. */
  readonly floor?: number;
  readonly signal?: AbortSignal;
  /** The slice that the call is for, if it is for one. */
  readonly sliceId?: string;
  /** The plan whose price it counts against, if there is one. */
  readonly planId?: string | null;
  /** What it is about, for budgets; left out where it is about no dataset. */
  readonly about?: BudgetSubject;
  /**
   * When (epoch-ms) what a slice requests is lost for good, null for never: on its last day no budget refuses a snapshot, and only then may it
   * take what is kept for snapshots. Left out where the call is of no slice: a caller of class snapshot may take of that on any day, and
   * budgets refuse it on any day.
   */
  readonly lostAt?: () => Promise<number | null>;
};
/** A call whose turn has come. */
type PricedWork = Omit<Work, "cost"> & { readonly cost: number };

/** What became of a call. `isSettled`: its hold is settled already, in the statement that stored the answer. */
type Sent<T> = { readonly result: T; readonly receipt: CallReceipt; readonly isSettled?: boolean };

/** The credit-aware queue: nothing is sent that was not granted first. */
export interface CreditQueue {
  /**
   * Runs `send`, with the number of its hold, once credits and pace allow. Throws a DeferError, with the time of the next try, when credits
   * do not.
   */
  run<T>(work: Work, send: (holdId: string) => Promise<Sent<T>>): Promise<T>;
  /** Does what decides whether calls may go on: none is sent meanwhile. */
  readonly whileHeld: CallGate["whileHeld"];
}

/** The order in which waiting calls run: those of people first. */
const spenders: readonly Spender[] = ["person", ...creditClasses];

/** The receipt of a call without a reply: whether it was charged is unknown. */
const lostReceipt: CallReceipt = { charged: null, remaining: null, resetsAt: null, tooFast: false, lost: true };
/** The receipt of a call that was not charged, since it was never sent. */
const unsentReceipt: CallReceipt = { ...lostReceipt, lost: false };

/** Opens the queue of this process; credits and pace are shared with all others through Postgres. */
export function createCreditQueue(options: CreditQueueOptions): CreditQueue {
  const {
    accountId,
    clock,
    runLimit,
    holders: { workerId },
  } = options;
  const queue = new PQueue({ concurrency: options.concurrency });
  const readFreshAccount = createAccountReader(options);
  const holds = createSharedHolds(options);
  const gate = createCallGate();
  const budgetsOf = createBudgetBook({ db: options.db, accountId, budgets: options.budgets ?? [], clock });

  /** True where a budget refuses a call that is let through all the same; throws a DeferError where it is not. */
  async function passesBudgets(cost: number, lostAt: number | null, budgetIds: readonly string[]): Promise<boolean> {
    const now = clock.now();
    const refusing = budgetIds.length === 0 ? null : await refusingBudget(options.db, { budgetIds, cost, now });
    if (refusing === null) return false;
    const refusal = budgetRefusal({ refusing, cost, lostAt, now });
    if (refusal !== null) throw refusal;
    return true;
  }

  /** The floor of a call; of a snapshot first that of one which can wait. */
  function floorFor(work: PricedWork, canWait: boolean): number {
    return work.floor ?? (work.class === "person" ? 0 : floorOf(options.floors, work.class, canWait));
  }

  async function grantFor(work: PricedWork): Promise<Grant> {
    const planId = work.planId ?? null;
    const budgetIds = await budgetsOf(work.about ?? { dataset: "", app: null });
    const wanted = {
      accountId,
      workerId,
      cost: work.cost,
      floor: floorFor(work, work.lostAt !== undefined),
      sliceId: work.sliceId ?? null,
      planId,
      budgetIds,
      // a person who runs a command decides on the spot
      passesBudgets: work.class === "person",
    };
    const first = await holds.reserve(wanted);
    if (first !== null) return first;
    const lostAt = work.class === "snapshot" ? ((await work.lostAt?.()) ?? null) : null;
    const lastDay = lostAt === null ? null : startOfLastDay(lostAt);
    const canWait = lastDay !== null && clock.now() < lastDay;
    const floor = floorFor(work, canWait);
    const passes = wanted.passesBudgets || (await passesBudgets(work.cost, lostAt, budgetIds));
    const request = { ...wanted, floor, passesBudgets: passes };
    if (request.passesBudgets !== wanted.passesBudgets || request.floor !== wanted.floor) {
      const passed = await holds.reserve(request);
      if (passed !== null) return passed;
    }
    const left = planId === null ? work.cost : await leftOfPlan(options.db, planId);
    if (left < work.cost) throw fail("plan_spent", { plan: planId, cost: work.cost, left: Math.max(0, left) });
    // before work is deferred for hours, check the balance: the period may be over, credits may have been bought
    const account = await readFreshAccount();
    const second = await holds.reserve(request);
    if (second !== null) return second;
    if (await isDeclaredDead(options.db, workerId)) throw fail("lease_expired");
    const reset = account?.resetsAt == null ? null : Math.max(account.resetsAt, clock.now() + freshForMs);
    const until = canWait && reset !== null ? Math.min(reset, lastDay) : reset;
    const { class: name, cost } = work;
    const most = account?.total == null ? null : account.total - floorCredits(account.total, floorFor(work, false));
    if (most !== null && cost > most)
      throw fail("allowance_too_small", { class: name, cost, total: account?.total, most, until });
    throw fail("credits_exhausted", { class: name, cost, remaining: account?.remaining, until });
  }

  async function send<T>(work: PricedWork, call: (holdId: string) => Promise<Sent<T>>): Promise<T> {
    if (!runLimit.take(work.cost)) throw fail("budget_spent", { cost: work.cost, left: runLimit.left() });
    let charged = 0;
    try {
      const grant = await grantFor(work);
      let receipt: CallReceipt | null = unsentReceipt;
      try {
        const wait = grant.startsAt - clock.now();
        if (wait > 0) await clock.sleep(wait, work.signal);
        await gate.pass();
        work.signal?.throwIfAborted();
        receipt = lostReceipt;
        charged = work.cost;
        const done = await call(grant.holdId);
        receipt = done.isSettled === true ? null : done.receipt;
        charged = done.receipt.charged ?? 0;
        return done.result;
      } catch (error) {
        // a call that could not be recorded keeps its hold: once this process counts as dead it is recorded from that
        if (!(error instanceof StorehouseError)) receipt = receipt === lostReceipt ? null : receipt;
        else if (!mayBeCharged(error)) [receipt, charged] = [unsentReceipt, 0];
        throw error;
      } finally {
        if (receipt !== null) await holds.settle({ holdId: grant.holdId, receipt });
        if (work.planId != null && charged !== work.cost)
          await correctPlan(options.db, work.planId, charged - work.cost);
      }
    } finally {
      runLimit.settle(work.cost, charged);
    }
  }

  /** An abort ends calls that wait. A call that was sent runs to its end: its answer is paid for, and it occupies its slot until then. */
  async function run<T>(work: Work, call: (holdId: string) => Promise<Sent<T>>): Promise<T> {
    work.signal?.throwIfAborted();
    const waiting = new AbortController();
    const { signal } = work;
    const stay = signal === undefined ? () => undefined : whenAborted(signal, () => waiting.abort(signal.reason));
    const priority = creditClasses.length - spenders.indexOf(work.class);
    try {
      return await queue.add(
        () => {
          stay();
          return send({ ...work, cost: work.cost() }, call);
        },
        { priority, signal: waiting.signal },
      );
    } finally {
      stay();
    }
  }

  return { run, whileHeld: gate.whileHeld };
}

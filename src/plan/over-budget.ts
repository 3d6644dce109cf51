import type { Day } from "../core/day.ts";
import { budgetKey, isCovered, lastToEnd, type BudgetSubject, type CreditBudget } from "../core/credit-budget.ts";
import { creditClasses, type CreditClass } from "../core/slice.ts";

/**
 * A budget with its remaining credits, what history leaves to the nights of the period, and the first day of the next one. `nightsTakeAll`:
 * nights are forecast to take all of it in each period.
 */
export type BudgetRoom = CreditBudget & {
  readonly left: number;
  readonly forNights: number;
  readonly nightsTakeAll: boolean;
  readonly endsOn: Day;
};

/** Slices of one dataset, class and app. `passes`: they would be lost for good by tomorrow, so no budget refuses them. */
export type BudgetedWork = BudgetSubject & {
  readonly class: CreditClass;
  readonly slices: number;
  readonly requests: number;
  readonly credits: number;
  readonly passes: boolean;
};

/**
 * Slices that wait for the next period of a budget, and their credits, both approximate. `tooDear`: one call of this dataset costs more than
 * the budget has in a whole period, so they wait until a person raises it.
 */
export type OverBudget = {
  readonly budget: BudgetRoom;
  readonly slices: number;
  readonly credits: number;
  readonly tooDear?: { readonly dataset: string; readonly cost: number };
  /** Credits that history leaves to the nights, if that defers a part of it. */
  readonly forNights?: number;
};

/** A part of some work that has to wait, and the day on which its budget has room again: work that is too dear waits anew on each of them. */
type PutOff<W extends BudgetedWork> = W & { readonly until: Day };

/**
 * What is deferred, by budget (without those that defer nothing) and line by line, and what is left of the budgets after the rest has run.
 */
export type BudgetCut<W extends BudgetedWork = BudgetedWork> = {
  readonly deferred: readonly OverBudget[];
  readonly putOff: readonly PutOff<W>[];
  readonly left: readonly BudgetRoom[];
};

/**
 * The part of some work that budgets defer if the work runs by class. Each line runs as many slices as all of its budgets have room for, at
 * the mean price of the line. Deferred slices count for the budget that defers them when they run: of those without room for one more, the
 * one whose period ends last. One that never pays for them comes first, since only a person ends that wait.
 */
export function overBudget<W extends BudgetedWork>(work: readonly W[], budgets: readonly BudgetRoom[]): BudgetCut<W> {
  const putOff: PutOff<W>[] = [];
  const left = new Map(budgets.map((budget) => [budget, budget.left]));
  // the newest days and lookbacks that this work has are those of the nights
  const ofNights = new Map<BudgetRoom, number>();
  const deferred = new Map<string, OverBudget>();
  const leftOf = (budget: BudgetRoom) => left.get(budget) ?? 0;
  const inTurn = [...work].sort((a, b) => creditClasses.indexOf(a.class) - creditClasses.indexOf(b.class));
  for (const line of inTurn) {
    const price = line.credits / Math.max(1, line.slices);
    const own = budgets.filter((budget) => isCovered(line, budget));
    const cost = Math.round(line.credits / Math.max(1, line.requests));
    // a snapshot runs on the last day on which it can be requested
    const tooSmall = line.class === "snapshot" ? undefined : lastToEnd(own.filter(({ credits }) => cost > credits));
    if (price === 0) continue;
    const keptOf = (budget: BudgetRoom) =>
      line.class === "history" ? Math.max(0, budget.forNights - (ofNights.get(budget) ?? 0)) : 0;
    const roomFor = (budget: BudgetRoom) => Math.max(0, Math.floor((leftOf(budget) - keptOf(budget)) / price));
    const most = tooSmall === undefined ? Math.min(...own.map(roomFor)) : 0;
    const refusing = tooSmall ?? lastToEnd(own.filter((budget) => roomFor(budget) <= most));
    const fits = line.passes ? line.slices : Math.min(line.slices, most);
    for (const budget of own) {
      left.set(budget, leftOf(budget) - fits * price);
      if (line.class !== "history") ofNights.set(budget, (ofNights.get(budget) ?? 0) + fits * price);
    }
    if (refusing === undefined || fits === line.slices) continue;
    const rest = line.slices - fits;
    const credits = Math.round(rest * price);
    const tooDear = tooSmall === undefined ? undefined : { dataset: line.dataset, cost };
    const key = JSON.stringify([budgetKey(refusing), tooDear]);
    const sum = deferred.get(key) ?? { budget: refusing, slices: 0, credits: 0, ...(tooDear && { tooDear }) };
    const forNights = keptOf(refusing);
    deferred.set(key, {
      ...sum,
      slices: sum.slices + rest,
      credits: sum.credits + credits,
      ...(forNights > 0 && { forNights }),
    });
    const requests = Math.round((line.requests * rest) / line.slices);
    putOff.push({ ...line, slices: rest, requests, credits, until: refusing.endsOn });
  }
  return {
    deferred: [...deferred.values()],
    putOff,
    left: budgets.map((budget) => ({ ...budget, left: Math.max(0, leftOf(budget)) })),
  };
}

import { budgetsOf } from "../config/credit-budgets.ts";
import type { Settings } from "../config/settings.ts";
import { budgetDays } from "../core/credit-budget.ts";
import { addDays, startOfDay, type Day } from "../core/day.ts";
import type { CreditClass } from "../core/slice.ts";
import { isLostByTomorrow } from "../core/timing.ts";
import { sumBy } from "../core/sum.ts";
import { readBudgets } from "../credits/budgets.ts";
import { keptOfBudget, readLaterTries, readNightsAhead } from "../credits/nights-ahead.ts";
import { datasetNamed } from "../datasets/shared/all.ts";
import {
  overBudget,
  type BudgetCut,
  type BudgetedWork,
  type BudgetRoom,
  type OverBudget,
} from "../plan/over-budget.ts";
import type { Queryable } from "../postgres/sql.ts";
import { settingsOf, timingWith } from "./dataset-settings.ts";

/** Work by dataset and class, and by app if that is known. */
export type BudgetWork = {
  readonly dataset: string;
  readonly class: CreditClass;
  readonly app?: string | null;
  readonly slices: number;
  readonly requests: number;
  readonly credits: number;
};

/** The budgets of a day with nothing used. */
export function freshRooms(settings: Settings, day: Day): readonly BudgetRoom[] {
  return budgetsOf(settings).map((budget) => ({
    ...budget,
    left: budget.credits,
    forNights: 0,
    nightsTakeAll: false,
    endsOn: budgetDays(budget.period, day).end,
  }));
}

/**
 * `now` (epoch-ms): until when nights of the day have begun; the end of the day if left out. `triesAfter`: from when failed slices are tried
 * again; `now` if left out.
 */
type RoomsOn = {
  readonly settings: Settings;
  readonly accountId: string;
  readonly day: Day;
  readonly now?: number;
  readonly triesAfter?: number;
};

/** What is left of the budgets of an account on a day, and what history leaves of that to the nights that the newest forecast knows. */
export async function readRooms(
  db: Queryable,
  { settings, accountId, day, now = endOfDay(day), triesAfter = now }: RoomsOn,
): Promise<readonly BudgetRoom[]> {
  const uses = await readBudgets(db, { accountId, budgets: budgetsOf(settings), day });
  const forecast = uses.length === 0 ? null : await readNightsAhead(db, accountId, now);
  const { retries_a_day: retriesADay } = settings.credits;
  const laterTries = forecast === null ? [] : await readLaterTries(db, { accountId, now: triesAfter, retriesADay });
  return uses.map(({ taken, ...use }) => {
    const { credits, wholePeriod } = keptOfBudget({ forecast, laterTries }, use, now);
    const left = Math.max(0, use.credits - taken);
    return { ...use, left, forNights: credits, nightsTakeAll: wholePeriod >= use.credits };
  });
}

/** The last instant (epoch-ms) of a day. */
function endOfDay(day: Day): number {
  return startOfDay(addDays(day, 1)) - 1;
}

/** The part of some work that these budgets defer. */
export function cutToRooms<W extends BudgetWork>(
  work: readonly W[],
  settings: Settings,
  rooms: readonly BudgetRoom[],
): BudgetCut<W & BudgetedWork> {
  return overBudget(
    work.map((line) => ({ ...line, app: line.app || null, passes: isLostTonight(line, settings) })),
    rooms,
  );
}

/** What the budgets of an account defer of some work that runs on a day. */
export async function readOverBudget(
  db: Queryable,
  work: readonly BudgetWork[],
  on: RoomsOn,
): Promise<readonly OverBudget[]> {
  return cutToRooms(work, on.settings, await readRooms(db, on)).deferred;
}

/** The total of some work. */
export function sumOfWork(work: readonly BudgetWork[]): { readonly slices: number; readonly credits: number } {
  return {
    slices: sumBy(work, ({ slices }) => slices),
    credits: sumBy(work, ({ credits }) => credits),
  };
}

/** True for work that would be lost for good by tomorrow. */
function isLostTonight({ dataset, class: name }: BudgetWork, settings: Settings): boolean {
  const of = datasetNamed(dataset);
  return name === "snapshot" && isLostByTomorrow(timingWith(of.timing, settingsOf(of, settings)));
}

import { count, countOf } from "./words.ts";
import type { Day } from "./day.ts";
import { periodOf, type Grid } from "./period.ts";
import type { Window } from "./window.ts";

/** The periods of budgets, in the calendar (UTC). */
export type BudgetPeriod = "day" | "month";

/** A limit on credits per day or month. With null for datasets or apps it applies to all datasets, or to requests about any app or none. */
export type CreditBudget = {
  readonly budget: string;
  readonly period: BudgetPeriod;
  readonly credits: number;
  readonly datasets: readonly string[] | null;
  /** Track ids. */
  readonly apps: readonly string[] | null;
};

/** What a call or a piece of work is about; `app` is null if it is not about one. */
export type BudgetSubject = { readonly dataset: string; readonly app: string | null };

/** True if a call with this subject counts against a budget. */
export function isCovered(
  { dataset, app }: BudgetSubject,
  { datasets, apps }: Pick<CreditBudget, "datasets" | "apps">,
): boolean {
  return (datasets?.includes(dataset) ?? true) && (apps === null || (app !== null && apps.includes(app)));
}

/** Of several budgets that refuse a call, the one that defers it: the one whose period ends last, since each try before that is refused. */
export function lastToEnd<B extends { readonly endsOn: Day }>(budgets: readonly B[]): B | undefined {
  return budgets.reduce<B | undefined>(
    (last, one) => (last === undefined || one.endsOn > last.endsOn ? one : last),
    undefined,
  );
}

const grids: Readonly<Record<BudgetPeriod, Grid>> = { day: { days: 1 }, month: { months: 1 } };

/** The days of a budget's period that contains a day. */
export function budgetDays(period: BudgetPeriod, day: Day): Window {
  return periodOf(grids[period], day);
}

/** A budget of a period, as one text. */
export function budgetKey({ budget, period }: Pick<CreditBudget, "budget" | "period">): string {
  return `${budget} a ${period}`;
}

/** A budget and its limit: "reviews (200 credits a day)". */
export function limitWords({ budget, credits, period }: Pick<CreditBudget, "budget" | "credits" | "period">): string {
  return `${budget} (${countOf(credits, "credit")} a ${period})`;
}

/** The use of a budget in words: "reviews: 180 of 200 credits are taken today". `isUsedUp`: it has refused a call. */
export function useWords(use: {
  readonly budget: string;
  readonly credits: number;
  readonly period: CreditBudget["period"];
  readonly taken: number;
  readonly isUsedUp: boolean;
  readonly endsOn: Day;
}): string {
  const when = use.period === "day" ? "today" : "this month";
  const rest = use.isUsedUp ? `; further requests wait until ${use.endsOn} (UTC)` : "";
  return `${use.budget}: ${count(use.taken)} of ${countOf(use.credits, "credit")} used ${when}${rest}`;
}

/** No allowance is larger: more than this means "without limit", and the columns of the ledger hold no more than twice as many. */
const mostCredits = 1_000_000_000;

/** A number of credits that the ledger has room for. */
export function boundedCredits(credits: number): number {
  return Math.max(-mostCredits, Math.min(mostCredits, credits));
}

import { limitWords } from "../core/credit-budget.ts";
import type { ErrorCode } from "../core/error-codes.ts";
import { fail, withoutCode } from "../core/errors.ts";
import { count, countOf } from "../core/words.ts";
import type { OverBudget } from "./over-budget.ts";

/** What budgets defer, one sentence per budget, or per dataset if a budget never pays for it. */
export function deferredWords(deferred: readonly OverBudget[]): readonly string[] {
  return deferred.map(({ budget, slices, credits, tooDear, forNights = 0 }) => {
    const kept = Math.min(forNights, budget.left);
    const nights = kept === 0 ? "" : `, of which history leaves ${count(kept)} to the nights until then,`;
    const starves =
      forNights > 0 && budget.nightsTakeAll ? "; its nights take all of it, so history waits until it is raised" : "";
    if (tooDear === undefined)
      return `The budget ${limitWords(budget)} has ${countOf(budget.left, "credit")} left${nights} and defers about ${countOf(slices, "slice")} (${countOf(credits, "credit")}) until ${budget.endsOn} (UTC)${starves}.`;
    const code = "budget_too_small";
    const context = { budget: budget.budget, period: budget.period, credits: budget.credits, cost: tooDear.cost };
    return `${tooDearWords({ dataset: tooDear.dataset, slices, code, message: fail(code, context).message })}.`;
  });
}

/** Slices of a dataset that no reset lets run, and the text of their error. */
type TooDear = {
  readonly dataset: string;
  readonly slices: number;
  readonly code: ErrorCode;
  readonly message: string;
};

/** Says that slices wait for a person, why, and the next step. */
export function tooDearWords({ dataset, slices, code, message }: TooDear): string {
  return `${countOf(slices, `slice of ${dataset} waits`, `slices of ${dataset} wait`)} until a limit is raised: ${withoutCode(message, code)}`;
}

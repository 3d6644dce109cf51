import { limitWords } from "../core/credit-budget.ts";
import { countOf } from "../core/words.ts";
import type { OverBudget } from "./over-budget.ts";

/** What budgets defer, one sentence per budget. */
export function deferredWords(deferred: readonly OverBudget[]): readonly string[] {
  return deferred.map(
    ({ budget, slices, credits }) =>
      `The budget ${limitWords(budget)} has ${countOf(budget.left, "credit")} left and defers about ${countOf(slices, "slice")} (${countOf(credits, "credit")}) until ${budget.endsOn} (UTC).`,
  );
}

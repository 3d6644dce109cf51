import type { CreditBudget } from "../core/credit-budget.ts";
import type { Settings } from "./settings.ts";

/** The budgets of the configuration: one for each period of each, with groups replaced by their apps. */
export function budgetsOf({ credits, portfolio }: Pick<Settings, "credits" | "portfolio">): readonly CreditBudget[] {
  return Object.entries(credits.budgets).flatMap(([budget, given]) => {
    const { credits_a_day: day, credits_a_month: month, datasets = null, app_groups: groups } = given;
    const apps =
      groups === undefined ? null : [...new Set(groups.flatMap((name) => portfolio.groups.apps[name] ?? []))];
    const covers = { budget, datasets, apps };
    return [
      ...(day === undefined ? [] : [{ ...covers, period: "day" as const, credits: day }]),
      ...(month === undefined ? [] : [{ ...covers, period: "month" as const, credits: month }]),
    ];
  });
}

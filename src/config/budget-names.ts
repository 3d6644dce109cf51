import type { z } from "zod";
import { didYouMean } from "./did-you-mean.ts";
import type { BudgetSettings } from "./budget-settings.ts";
import type { PortfolioSettings } from "./portfolio-settings.ts";

/** What budgets name, and what there is of it. */
type Named = {
  readonly credits: { readonly budgets: BudgetSettings };
  readonly portfolio: z.output<typeof PortfolioSettings>;
};

/** Datasets that a budget names and nobody has, and groups that the portfolio does not have. */
export function unknownInBudgets({ credits, portfolio }: Named, datasets: readonly string[]) {
  const groups = Object.keys(portfolio.groups.apps);
  return Object.entries(credits.budgets).flatMap(([budget, { datasets: chosen = [], app_groups: own = [] }]) => [
    ...unknownNames(chosen, datasets, { path: ["credits", "budgets", budget, "datasets"], is: "dataset" }),
    ...unknownNames(own, groups, { path: ["credits", "budgets", budget, "app_groups"], is: "group" }),
  ]);
}

function unknownNames(
  given: readonly string[],
  known: readonly string[],
  { path, is }: { readonly path: readonly string[]; readonly is: string },
) {
  return given.flatMap((name, index) =>
    known.includes(name)
      ? []
      : [{ path: [...path, index], message: `names ${name}, which is no ${is}${didYouMean(name, known)}` }],
  );
}

import type { z } from "zod";
import { didYouMean } from "../core/did-you-mean.ts";
import type { BudgetSettings } from "./budget-settings.ts";
import type { PortfolioSettings } from "./portfolio-settings.ts";

/** What budgets name, and what exists. */
type Named = {
  readonly credits: { readonly budgets: BudgetSettings };
  readonly portfolio: z.output<typeof PortfolioSettings>;
  readonly accounts: Readonly<Record<string, { readonly credits?: { readonly budgets: BudgetSettings } | undefined }>>;
};

/** Datasets that a budget names but do not exist, and groups that the portfolio does not have. */
export function unknownInBudgets({ credits, portfolio, accounts }: Named, datasets: readonly string[]) {
  const groups = Object.keys(portfolio.groups.apps);
  const ofAccounts = Object.entries(accounts).map(([name, own]) => ({ at: ["accounts", name], own: own.credits }));
  return [{ at: [], own: credits }, ...ofAccounts].flatMap(({ at, own: given }) =>
    Object.entries(given?.budgets ?? {}).flatMap(([budget, { datasets: chosen = [], app_groups: own = [] }]) => {
      const path = [...at, "credits", "budgets", budget];
      return [
        ...unknownNames(chosen, datasets, { path: [...path, "datasets"], is: "dataset" }),
        ...unknownNames(own, groups, { path: [...path, "app_groups"], is: "group" }),
      ];
    }),
  );
}

/** What is wrong with a list at a path that may hold these names and no others; `is`: what they are names of. */
export function unknownNames(
  given: readonly string[],
  known: readonly string[],
  { path, is }: { readonly path: readonly string[]; readonly is: string },
) {
  return given.flatMap((name, index) =>
    known.includes(name)
      ? []
      : [{ path: [...path, index], message: `names ${name}, which is not a ${is}${didYouMean(name, known)}` }],
  );
}

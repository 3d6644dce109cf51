import { datasets } from "../datasets/shared/all.ts";
import { examplePortfolio } from "../planner/example-portfolio.ts";
import { nightCost } from "../planner/night-cost.ts";
import { sumBy } from "../core/sum.ts";

/** The account for which nights are priced: apps of both stores in turn, each in all countries with its own keywords. */
const exampleAccount = { apps: 20, countries: ["US", "GB", "DE", "JP", "BR"], keywords: 200 } as const;

/** The calculation takes a second and always has the same result, which several pages of docs and commands use. */
let costsOnce: Promise<ReadonlyMap<string, number>> | undefined;

/** Credits per night for the example account, by dataset name, for datasets that are on or off. See `nightCost`. */
export function nightCosts(): Promise<ReadonlyMap<string, number>> {
  return (costsOnce ??= workOutCosts());
}

async function workOutCosts(): Promise<ReadonlyMap<string, number>> {
  const portfolio = examplePortfolio(exampleAccount, datasets);
  const costs = new Map<string, number>();
  for (const dataset of datasets) costs.set(dataset.name, await nightCost(dataset, portfolio));
  return costs;
}

/** What a night costs for some datasets together. */
export function nightSum(costs: ReadonlyMap<string, number>, names: readonly string[]): number {
  return sumBy(names, (name) => costs.get(name) ?? 0);
}

/** Credits of a night as a table shows them: small ones with one decimal. */
export function nightFigure(credits: number): string {
  return credits.toLocaleString("en-US", { maximumFractionDigits: credits < 100 ? 1 : 0 });
}

/** The account that the figures are for, in words. */
export const exampleWords = `${exampleAccount.apps} apps (half of each store) in ${exampleAccount.countries.length} countries, with ${exampleAccount.keywords} keywords per app and country`;

import { datasets } from "../datasets/shared/all.ts";
import { examplePortfolio } from "../planner/example-portfolio.ts";
import { nightCost } from "../planner/night-cost.ts";
import { sumBy } from "../core/sum.ts";

/** The account for which nights are priced: apps of both stores in turn, each in all countries with keywords of its own. */
const exampleAccount = { apps: 20, countries: ["US", "GB", "DE", "JP", "BR"], keywords: 200 } as const;

/** A second of work whose end is always the same, and which pages of docs and commands take in turn. */
let costsOnce: Promise<ReadonlyMap<string, number>> | undefined;

/** Credits that a night costs for the example account by the name of the dataset, whether it is on or off. See `nightCost`. */
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

/** Credits of a night as a table shows them: small ones with a tenth. */
export function nightFigure(credits: number): string {
  return credits.toLocaleString("en-US", { maximumFractionDigits: credits < 100 ? 1 : 0 });
}

/** Whom the figures are for, in words. */
export const exampleWords = `${exampleAccount.apps} apps (half of each store) in ${exampleAccount.countries.length} countries, with ${exampleAccount.keywords} keywords per app and country`;

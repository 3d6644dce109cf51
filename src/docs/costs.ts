import { organisations } from "../datasets/search-ads-integration.ts";
import { datasets } from "../datasets/shared/all.ts";
import { examplePortfolio } from "../planner/example-portfolio.ts";
import { expectedCredits } from "../planner/night-cost.ts";
import { count, countOf } from "../core/words.ts";
import { sumBy } from "../core/sum.ts";

/** The size of an account: apps, each in all countries, and keywords for each app and country. */
export type AccountSize = { readonly apps: number; readonly countries: number; readonly keywords: number };

/** Accounts of three sizes whose price the docs show. */
export const accountSizes: readonly AccountSize[] = [
  { apps: 1, countries: 1, keywords: 50 },
  { apps: 5, countries: 5, keywords: 200 },
  { apps: 20, countries: 10, keywords: 500 },
];

const countryCodes = ["US", "GB", "DE", "JP", "BR", "FR", "IT", "ES", "CA", "MX"];

/** Credits by dataset: the first load with its history, and a month of 30 nights after that. */
export type AccountCost = ReadonlyMap<string, { readonly first: number; readonly month: number }>;

/** What an account of a size pays for each dataset, at default settings and documented prices, as the real planner calculates it. */
export async function accountCost({ apps, countries, keywords }: AccountSize): Promise<AccountCost> {
  const portfolio = examplePortfolio({ apps, countries: countryCodes.slice(0, countries), keywords }, datasets);
  const costs = new Map<string, { first: number; month: number }>();
  for (const dataset of datasets) {
    const { history, night } = await expectedCredits(dataset, portfolio);
    costs.set(dataset.name, { first: history, month: 30 * night });
  }
  return costs;
}

/** Datasets that are on by default and request data only if a search-ads account is connected: they are planned from its organisations. */
export const searchAdsDatasets: readonly string[] = datasets
  .filter(({ on, plannedFrom }) => on && plannedFrom?.includes(organisations.name) === true)
  .map(({ name }) => name);

/** Datasets that are on by default and need no connected search-ads account. */
export const appDatasets: readonly string[] = datasets
  .filter(({ name, on }) => on && !searchAdsDatasets.includes(name))
  .map(({ name }) => name);

/** What some datasets cost together, formatted. */
export function sumWords(cost: AccountCost, kind: "first" | "month", names: readonly string[]): string {
  return count(Math.round(sumBy(names, (name) => cost.get(name)?.[kind] ?? 0)));
}

/** An account size in words. */
export function sizeWords({ apps, countries, keywords }: AccountSize): string {
  return `${countOf(apps, "app")} x ${countOf(countries, "country", "countries")} x ${keywords} keywords`;
}

import type { Settings } from "../config/settings.ts";
import type { PortfolioApp } from "../core/portfolio.ts";
import type { Day } from "../core/day.ts";
import { planningSourcesOf } from "../datasets/shared/define-dataset.ts";
import { datasets } from "../datasets/shared/all.ts";
import { settingsOf } from "./dataset-settings.ts";
import { withExampleSources } from "./example-portfolio.ts";
import { expectedCredits } from "./night-cost.ts";
import { datasetsOf } from "./plan-stream.ts";

/**
 * What a portfolio costs in credits: the first load with its history, then a night, as a mean. `connected`: what is added to a night where
 * accounts of search ads are connected, which only the service knows.
 */
export type PortfolioPrice = { readonly first: number; readonly night: number; readonly connected: number };

/** What is priced: apps with their countries and keywords, for the datasets that are on, or these, on a day. */
export type PriceRequest = {
  readonly apps: readonly PortfolioApp[];
  readonly settings: Settings;
  readonly today: Day;
  readonly datasets?: readonly string[];
};

/** Nights that are counted at least: a week tells weekday from weekend, and a price on a terminal is waited for. */
const nights = 7;

/**
 * Prices a portfolio before anything is requested for it, with the settings of each dataset, at documented prices and one page an answer.
 * What other datasets find (competitors, for instance) is taken as one of a kind.
 */
export async function portfolioPrice({
  apps,
  settings,
  today,
  datasets: names = [],
}: PriceRequest): Promise<PortfolioPrice> {
  const request = { datasets: names, bounds: {}, today };
  const listed = datasets.filter(({ stage }) => stage === "listing");
  const connected = withExampleSources(apps, datasets);
  const plain = withExampleSources(
    apps,
    datasets.filter((dataset) => !listed.includes(dataset)),
  );
  const found = new Set(listed.flatMap(planningSourcesOf).map(({ name }) => name));
  const sum = { first: 0, night: 0, connected: 0 };
  for (const dataset of datasetsOf(request, settings)) {
    const options = { settings: settingsOf(dataset, settings), before: today, nights };
    const expected = await expectedCredits(dataset, plain, options);
    sum.first += expected.history;
    sum.night += expected.night;
    if (dataset.plannedFrom?.some((name) => found.has(name)) !== true) continue;
    sum.connected += (await expectedCredits(dataset, connected, options)).night - expected.night;
  }
  return sum;
}

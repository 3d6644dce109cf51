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
 * What a portfolio costs in credits: the first load with its history, then the mean of a night. `connectedFirst` and `connected`: the
 * additions to both for each connected account of search ads, which only the service knows.
 */
export type PortfolioPrice = {
  readonly first: number;
  readonly night: number;
  readonly connectedFirst: number;
  readonly connected: number;
};

/**
 * What is priced: apps with their countries and keywords, for the datasets that are on, or for these. With a start day: over at least a
 * week, which includes weekdays and weekend. Without one: over a whole month, as in the docs.
 */
export type PriceRequest = {
  readonly apps: readonly PortfolioApp[];
  readonly settings: Settings;
  readonly today?: Day;
  readonly datasets?: readonly string[];
};

/** The minimum number of nights if a day is named: someone waits for a price on a terminal. */
const nights = 7;

/** What a dataset costs in credits: as a PortfolioPrice. */
export type DatasetPrice = PortfolioPrice & { readonly dataset: string };

/**
 * Prices a portfolio before anything is requested for it, with the settings of each dataset, at documented prices and one page an answer.
 * Members that other datasets find (competitors, for instance) count as one of each kind.
 */
export async function portfolioPrice(request: PriceRequest): Promise<PortfolioPrice> {
  const prices = await datasetPrices(request);
  const sum = (of: (price: PortfolioPrice) => number) => prices.reduce((all, price) => all + of(price), 0);
  return {
    first: sum(({ first }) => first),
    night: sum(({ night }) => night),
    connectedFirst: sum((one) => one.connectedFirst),
    connected: sum((one) => one.connected),
  };
}

/** The same dataset by dataset. */
export async function datasetPrices({
  apps,
  settings,
  today,
  datasets: names = [],
}: PriceRequest): Promise<readonly DatasetPrice[]> {
  const listed = datasets.filter(({ stage }) => stage === "listing");
  const connected = withExampleSources(apps, datasets);
  const plain = withExampleSources(
    apps,
    datasets.filter((dataset) => !listed.includes(dataset)),
  );
  const found = new Set(listed.flatMap(planningSourcesOf).map(({ name }) => name));
  const prices: DatasetPrice[] = [];
  for (const dataset of datasetsOf({ datasets: names }, settings)) {
    const own = settingsOf(dataset, settings);
    const options = { settings: own, ...(today === undefined ? {} : { before: today, nights }) };
    const { history: first, night } = await expectedCredits(dataset, plain, options);
    const needsAccount = dataset.plannedFrom?.some((name) => found.has(name)) === true;
    const ads = needsAccount ? await expectedCredits(dataset, connected, options) : { history: first, night };
    prices.push({
      dataset: dataset.name,
      first,
      night,
      connectedFirst: ads.history - first,
      connected: ads.night - night,
    });
  }
  return prices;
}

import type { App } from "../app.ts";
import { readPortfolio } from "../planner/portfolio.ts";
import type { FallbackPrice } from "../planner/fallback-price.ts";
import type { NextStep } from "../runs/next-step.ts";
import { portfolioPrice, type PortfolioPrice } from "../planner/portfolio-price.ts";
import { count, countOf, durationText } from "../core/words.ts";
import { datasetNamed } from "../datasets/shared/all.ts";
import { alwaysPages } from "../ingest/page-limit.ts";
import { datasetsAtLeast } from "../planner/plan-work.ts";
import { table } from "./table.ts";

/** Nights per month in prices. */
export const nightsAMonth = 30;

/** The price of the portfolio as it is known now; see `portfolioPrice`. */
export async function priceOfNow(app: App, datasets: readonly string[]): Promise<PortfolioPrice> {
  const { settings } = app.config;
  const { apps } = await readPortfolio(app.warehouse.db, settings);
  return portfolioPrice({ apps, settings, today: app.clock.today(), datasets });
}

/** What nights cost, in one or two lines. */
export function nightWords({ night, connected }: Pick<PortfolioPrice, "night" | "connected">): string {
  const whole = Math.round(night);
  const month = Math.round(nightsAMonth * night);
  const nights = `A night then costs about ${countOf(whole, "credit")}, ${nightsAMonth} nights about ${count(month)}.`;
  if (Math.round(connected) === 0) return nights;
  return `${nights}\nEach connected search-ads account adds about ${count(Math.round(connected))} a night, more if its reports have several pages.`;
}

/** The last question before a first worker starts. `credits`: the price of what is missing now. */
export function startQuestion(credits: number): string {
  const now = credits === 0 ? "" : `${countOf(credits, "credit")} now, then `;
  return `Start the worker, and spend ${now}night by night?`;
}

/**
 * What the next step costs, for a terminal: one line, or a table if it has several datasets. `priced`: whether later steps are priced
 * before they are requested.
 */
export function stepWords(
  { stage, work, credits, requests }: NextStep,
  {
    atLeast,
    priced: isPriced,
    requestsPerSecond,
  }: { readonly atLeast: readonly string[]; readonly priced: boolean; readonly requestsPerSecond: number },
): string {
  const [only] = work;
  const guessed = (dataset: string) => (atLeast.includes(dataset) ? "at least" : "");
  const rows = work.map((one) => [one.dataset, one.requests, one.credits, guessed(one.dataset)]);
  const total = ["total", requests, credits, atLeast.length > 0 ? "at least" : ""];
  const price =
    work.length === 1 && only !== undefined
      ? `${stepName[stage]}: ${only.dataset}, ${countOf(requests, "request")}, ${guessed(only.dataset)} ${countOf(credits, "credit")}.`.replace(
          "  ",
          " ",
        )
      : `${stepName[stage]}:\n${table(["dataset", "requests", "credits", ""], [...rows, total])}`;
  const priced = [price, ...paceLines(requests, requestsPerSecond), ...guessLines(atLeast)].join("\n");
  return stage === "market"
    ? priced
    : `${priced}\nThe next step is planned from the answers, and ${isPriced ? "priced before it is requested" : "requested at once, because --yes agrees to it: `storehouse runs` shows its price"}.`;
}

/** How long these requests take, in a line; none for a time that nobody plans for. */
function paceLines(requests: number, requestsPerSecond: number): readonly string[] {
  const ms = (requests / requestsPerSecond) * 1_000;
  if (ms < noticedMs) return [];
  return [
    `It takes at least ${durationText(ms)} at ${countOf(requestsPerSecond, "request")} a second. Interrupt it at any time: the same command continues.`,
  ];
}

/** A shorter time needs no word. */
const noticedMs = 10_000;

/**
 * Why the prices of these datasets are a minimum, how far they may be exceeded, and by what; empty if there are none. `limit`: what else
 * limits that; a retry has no such option.
 */
export function guessLines(
  atLeast: readonly string[],
  limit = ", and --max-credits the spending of a sync",
): readonly string[] {
  if (atLeast.length === 0) return [];
  return [
    `The number of pages of an answer of ${atLeast.join(" or ")} is a guess (that of the last answer, or one) until its first page reports it. Up to ${alwaysPages} pages are paid for where no number is known: most_pages limits the pages${limit}.`,
    ...atLeast.flatMap((name) => {
      const { manyPages } = datasetNamed(name);
      return manyPages === undefined ? [] : [`${name}: ${manyPages}.`];
    }),
  ];
}

/**
 * What a plan of this many credits may cost in addition, one line per dataset. `atLeast`: datasets of the plan whose credits are a minimum.
 */
export function fallbackLines(
  { credits: planned, atLeast }: { readonly credits: number; readonly atLeast: readonly string[] },
  fallbacks: readonly FallbackPrice[],
): readonly string[] {
  const priceOf = (credits: number) =>
    atLeast.length > 0 ? `${countOf(credits, "credit")} or more` : `Up to ${countOf(credits, "credit")}`;
  return fallbacks.map(
    ({ dataset, credits, where }) =>
      `${priceOf(planned + credits)} if ${dataset} uses its fallback: ${count(credits)} more where ${where}.`,
  );
}

const stepName = {
  portfolio: "To read what the account tracks",
  listing: "To read the account's connections, and the lists that other datasets are planned from",
  market: "To fetch the data with its history",
} as const satisfies Record<NextStep["stage"], string>;

/** The same in one line, for an error. */
export function stepLine({ stage, work, credits }: NextStep): string {
  const costliest = work.slice(0, 3).map((one) => `${one.dataset} ${count(one.credits)}`);
  const which = `${costliest.join(", ")}${work.length > costliest.length ? " ..." : ""}`;
  const rest = stage === "market" ? "" : ", and later steps are planned from the answers";
  return `the next step costs ${countOf(credits, "credit")} (${which})${rest}`;
}

/** Datasets of a step that may take more pages than expected. */
export function atLeastIn({ work }: NextStep, { config }: App): readonly string[] {
  return datasetsAtLeast(work, config.settings);
}

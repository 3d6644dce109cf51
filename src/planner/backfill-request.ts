import { isAppNamed } from "../core/app-names.ts";
import type { Settings } from "../config/settings.ts";
import { addDays, type Day } from "../core/day.ts";
import { didYouMean } from "../core/did-you-mean.ts";
import { fail } from "../core/errors.ts";
import { keptFrom, periodOf } from "../core/period.ts";
import type { Portfolio, PortfolioApp } from "../core/portfolio.ts";
import { firstStoreOpened } from "../core/store.ts";
import { lastDay, oneDay, type Window } from "../core/window.ts";
import { datasetNamed } from "../datasets/shared/all.ts";
import { organisations } from "../datasets/search-ads-integration.ts";
import type { Dataset } from "../datasets/shared/define-dataset.ts";
import { examplePartitions } from "./example-partitions.ts";
import { settingsOf } from "./dataset-settings.ts";
import type { Only } from "./request.ts";
import type { PartitionGroup } from "../core/partition-group.ts";
import { settledEnd, type Reprocess } from "../plan/missing.ts";
import { listed } from "../core/words.ts";

/** What a backfill requests; stored with its plan. `bounds` is half-open; empty lists mean all. */
export type BackfillRequest = {
  readonly datasets: readonly string[];
  readonly bounds: Partial<Window>;
  readonly apps: readonly string[];
  readonly countries: readonly string[];
  /** Only these partitions of the datasets, chosen one by one; all if left out. */
  readonly groups?: readonly PartitionGroup[];
  readonly reprocess: Reprocess;
  readonly newestFirst: boolean;
  readonly mostCredits: number | null;
};

/** A request that can be planned, and sentences about the parts that are unavailable. */
export type CheckedRequest = { readonly request: BackfillRequest; readonly notes: readonly string[] };

/** How many names an error lists. */
const namedAtMost = 20;

/**
 * Checks a request against the portfolio and cuts it to what can be requested; a note names each part that is cut. Throws a UsageError for
 * anything outside the portfolio, for datasets that list the portfolio, and while the portfolio is unknown.
 */
export function checkedRequest(
  requested: BackfillRequest,
  { portfolio, settings, today }: { portfolio: Portfolio; settings: Settings; today: Day },
): CheckedRequest {
  const all = requested.datasets.map(datasetNamed);
  for (const dataset of all) checkStage(dataset);
  if (isEmpty(portfolio) && !all.every(isOfOrganisations)) throw fail("portfolio_empty");
  const countries = portfolioCountries(requested, portfolio);
  for (const dataset of all) checkReach(dataset, { ...requested, countries }, portfolio, settings);
  const notes: string[] = [];
  const bounds = afterOpening(requested.bounds, notes);
  const datasets = all.filter((dataset) => isAvailable(dataset, { bounds, settings, today }, notes));
  return {
    request: { ...requested, countries, bounds, datasets: [...new Set(datasets.map(({ name }) => name))] },
    notes,
  };
}

/** The countries of a request in upper case. Throws a UsageError for an app or a country that is not in the portfolio. */
export function portfolioCountries(
  { apps, countries }: { readonly apps: readonly string[]; readonly countries: readonly string[] },
  portfolio: Portfolio,
): readonly string[] {
  const upper = countries.map((country) => country.toUpperCase());
  if (apps.length + upper.length > 0 && isEmpty(portfolio)) throw fail("portfolio_empty");
  checkCountries(upper, chooseApps(apps, portfolio));
  return upper;
}

function isEmpty({ apps }: Portfolio): boolean {
  return apps.every(({ countries }) => countries.length === 0);
}

/** True for a dataset that is planned from the organisations of search ads, not from the tracked apps. */
function isOfOrganisations({ plannedFrom = [] }: Dataset): boolean {
  return plannedFrom.includes(organisations.name);
}

function checkStage({ name, stage }: Dataset): void {
  if (stage === "portfolio")
    throw fail("bad_argument", {
      problem: `${name} is a list of the portfolio, which \`storehouse sync\` reads`,
    });
}

function chooseApps(names: readonly string[], portfolio: Portfolio): readonly PortfolioApp[] {
  if (names.length === 0) return portfolio.apps;
  const known = portfolio.apps.map(({ trackId }) => trackId);
  return names.flatMap((value) => {
    const found = portfolio.apps.filter((app) => isAppNamed([value], app));
    if (found.length === 0)
      throw fail("not_in_portfolio", {
        what: "app",
        value,
        portfolio: `${listed(known, namedAtMost)}${didYouMean(value, known)}`,
      });
    return found;
  });
}

function checkCountries(countries: readonly string[], apps: readonly PortfolioApp[]): void {
  const known = [...new Set(apps.flatMap((app) => app.countries.map(({ country }) => country)))].sort();
  for (const value of countries)
    if (!known.includes(value))
      throw fail("not_in_portfolio", { what: "country", value, portfolio: listed(known, namedAtMost) });
}

/** A filter that leaves nothing of a dataset is a mistake, not an empty plan. */
function checkReach(dataset: Dataset, requested: BackfillRequest, portfolio: Portfolio, settings: Settings): void {
  const own = dataset.partitions(portfolio);
  // before what it is planned from is loaded, those of an example show what it distinguishes
  const scopes = (own.length > 0 ? own : examplePartitions(dataset)).map(({ scope }) => scope);
  if (requested.apps.length > 0 && scopes.length > 0 && !scopes.some((scope) => scope["app"] !== undefined))
    throw fail("bad_argument", {
      problem: `--app cannot be used with ${dataset.name}, which does not distinguish apps`,
    });
  const configured = settings.datasets[dataset.name]?.countries;
  const left = requested.countries.filter((country) => configured?.includes(country) ?? true);
  if (requested.countries.length > 0 && left.length === 0)
    throw fail("bad_argument", {
      problem: `datasets.${dataset.name}.countries in config/storehouse.yaml does not include --country`,
    });
}

function afterOpening(bounds: Partial<Window>, notes: string[]): Partial<Window> {
  if (bounds.start === undefined || bounds.start >= firstStoreOpened) return bounds;
  notes.push(`The first store opened on ${firstStoreOpened}: earlier days cannot be requested.`);
  return { ...bounds, start: firstStoreOpened };
}

type Frame = { readonly bounds: Partial<Window>; readonly settings: Settings; readonly today: Day };

/** False if none of the requested days of a dataset is available. Adds notes about those that are not. */
function isAvailable(dataset: Dataset, { bounds, settings, today }: Frame, notes: string[]): boolean {
  const { name, timing } = dataset;
  const from = bounds.start ?? today;
  const kept = keptFrom(today, settingsOf(dataset, settings).keep_months);
  if (timing.kind !== "snapshot" && kept !== null && bounds.start !== undefined && bounds.start < kept) {
    notes.push(
      `${name} is kept from ${kept} on (keep_months in config/storehouse.yaml): earlier days are not requested.`,
    );
    if (bounds.end !== undefined && bounds.end <= kept) return false;
  }
  if (timing.kind === "snapshot") {
    const { start, end } = oneDay(today);
    if (from < start || (bounds.end ?? end) < end)
      notes.push(`${name} only has today's state: the days before ${today} are not available.`);
    return (bounds.end ?? end) >= end;
  }
  const { settle_days: settleDays = timing.settleDays } = settings.datasets[name] ?? {};
  const settled = settledEnd({ ...timing, settleDays }, today);
  // a period is unavailable until it is over and published as a whole
  const end = timing.kind === "period" ? periodOf(timing.grid, settled).start : settled;
  const first = bounds.start !== undefined && bounds.start > end ? bounds.start : end;
  if (bounds.end !== undefined && bounds.end > end)
    notes.push(
      `${name} is not published yet ${first === addDays(bounds.end, -1) ? `for ${first}` : `from ${first} on`}: the plan goes up to ${addDays(end, -1)}.`,
    );
  if (bounds.start !== undefined && bounds.start >= end && bounds.end === undefined)
    notes.push(`${name} is not published yet from ${bounds.start} on.`);
  return bounds.start === undefined || bounds.start < end;
}

/** The apps, countries and partitions that a backfill is limited to. */
export function onlyOf({ apps, countries, groups }: BackfillRequest): Only {
  return {
    ...(apps.length > 0 ? { apps } : {}),
    ...(countries.length > 0 ? { countries } : {}),
    ...(groups === undefined ? {} : { groups }),
  };
}

/** The command that a person would type for the same request. */
export function backfillCommand(request: BackfillRequest): string {
  const { datasets, bounds, apps, countries, reprocess, newestFirst, mostCredits } = request;
  return [
    "storehouse backfill",
    ...datasets.map((name) => `--dataset ${name}`),
    ...(bounds.start === undefined ? [] : [`--from ${bounds.start}`]),
    ...(bounds.end === undefined ? [] : [`--to ${lastDay({ start: bounds.end, end: bounds.end })}`]),
    ...apps.map((app) => `--app ${app}`),
    ...countries.map((country) => `--country ${country}`),
    ...(reprocess === "missing" ? [] : [`--reprocess ${reprocess}`]),
    ...(newestFirst ? ["--newest-first"] : []),
    ...(mostCredits === null ? [] : [`--max-credits ${mostCredits}`]),
  ].join(" ");
}

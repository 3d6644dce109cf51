import { accountOf } from "../config/config-of-account.ts";
import type { App } from "../app.ts";
import type { Day } from "../core/day.ts";
import type { PortfolioApp } from "../core/portfolio.ts";
import { count, countOf } from "../core/words.ts";
import { storeOf } from "../core/store.ts";
import { sumBy } from "../core/sum.ts";
import { trackedApps } from "../datasets/tracked-app.ts";
import { trackedCountry } from "../datasets/tracked-country.ts";
import { trackedKeyword } from "../datasets/tracked-keyword.ts";
import { datasetPrices, portfolioPrice, type PriceRequest } from "../planner/portfolio-price.ts";
import { portfolioOf, readTracked } from "../planner/portfolio.ts";
import { scheduled } from "../planner/scheduled-datasets.ts";
import type { KeywordChanges } from "./keyword-changes.ts";
import type { TrackedPlace } from "./tracked-lists.ts";

/**
 * The credits per night, without search ads, before and after a change of keywords. What the first night also takes: `history` for the
 * history of added keywords, if that is not shown otherwise, and `lists` for the lists of the account that the change makes due.
 */
export type KeywordNights = {
  readonly before: number;
  readonly after: number;
  readonly history?: number;
  readonly lists?: number;
};

/**
 * The price of nights after a change, compared with now. Only the difference is shown: neither figure includes search ads, whose price does
 * not depend on keywords and is known only to the service.
 */
export function nightsInWords({ before, after, history = 0, lists = 0 }: KeywordNights): string {
  const parts = [
    history > 0 ? `${countOf(history, "credit")} for the history of the added keywords` : "",
    lists > 0 ? `${countOf(lists, "credit")} to read the account's lists of keywords again` : "",
  ].filter((part) => part !== "");
  const first = parts.length === 0 ? "" : ` The first night also takes about ${parts.join(" and ")}.`;
  if (before === after) return `A night then costs the same as now.${first}`;
  const more = Math.abs(after - before);
  return `A night then costs about ${countOf(more, "credit")} ${after > before ? "more" : "less"} than now, 30 nights about ${count(30 * more)}.${first}`;
}

/**
 * The credits for the history of keywords that are added to the countries of an app: they are requested alone, however much room the calls
 * for earlier keywords have.
 */
export async function historyPrice(
  app: PortfolioApp,
  added: readonly string[],
  { settings, today }: Pick<PriceRequest, "settings"> & { readonly today: Day },
): Promise<number> {
  const firstOf = async (keywords: readonly string[]) => {
    const countries = app.countries.map((one) => ({ ...one, keywords }));
    return (await portfolioPrice({ apps: [{ ...app, countries }], settings, today })).first;
  };
  return added.length === 0 ? 0 : Math.max(0, (await firstOf(added)) - (await firstOf([])));
}

/**
 * Prices a night before and after a change of keywords. Null before the account's apps were read: then nothing is known about its nights.
 */
export async function nightsWith(
  { config, warehouse, clock }: App,
  place: TrackedPlace,
  changes: Pick<KeywordChanges, "add" | "remove">,
): Promise<KeywordNights | null> {
  const { settings } = config;
  const tracked = await readTracked(warehouse.db, { account: accountOf(settings) });
  if (tracked.length === 0) return null;
  const nightOf = async (account: readonly PortfolioApp[]) => {
    const { apps } = portfolioOf(account, settings.portfolio);
    return Math.round((await portfolioPrice({ apps, settings, today: clock.today() })).night);
  };
  const [before, after] = [await nightOf(tracked), await nightOf(withChanges(tracked, place, changes))];
  const [own] = withChanges([], place, changes);
  const history = own === undefined ? 0 : await historyPrice(own, changes.add, { settings, today: clock.today() });
  const lists = await listsPrice(tracked, place, changes, { settings, today: clock.today() });
  return { before, after, history: Math.ceil(history), lists: Math.ceil(lists) };
}

/** The credits for the lists that a change makes due (`makeListsDue`), which the next sync reads again: of additions and removals alike. */
export async function listsPrice(
  tracked: readonly PortfolioApp[],
  place: TrackedPlace,
  changes: Pick<KeywordChanges, "add" | "remove">,
  { settings, today }: Pick<PriceRequest, "settings"> & { readonly today: Day },
): Promise<number> {
  const isListed = tracked.some(isAppOf(place));
  const lists = [...(isListed ? [] : [trackedApps.name]), trackedCountry.name, trackedKeyword.name];
  const names = scheduled(lists, settings);
  if (names.length === 0) return 0;
  const apps = withChanges(tracked, place, changes)
    .filter(({ trackId }) => trackId === place.trackId)
    .map((app) => ({ ...app, countries: app.countries.filter(({ country }) => country === place.country) }));
  const prices = await datasetPrices({ apps, settings, today, datasets: names });
  return sumBy(
    prices.filter(({ dataset }) => names.includes(dataset)),
    ({ first }) => first,
  );
}

/** The apps of an account after a change of the keywords of one app and country, either of which may be new. */
export function withChanges(
  apps: readonly PortfolioApp[],
  place: TrackedPlace,
  { add, remove }: Pick<KeywordChanges, "add" | "remove">,
): readonly PortfolioApp[] {
  const { trackId, country } = place;
  const isMeant = isAppOf(place);
  const app = apps.find(isMeant) ?? { store: storeOf(trackId), trackId, tracked: true, countries: [] };
  const known = app.countries.find((one) => one.country === country)?.keywords ?? [];
  const gone = new Set(remove);
  const keywords = [...new Set([...known.filter((keyword) => !gone.has(keyword)), ...add])].sort();
  const others = app.countries.filter((one) => one.country !== country);
  const changed = { ...app, countries: [...others, { country, keywords, keywordCount: keywords.length }] };
  return [...apps.filter((one) => !isMeant(one)), changed];
}

function isAppOf({ trackId }: TrackedPlace) {
  return (app: PortfolioApp) => app.store === storeOf(trackId) && app.trackId === trackId;
}

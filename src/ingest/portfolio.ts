import type { Settings } from "../config/settings.ts";
import type { Portfolio, PortfolioApp, PortfolioCountry } from "../core/portfolio.ts";
import { storeOf } from "../core/store.ts";

/** What is followed: what the account tracks, what the configuration lists, or both, one entry an app and country. Pure. */
export function portfolioOf(tracked: readonly PortfolioApp[], settings: Settings["portfolio"]): Portfolio {
  const listed = settings.apps.map((app): PortfolioApp => ({
    store: storeOf(app.id),
    trackId: app.id,
    tracked: false,
    countries: app.countries.map((country) => ({ country, keywords: app.keywords, keywordCount: null })),
  }));
  const account = tracked.map((app) => ({ ...app, countries: app.countries.map(asTracked) }));
  const sources = { account, config: listed, both: [...account, ...listed] };
  const groups = Map.groupBy(sources[settings.source], (app) => `${app.store}:${app.trackId}`);
  const apps = [...groups.values()].flatMap((same) =>
    same.slice(0, 1).map((app) => ({
      ...app,
      tracked: same.some(({ tracked: known }) => known),
      countries: merge(same.flatMap(({ countries }) => countries)),
    })),
  );
  return { apps: apps.sort((a, b) => compare(a.store, b.store) || compare(a.trackId, b.trackId)) };
}

function merge(countries: readonly PortfolioCountry[]): readonly PortfolioCountry[] {
  const groups = Map.groupBy(countries, ({ country }) => country);
  return [...groups]
    .map(([country, same]) => ({
      country,
      keywords: unique(same.map(({ keywords }) => keywords)),
      tracked: unique(same.map((one) => one.tracked ?? [])),
      keywordCount: same.find(({ keywordCount }) => keywordCount !== null)?.keywordCount ?? null,
    }))
    .sort((a, b) => compare(a.country, b.country));
}

function asTracked(country: PortfolioCountry): PortfolioCountry {
  return { ...country, tracked: country.keywords };
}

function unique(lists: readonly (readonly string[])[]): readonly string[] {
  return [...new Set(lists.flat())].sort(compare);
}

/** By code unit, so that the order never depends on the machine's language. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

import { accountOf } from "../config/config-of-account.ts";
import type { App } from "../app.ts";
import type { PortfolioApp } from "../core/portfolio.ts";
import { count, countOf } from "../core/words.ts";
import { storeOf } from "../core/store.ts";
import { portfolioPrice } from "../planner/portfolio-price.ts";
import { portfolioOf, readTracked } from "../planner/portfolio.ts";
import type { KeywordChanges, TrackedPlace } from "./keyword-changes.ts";

/** The credits per night, without search ads, before and after a change of keywords. */
export type KeywordNights = { readonly before: number; readonly after: number };

/**
 * The price of nights after a change, compared with now. Only the difference is shown: neither figure includes search ads, whose price does
 * not depend on keywords and is known only to the service.
 */
export function nightsInWords({ before, after }: KeywordNights): string {
  if (before === after) return "A night then costs the same as now.";
  const more = Math.abs(after - before);
  return `A night then costs about ${countOf(more, "credit")} ${after > before ? "more" : "less"} than now, 30 nights about ${count(30 * more)}.`;
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
  return { before: await nightOf(tracked), after: await nightOf(withChanges(tracked, place, changes)) };
}

/** The apps of an account after a change of the keywords of one app and country, either of which may be new. */
export function withChanges(
  apps: readonly PortfolioApp[],
  { trackId, country }: TrackedPlace,
  { add, remove }: Pick<KeywordChanges, "add" | "remove">,
): readonly PortfolioApp[] {
  const isMeant = (app: PortfolioApp) => app.store === storeOf(trackId) && app.trackId === trackId;
  const app = apps.find(isMeant) ?? { store: storeOf(trackId), trackId, tracked: true, countries: [] };
  const known = app.countries.find((one) => one.country === country)?.keywords ?? [];
  const gone = new Set(remove);
  const keywords = [...new Set([...known.filter((keyword) => !gone.has(keyword)), ...add])].sort();
  const others = app.countries.filter((one) => one.country !== country);
  const changed = { ...app, countries: [...others, { country, keywords, keywordCount: keywords.length }] };
  return [...apps.filter((one) => !isMeant(one)), changed];
}

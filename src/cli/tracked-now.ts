import { dailyKeywordRankings, numberOfKeywords } from "../api/operations/dashboard.ts";
import { storeOf } from "../core/store.ts";
import { readTracked } from "../warehouse/portfolio.ts";
import { ifAny, type Asking } from "./asking.ts";

/** The keywords of which app and country are meant. */
export type TrackedPlace = { readonly trackId: string; readonly country: string };

/** What the account tracks now: how many keywords, which ones (null where that is not known), and whether the app at all, as last synced. */
export type TrackedNow = {
  readonly count: number;
  readonly keywords: readonly string[] | null;
  readonly isAppTracked: boolean;
};

/**
 * Finds out what the account tracks, for as little as it takes: the count costs a credit, and as long as it is that of the list that
 * was synced last this one holds, as it does for a sync. Otherwise the dear list is read anew where `buy` says so: `never` leaves it.
 */
export async function trackedNow(
  { app, ask }: Asking,
  { trackId, country }: TrackedPlace,
  buy: "never" | "when needed" | "always",
): Promise<TrackedNow> {
  const apps = await readTracked(app.warehouse.db);
  const synced = apps.find((one) => one.store === storeOf(trackId) && one.trackId === trackId);
  const isAppTracked = synced !== undefined;
  const count = (await ifAny(ask(numberOfKeywords, { trackId })))?.[country] ?? 0;
  if (count === 0) return { count, keywords: [], isAppTracked };
  const known = synced?.countries.find((one) => one.country === country)?.keywords ?? [];
  if (buy !== "always" && known.length === count) return { count, keywords: known, isAppTracked };
  if (buy === "never") return { count, keywords: null, isAppTracked };
  const device = storeOf(trackId) === "ios" ? { device: "iphone" } : {};
  const list = (await ifAny(ask(dailyKeywordRankings, { trackId, countryCode: country, ...device }))) ?? [];
  return { count, keywords: [...new Set(list.map(({ keyword }) => keyword))], isAppTracked };
}

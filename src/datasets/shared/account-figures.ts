import type { InvalidItem } from "../../api/read-answer.ts";
import type { Portfolio, PortfolioApp } from "../../core/portfolio.ts";
import type { Slice } from "../../core/slice.ts";
import type { Timing } from "../../core/timing.ts";
import { holds } from "../../core/window.ts";
import type { PlanningSource } from "../../load/planning-sources.ts";
import { defineTable, extraOf } from "../../load/table.ts";
import { readInstant } from "./instants.ts";

/** Which of the account's apps are connected to their store account, according to `tracked_app`. */
export const connections = "store_connection";

/** Days of a call about an app that is not known to be connected. */
const rareDays = 28;

/**
 * The apps of which the account got figures lately. The first call about an app may end four weeks ago, and the next plan must still find
 * it, also if it comes some days later.
 */
export const loadedFigures = {
  name: "loaded_figure",
  table: defineTable({
    name: "ops.loaded_figure",
    columns: { store: "text", track_id: "text", account: "text", window_end: "day" },
    key: ["store", "track_id", "account", "window_end"],
    load: { kind: "upsert" },
    partitioned: false,
  }),
  columns: ["store", "track_id"],
  recent: { column: "window_end", days: rareDays + 7 },
} as const satisfies PlanningSource;

/**
 * Figures of the account's own apps: restated for some days. An answer without any may mean that the app is not connected yet: its whole
 * history is requested again after a week.
 */
export const figuresTiming = {
  kind: "series",
  settleDays: 1,
  lookbackDays: 7,
  historyDays: 90,
  emptyHoldsDays: 7,
} as const satisfies Timing;

/** For an app that is known not to be connected, or is not the account's own: there is probably nothing to fetch. */
const nowAndThen: Timing = { ...figuresTiming, lookbackDays: 0, packDays: rareDays, emptyHoldsDays: rareDays };

/**
 * The apps of the portfolio, with a separate timing for those not known to be connected. The account's list says it of the apps that the
 * account tracks; of any app, recent figures show it.
 */
export function accountApps(portfolio: Portfolio): readonly { readonly app: PortfolioApp; readonly timing?: Timing }[] {
  const found = (portfolio.sources?.[connections] ?? []).map(
    ({ store, app, is_store_account_connected: connected }) => [`${store}:${app}`, connected === "true"] as const,
  );
  const connected = new Map<string, boolean>(found);
  const loaded = new Set<string>(
    (portfolio.sources?.[loadedFigures.name] ?? []).map(({ store, track_id: app }) => `${store}:${app}`),
  );
  return portfolio.apps.map((app) => {
    const name = `${app.store}:${app.trackId}`;
    const isUsual = loaded.has(name) || (app.tracked && connected.get(name) !== false);
    return isUsual ? { app } : { app, timing: nowAndThen };
  });
}

/** A figure of one of the account's apps: its day, its country (ALL for the total), and the other fields of the answer. */
type Figure<P> = {
  readonly point: P;
  readonly day: string;
  readonly country: string;
  readonly extra: string | null;
};

const known = ["date", "countryCode", "country", "units", "androidStoreVisits"];

/** The points of an answer by day and country. A point without a country is about the requested one, or about all if none was requested. */
export function accountFigures<P extends { readonly date: number | string }>(
  { scope, window }: Slice,
  points: readonly P[],
  countryOf: (point: P) => string | null | undefined,
): { readonly figures: readonly Figure<P>[]; readonly invalid: readonly InvalidItem[] } {
  const requested = scope["country"];
  const figures: Figure<P>[] = [];
  const invalid: InvalidItem[] = [];
  for (const point of points) {
    const { day } = readInstant(point.date);
    const country = (countryOf(point) ?? requested ?? "ALL").toUpperCase();
    if (!holds(window, day)) invalid.push({ reason: "a day that was not requested", item: point });
    else if (requested !== undefined && country !== requested)
      invalid.push({ reason: "a country that was not requested", item: point });
    else figures.push({ point, day, country, extra: extraOf(point, known) });
  }
  return { figures, invalid };
}

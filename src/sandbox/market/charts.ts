import type { Store } from "../../core/store.ts";
import type { Day } from "../../core/day.ts";
import { appFacts } from "./app-facts.ts";
import type { MarketApp } from "./apps.ts";
import { hashOf, mix, unit, wander } from "./noise.ts";
import { dayNumber, type RankDevice } from "./ranks.ts";

/** The three charts of a category. */
export type ChartType = "FREE" | "PAID" | "GROSSING";

/** One chart of one store at one hour; `device` is `ALL` on Android. */
export type ChartCell = {
  readonly store: Store;
  readonly country: string;
  readonly categoryId: number;
  readonly type: ChartType;
  readonly device: RankDevice;
  readonly day: Day;
  /** 0 to 23; the last hour gives the chart of a day. */
  readonly hour: number;
};

/** How many apps a chart shows. */
const chartLength = 100;
/** The hours at which the service crawls the charts. */
export const chartHours = [0, 6, 12, 18] as const;
export const overallCategory = { ios: 36, android: 26 } as const satisfies Record<Store, number>;

/** The categories in whose charts an app can be. */
export function categoriesOf(app: MarketApp): readonly number[] {
  return [overallCategory[app.store], appFacts(app).categoryId];
}

/** The positions of the market's apps in a chart, by track id: 1 is the best, each position is used once. */
export function placesIn(apps: readonly MarketApp[], cell: ChartCell): ReadonlyMap<string, number> {
  const wanted = apps
    .filter((app) => canBeIn(app, cell))
    .map((app) => ({ app, place: freePlace(app, cell) }))
    .filter(({ place }) => place <= chartLength)
    .sort((a, b) => a.place - b.place || (a.app.trackId < b.app.trackId ? -1 : 1));
  const places = new Map<string, number>();
  let last = 0;
  for (const { app, place } of wanted) {
    last = Math.max(last + 1, place);
    if (last <= chartLength) places.set(app.trackId, last);
  }
  return places;
}

/** All track ids of a chart in order; apps outside the market fill the places between them. */
export function chartOf(apps: readonly MarketApp[], cell: ChartCell): readonly string[] {
  const byPlace = new Map([...placesIn(apps, cell)].map(([trackId, place]) => [place, trackId]));
  const seed = hashOf("filler", cell.store, cell.categoryId, cell.type) % 1_000;
  return Array.from(
    { length: chartLength },
    (_, index) => byPlace.get(index + 1) ?? unlistedApp(cell.store, seed, index),
  );
}

/** The id of an app without any other facts. */
export function unlistedApp(store: Store, seed: number, index: number): string {
  return store === "ios" ? String(7_000_000_000 + seed * 1_000 + index) : `com.unlistedApp.s${seed}.n${index}`;
}

function canBeIn(app: MarketApp, cell: ChartCell): boolean {
  const { price } = appFacts(app);
  return (
    app.store === cell.store &&
    app.countries.includes(cell.country) &&
    cell.day >= app.released &&
    categoriesOf(app).includes(cell.categoryId) &&
    (cell.type === "GROSSING" || (price === 0) === (cell.type === "FREE"))
  );
}

/** The place that an app would have if it were the only one; it moves over time and may leave the chart. */
function freePlace(app: MarketApp, cell: ChartCell): number {
  const hash = hashOf("chart", app.store, app.trackId, cell.country, cell.categoryId, cell.type, cell.device);
  const level =
    0.35 + 0.8 * unit(mix(hash, 1)) + (0.6 - app.popularity) + wander(hash, dayNumber(cell.day) + cell.hour / 24) * 0.2;
  return Math.max(1, Math.round(Math.exp(Math.max(0, level) * Math.log(chartLength))));
}

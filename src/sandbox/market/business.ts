import { addMonths, monthStart, type Day } from "../../core/day.ts";
import { daysOf } from "../../core/window.ts";
import { appFacts } from "./app-facts.ts";
import type { MarketApp } from "./apps.ts";
import { hashOf, mix, unit, wander } from "./noise.ts";
import { dayNumber, type RankDevice } from "./ranks.ts";
import { sumBy } from "../../core/sum.ts";

/** One app in one country on one day, on one device. */
type BusinessCell = {
  readonly app: MarketApp;
  readonly country: string;
  readonly day: Day;
  readonly device: RankDevice;
};

/** What an app did on a day. */
export type Business = { readonly downloads: number; readonly revenue: number; readonly views: number };

/** How many installed an app, what they paid in US dollars, how many saw its page. */
function businessOn({ app, country, day, device }: BusinessCell): Business {
  if (!app.countries.includes(country) || day < app.released) return { downloads: 0, revenue: 0, views: 0 };
  const hash = hashOf("business", app.store, app.trackId, country, device);
  const size = (device === "IPAD" ? 60 : 400) * app.popularity ** 2;
  const downloads = Math.round(size * (0.4 + unit(mix(hash, 1))) * (1 + 0.5 * wander(hash, dayNumber(day))));
  const spent = downloads * (appFacts(app).price + 0.2 + unit(mix(hash, 2)));
  return {
    downloads,
    revenue: Math.round(spent * 100) / 100,
    views: Math.round(downloads * (2 + 3 * unit(mix(hash, 3)))),
  };
}

/** The sum over days and devices. */
export function businessOver(
  app: MarketApp,
  country: string,
  over: { days: readonly Day[]; devices: readonly RankDevice[] },
): Business {
  const cells = over.days.flatMap((day) => over.devices.map((device) => businessOn({ app, country, day, device })));
  return {
    downloads: sumBy(cells, ({ downloads }) => downloads),
    revenue: Math.round(sumBy(cells, ({ revenue }) => revenue) * 100) / 100,
    views: sumBy(cells, ({ views }) => views),
  };
}

/** The days of the calendar month before that of `today`. */
export function lastMonth(today: Day): readonly Day[] {
  const end = monthStart(today);
  return daysOf({ start: addMonths(end, -1), end });
}

/** How visible an app is in a country's searches on a day: 0 to 100, one decimal. */
export function visibilityOn(app: MarketApp, country: string, day: Day): number {
  const hash = hashOf("visibility", app.store, app.trackId, country);
  const level = 100 * app.popularity * (0.5 + 0.5 * unit(hash)) * (1 + 0.2 * wander(hash, dayNumber(day)));
  return Math.round(Math.min(100, level) * 10) / 10;
}

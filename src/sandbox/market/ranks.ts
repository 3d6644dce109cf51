import { startOfDay, dayMs, type Day } from "../../core/day.ts";
import type { devicesOf, Store } from "../../core/store.ts";
import type { MarketApp } from "./apps.ts";
import { hashOf, mix, unit, wander, wave } from "./noise.ts";

/** A device with its own ranks in a store; `ALL` on Android. */
export type RankDevice = (typeof devicesOf)[Store][number];

/** The stores show no more than this many apps for a search. */
export const lastRank = 250;

// where each independent draw of a (app, keyword, country) starts
const draw = { everRanked: 1, gap: 2, affinity: 3, course: 4, device: 5 } as const;

/** The hash of an app, keyword and country: its ranks depend only on this, the day and the device. */
export function rankHash(options: { seed: number; app: MarketApp; keyword: string; country: string }): number {
  const { seed, app, keyword, country } = options;
  return hashOf(seed, app.store, app.trackId, keyword, country);
}

/** The position on a day, 1 the best; null if the app is not in the results. Moves from day to day. */
export function rankOn(hash: number, options: { app: MarketApp; device: RankDevice; day: Day }): number | null {
  const x = dayNumber(options.day);
  if (unit(mix(hash, draw.everRanked)) < 0.18) return null;
  if (wave(mix(hash, draw.gap), x, 18) > 0.86) return null;
  const own =
    options.device === "IPAD" ? (wander(mix(hash, draw.device), x) + unit(mix(hash, draw.device)) - 0.4) * 0.07 : 0;
  const level =
    0.14 +
    unit(mix(hash, draw.affinity)) * 0.88 +
    (0.6 - options.app.popularity) * 0.5 +
    wander(mix(hash, draw.course), x) * 0.16 +
    own;
  const rank = Math.max(1, Math.round(Math.exp(Math.max(0, level) * Math.log(lastRank))));
  return rank > lastRank ? null : rank;
}

/** Whole days since 1970-01-01. */
export function dayNumber(day: Day): number {
  return startOfDay(day) / dayMs;
}

import { addDays, day, daysBetween, type Day } from "../../core/day.ts";
import type { MarketApp } from "./apps.ts";
import { hashOf, mix, pick, unit } from "./noise.ts";

/** One advertisement for an app. */
export type Advertisement = {
  readonly id: number;
  readonly kind: "image" | "video" | "html" | "playable";
  readonly country: string;
  readonly language: string;
  readonly network: { readonly title: string; readonly id: number };
  readonly width: number;
  readonly height: number;
  readonly first: Day;
  readonly last: Day;
  readonly impressions: number;
};

export const marketNetworks = [
  { title: "Unity Ads", id: 1 },
  { title: "AdMob", id: 2 },
  { title: "ironSource", id: 3 },
  { title: "Facebook", id: 4 },
] as const;
const sizes = [
  [320, 50],
  [1080, 1920],
  [300, 250],
  [1200, 628],
] as const;
const kinds = ["image", "image", "video", "html", "playable"] as const;

/** The most days that an advertisement runs. */
const mostDays = 90;

/** The advertisements for an app that ran on any day from `start` to `end`, both inclusive. */
export function advertisementsOf(
  app: MarketApp,
  requested: { start: Day; end: Day; languageIn: (country: string) => string },
): readonly Advertisement[] {
  const hash = hashOf("ads", app.store, app.trackId);
  const advertises = unit(mix(hash, 1)) > 0.25;
  const count = advertises ? Math.floor(20 + 140 * app.popularity) : 0;
  return Array.from({ length: count }, (_, index) =>
    advertisement(app, mix(hash, 10 + index), { index, ...requested }),
  ).filter(({ first, last }) => first <= requested.end && requested.start <= last);
}

/** True if an app shows advertisements of others. */
export function isPublisher(app: MarketApp): boolean {
  return unit(mix(hashOf("ads", app.store, app.trackId), 2)) < 0.5;
}

function advertisement(
  app: MarketApp,
  hash: number,
  requested: { index: number; languageIn: (country: string) => string },
): Advertisement {
  const country = pick(mix(hash, 1), app.countries);
  const [width, height] = pick(mix(hash, 2), sizes);
  // most never end, so that any range has enough of them
  const age = daysBetween(epoch, latest);
  const first = addDays(epoch, unit(mix(hash, 3)) < 0.6 ? 0 : Math.floor(unit(mix(hash, 4)) * age));
  const last = first === epoch ? latest : addDays(first, 1 + Math.floor(unit(mix(hash, 5)) * mostDays));
  return {
    id: 900_000_000 + (hashOf(app.trackId) % 90_000) * 1_000 + requested.index,
    kind: pick(mix(hash, 6), kinds),
    country,
    language: requested.languageIn(country),
    network: pick(mix(hash, 7), marketNetworks),
    width,
    height,
    first: first < app.released ? app.released : first,
    last,
    impressions: 1_000 + Math.floor(unit(mix(hash, 8)) * 90_000),
  };
}

const epoch = day("2024-01-01");
const latest = day("2028-12-31");

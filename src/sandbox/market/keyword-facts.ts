import type { Store } from "../../core/store.ts";
import type { MarketApp } from "./apps.ts";
import { hashOf, mix, pick, unit } from "./noise.ts";

/** What the market knows about a keyword in a country, the same for every account. */
export type KeywordFacts = {
  /** 5 to 100, one decimal. */
  readonly searchVolume: number;
  /** Apps among the results; on iOS those of the phone. */
  readonly numberOfApps: number;
  readonly numberOfIpadApps: number;
  /** 1 to 100, one decimal: how easily an app would rank. */
  readonly chance: number;
  /** Search-ads popularity, 5 to 100; null if there is none. */
  readonly popularity: number | null;
  /** The app whose name this keyword is; null for most. */
  readonly brandApp: string | null;
};

/** Draws the facts about a keyword. */
export function keywordFacts(options: {
  seed: number;
  store: Store;
  keyword: string;
  country: string;
  apps: readonly MarketApp[];
}): KeywordFacts {
  const hash = hashOf(options.seed, "keyword", options.store, options.keyword, options.country);
  const volume = 5 + 95 * unit(mix(hash, 1)) ** 2;
  const candidates = options.apps.filter(
    (app) => app.store === options.store && app.countries.includes(options.country),
  );
  return {
    searchVolume: tenth(volume),
    numberOfApps: 20 + Math.floor(unit(mix(hash, 2)) * 230),
    numberOfIpadApps: 10 + Math.floor(unit(mix(hash, 3)) * 180),
    chance: tenth(1 + 99 * unit(mix(hash, 4)) * (1 - volume / 200)),
    popularity: unit(mix(hash, 5)) < 0.15 ? null : Math.max(5, Math.round(volume * (0.8 + 0.2 * unit(mix(hash, 6))))),
    brandApp: unit(mix(hash, 7)) < 0.06 && candidates.length > 0 ? pick(mix(hash, 8), candidates).trackId : null,
  };
}

function tenth(value: number): number {
  return Math.round(value * 10) / 10;
}

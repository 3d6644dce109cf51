import type { Store } from "../../core/store.ts";
import type { Day } from "../../core/day.ts";
import { hashOf, mix, unit } from "./noise.ts";
import { productAt, type Product } from "./products.ts";
import type { Topic } from "./words.ts";

/** One app of the synthetic market in one store. */
export type MarketApp = {
  readonly store: Store;
  /** Digits on iOS, a package name on Android. */
  readonly trackId: string;
  readonly name: string;
  readonly developer: string;
  readonly topic: Topic;
  /** The countries of the market that sell it. */
  readonly countries: readonly string[];
  /** It has no rank before this day. */
  readonly released: Day;
  /** 0 for an app without users, 1 for one that everybody has. */
  readonly popularity: number;
};

/** `count` apps of the market from the product at `from` on; a product that both stores sell is two of them. */
export function marketApps(options: {
  seed: number;
  count: number;
  countries: readonly string[];
  from?: number;
}): readonly MarketApp[] {
  const apps: MarketApp[] = [];
  for (let index = options.from ?? 0; apps.length < options.count; index++) {
    const product = productAt(options.seed, index);
    for (const store of ["ios", "android"] as const) {
      const trackId = product[store];
      if (trackId === null) continue;
      apps.push(appOf({ product, store, trackId, countries: soldIn(product, options.countries), seed: options.seed }));
    }
  }
  return apps.slice(0, options.count);
}

function appOf({
  product,
  store,
  trackId,
  countries,
  seed,
}: {
  product: Product;
  store: Store;
  trackId: string;
  countries: readonly string[];
  seed: number;
}): MarketApp {
  const { name, developer, topic, released } = product;
  const hash = hashOf(seed, "popularity", product.name);
  const popularity = 0.3 + 0.6 * unit(hash) + 0.1 * unit(mix(hash, store === "ios" ? 1 : 2));
  return { store, trackId, name, developer, topic, countries, released, popularity };
}

/** If a market has none of a product's own countries it still sells it, so that every app has a country. */
function soldIn(product: Product, market: readonly string[]): readonly string[] {
  const sold = market.filter((country) => product.countries?.includes(country) ?? true);
  return sold.length > 0 ? sold : market;
}

import type { MarketApp } from "./market/apps.ts";
import type { Market } from "./market/market.ts";

type Place = { readonly added: Map<string, number>; readonly removed: Set<string> };

/** What the account tracks: the keywords of the market, plus added and minus deleted ones. */
export class TrackedKeywords {
  readonly #market: Market;
  readonly #places = new Map<string, Place>();

  constructor(market: Market) {
    this.#market = market;
  }

  /** Every keyword that is tracked for an app in a country. */
  of(app: MarketApp, country: string): readonly string[] {
    const { added, removed } = this.#place(app, country);
    const given = this.#market.trackedKeywords(app, country).filter((keyword) => !removed.has(keyword));
    return [...given, ...added.keys()];
  }

  /** Tracks keywords from `at` on; returns those that were not tracked before. */
  add(app: MarketApp, country: string, requested: { keywords: readonly string[]; at: number }): readonly string[] {
    const place = this.#place(app, country);
    const fresh = [...new Set(requested.keywords)].filter((keyword) => !this.of(app, country).includes(keyword));
    for (const keyword of fresh) if (!place.removed.delete(keyword)) place.added.set(keyword, requested.at);
    return fresh;
  }

  /** Stops tracking keywords; returns those that were tracked before. */
  remove(app: MarketApp, country: string, keywords: readonly string[]): readonly string[] {
    const place = this.#place(app, country);
    const gone = [...new Set(keywords)].filter((keyword) => this.of(app, country).includes(keyword));
    for (const keyword of gone) if (!place.added.delete(keyword)) place.removed.add(keyword);
    return gone;
  }

  #place(app: MarketApp, country: string): Place {
    const key = `${app.store} ${app.trackId} ${country}`;
    const known = this.#places.get(key) ?? { added: new Map<string, number>(), removed: new Set<string>() };
    this.#places.set(key, known);
    return known;
  }
}

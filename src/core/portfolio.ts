import type { Scope } from "./slice.ts";
import type { Store } from "./store.ts";

/** An app of the portfolio, with its countries and keywords. */
export type PortfolioApp = {
  readonly store: Store;
  readonly trackId: string;
  /** True when the account tracks it, false when only the configuration lists it. */
  readonly tracked: boolean;
  readonly countries: readonly PortfolioCountry[];
};

/** A country of an app: its keywords, and how many the account says it tracks (null when never requested). */
export type PortfolioCountry = {
  readonly country: string;
  readonly keywords: readonly string[];
  /** Those of the keywords that the account tracks, as last read; the rest comes from the configuration alone. */
  readonly tracked?: readonly string[];
  readonly keywordCount: number | null;
};

/** What datasets provide for planning others, by the name of the planning source: named values, sorted. */
export type SourceMembers = Readonly<Record<string, readonly Scope[]>>;

/** The portfolio: apps and keywords that the account tracks, and those of the configuration. Sorted by store, id, country. */
export type Portfolio = {
  /** Whose it is, by the name of the account; left out for the account of API_TOKEN. */
  readonly account?: string;
  readonly apps: readonly PortfolioApp[];
  readonly sources?: SourceMembers;
};

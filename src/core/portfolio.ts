import type { Scope } from "./slice.ts";
import type { Store } from "./store.ts";

/** An app of the portfolio, with its countries and keywords. */
export type PortfolioApp = {
  readonly store: Store;
  readonly trackId: string;
  /** True if the account tracks it, false if only the configuration lists it. */
  readonly tracked: boolean;
  readonly countries: readonly PortfolioCountry[];
};

/** A country of an app: its keywords, and how many keywords the account reports (null if never requested). */
export type PortfolioCountry = {
  readonly country: string;
  readonly keywords: readonly string[];
  /** The keywords that the account tracks, as last read; the others are only in the configuration. */
  readonly tracked?: readonly string[];
  readonly keywordCount: number | null;
};

/** What datasets provide for planning others, by the name of the planning source: named values, sorted. */
export type SourceMembers = Readonly<Record<string, readonly Scope[]>>;

/** The portfolio: apps and keywords that the account tracks, and those of the configuration. Sorted by store, id, country. */
export type Portfolio = {
  /** The name of its account; left out for the account of API_TOKEN. */
  readonly account?: string;
  readonly apps: readonly PortfolioApp[];
  readonly sources?: SourceMembers;
};

import type { Store } from "../../core/store.ts";
import type { Day } from "../../core/day.ts";
import { foldKeyword } from "../../core/text.ts";
import { marketApps, type MarketApp } from "./apps.ts";
import { crawlsOn, latestCrawl, type Crawl } from "./crawls.ts";
import { keywordFacts, type KeywordFacts } from "./keyword-facts.ts";
import { hashOf, mix } from "./noise.ts";
import { rankOn, rankHash, type RankDevice } from "./ranks.ts";
import { awkwardKeywords, languageIn, phrase } from "./words.ts";

/** How large the synthetic market is. */
export type MarketOptions = {
  /** Apps of both stores together; 14 means 8 on iOS and 6 on Android. */
  apps: number;
  /** ISO codes of the countries of the market; all others are refused. */
  countries: readonly string[];
  /** Keywords that the account tracks for an app in a country. */
  keywordsPerApp: number;
  /** Keywords that an app may rank for in a country, tracked ones included. */
  organicKeywords: number;
};

/** One app for one keyword in one country on one day. `device` is `ALL` on Android. */
export type RankCell = {
  store: Store;
  trackId: string;
  keyword: string;
  country: string;
  device: RankDevice;
  day: Day;
};

/** One app in one country on one day, on one device. */
export type AppDay = Omit<RankCell, "keyword">;

/** A synthetic app market: pure functions of the seed and of the request, so nothing is stored and any size works. */
export type Market = {
  readonly options: MarketOptions;
  readonly apps: readonly MarketApp[];
  /** The app with this id, including one that the account only names as a competitor; null if there is none. */
  app(store: Store, trackId: string): MarketApp | null;
  /** Other apps of the same store that are shown next to this one. */
  neighbours(app: MarketApp): readonly MarketApp[];
  /** Apps of the same store that the account names as competitors of this one; the account does not track all of them. */
  competitors(app: MarketApp): readonly MarketApp[];
  trackedKeywords(app: MarketApp, country: string): readonly string[];
  /** All crawls of a day in the order in which the service lists them; empty if the answer leaves the keyword out. */
  crawls(cell: RankCell): readonly Crawl[];
  /**
   * The true rank, which a reader must find: what the latest crawl saw; null if the service reports nothing. It does not depend on "today".
   */
  latestRank(cell: RankCell): { rank: number | null; at: number } | null;
  /** Every keyword that the app ranks for, tracked ones first. */
  organic(cell: AppDay): readonly { keyword: string; rank: number }[];
  facts(store: Store, country: string, keyword: string): KeywordFacts;
  /** The two-letter code of the language of searches in a country's store. */
  languageIn(country: string): string;
};

const defaults: MarketOptions = {
  apps: 14,
  countries: ["US", "GB", "DE", "JP", "BR", "TR"],
  keywordsPerApp: 24,
  organicKeywords: 120,
};

/** Apps of both stores that the service knows and the account does not: products with an index beyond that of any market. */
const competitorCount = 8;
const firstCompetitor = 1_000_000;

/** Opens the market of a seed. */
export function createMarket(seed: number, chosen: Partial<MarketOptions> = {}): Market {
  const options = { ...defaults, ...chosen };
  const apps = marketApps({ seed, count: options.apps, countries: options.countries });
  const competitors = marketApps({ seed, count: competitorCount, countries: options.countries, from: firstCompetitor });
  const byId = new Map([...apps, ...competitors].map((app) => [`${app.store} ${app.trackId}`, app]));
  const app = (store: Store, trackId: string) => byId.get(`${store} ${trackId}`) ?? null;
  const crawls = (cell: RankCell) => crawlsOfCell(seed, app(cell.store, cell.trackId), cell);
  const latestRank = (cell: RankCell) => latestCrawl(crawls(cell));
  const keywords = (of: MarketApp, country: string, count: number) =>
    of.countries.includes(country) ? wordsOf(of, country, count) : [];
  return {
    options,
    apps,
    app,
    crawls,
    latestRank,
    neighbours: (of) => neighbours(seed, of, apps),
    competitors: (of) => [...neighbours(seed, of, apps).slice(0, 1), ...neighbours(seed, of, competitors).slice(0, 2)],
    trackedKeywords: (of, country) => keywords(of, country, options.keywordsPerApp),
    organic: (cell) => {
      const requested = app(cell.store, cell.trackId);
      if (requested === null) return [];
      return keywords(requested, cell.country, Math.max(options.organicKeywords, options.keywordsPerApp)).flatMap(
        (keyword) => {
          const rank = latestRank({ ...cell, keyword })?.rank ?? null;
          return rank === null ? [] : [{ keyword, rank }];
        },
      );
    },
    languageIn,
    facts: (store, country, keyword) => keywordFacts({ seed, store, country, keyword: foldKeyword(keyword), apps }),
  };
}

function crawlsOfCell(seed: number, app: MarketApp | null, cell: RankCell): readonly Crawl[] {
  if (app === null || cell.day < app.released || !app.countries.includes(cell.country)) return [];
  const device = app.store === "ios" ? cell.device : "ALL";
  const hash = rankHash({ seed, app, keyword: foldKeyword(cell.keyword), country: cell.country });
  return crawlsOn({ rankHash: hash, device, day: cell.day, rank: rankOn(hash, { app, device, day: cell.day }) });
}

/** The awkward keywords, then natural ones; a shorter list is the start of a longer one. */
function wordsOf(app: MarketApp, country: string, count: number): readonly string[] {
  const awkward = awkwardKeywords.slice(0, count);
  return [
    ...awkward,
    ...Array.from({ length: count - awkward.length }, (_, index) => phrase(app.topic, country, index)),
  ];
}

function neighbours(seed: number, of: MarketApp, apps: readonly MarketApp[]): readonly MarketApp[] {
  const others = apps.filter((app) => app.store === of.store && app !== of);
  const start = mix(hashOf(seed, "competitors", of.trackId), 1) % Math.max(1, others.length);
  return [...others.slice(start), ...others.slice(0, start)].slice(0, 2);
}

import { z } from "zod";
import type { Store } from "../../core/store.ts";
import { defineOperation, inPath, inQuery, listInQuery, maybeInQuery } from "../define-operation.ts";
import {
  AndroidTrackId,
  AnyTrackId,
  MaybeId,
  CountryCode,
  DayText,
  Device,
  Instant,
  IosTrackId,
  Keyword,
  keywordsPerCall,
  ListedKeyword,
  MaybeNumber,
  MaybeText,
  Rank,
} from "../values.ts";

const get = { method: "GET", range: null, paging: null, envelope: "bare" } as const;

const country = inPath(CountryCode, "country of the store");
const listed = listInQuery(z.array(ListedKeyword).min(1).max(keywordsPerCall), keywordsPerCall, "keywords to look up");
const prefix = { ios: "/iosstore-keyword-ranking", android: "/androidstore-keyword-ranking" } as const satisfies Record<
  Store,
  string
>;
const label = { ios: "iOS", android: "Android" } as const satisfies Record<Store, string>;

const app = {
  ios: inPath(IosTrackId, "track id of the app"),
  android: inPath(AndroidTrackId, "package name of the app"),
} as const;

const keywordRank = {
  trackId: AnyTrackId,
  keyword: z.string(),
  countryCode: z.string().nullish(),
  date: Instant,
  rank: Rank,
};
const KeywordRanks = {
  ios: z.array(z.object({ ...keywordRank, appKind: Device })),
  android: z.array(z.object(keywordRank)),
} as const;

/** One rank in an answer of Keyword Ranking or Keyword History; `appKind` on iOS only. */
export type KeywordRankEntry =
  | z.output<(typeof KeywordRanks)["ios"]>[number]
  | z.output<(typeof KeywordRanks)["android"]>[number];

const ranking = <S extends Store>(store: S) =>
  defineOperation({
    ...get,
    id: `${store}.keyword-ranking`,
    name: `${label[store]} Keyword Ranking`,
    store,
    path: `${prefix[store]}/{trackId}/{countryCode}/keywordrankings`,
    params: {
      trackId: app[store],
      countryCode: country,
      keywords: listed,
      date: maybeInQuery(DayText, "day of the ranks; yesterday when left out", {
        defaultDay: { days: 1, before: "today" },
      }),
    },
    cost: 3,
    items: [],
    answer: KeywordRanks[store],
    summary: "Ranks of one app for up to 100 keywords on one day, one entry per keyword and device.",
  });

const history = <S extends Store>(store: S) =>
  defineOperation({
    ...get,
    id: `${store}.keyword-history`,
    name: `${label[store]} Keyword History`,
    store,
    path: `${prefix[store]}/{trackId}/{countryCode}/{keyword}/keywordrankings`,
    params: {
      trackId: app[store],
      countryCode: country,
      keyword: inPath(Keyword, "the keyword"),
      startDate: inQuery(DayText, "first day, inclusive"),
      endDate: inQuery(DayText, "last day, inclusive"),
    },
    cost: 10,
    range: { start: "startDate", end: "endDate", endInclusive: true, days: 30 },
    items: [],
    answer: KeywordRanks[store],
    summary: "Ranks of one app for one keyword over up to 30 days.",
  });

const topKeyword = z.object({ keyword: z.string(), searchVolume: MaybeNumber, rank: Rank });
const limit = maybeInQuery(z.int().min(1), "the most keywords to return; 100 when left out", { default: 100 });
const date = inQuery(DayText, "the day");

export const iosKeywordRanking = ranking("ios");
export const androidKeywordRanking = ranking("android");
export const iosKeywordHistory = history("ios");
export const androidKeywordHistory = history("android");

export const iosTopKeywords = defineOperation({
  ...get,
  id: "ios.top-keywords",
  name: "iOS Top Keywords",
  store: "ios",
  path: "/iosstore-keyword-ranking/{trackId}/{countryCode}/top-keywords",
  params: {
    trackId: app.ios,
    countryCode: country,
    date,
    device: maybeInQuery(Device, "IPHONE when left out", { default: "IPHONE" }),
    limit,
  },
  cost: 20,
  items: [],
  answer: z.array(topKeyword),
  summary: "The keywords that bring one app the most searches on one day.",
});

export const androidTopKeywords = defineOperation({
  ...get,
  id: "android.top-keywords",
  name: "Android Top Keywords",
  store: "android",
  path: "/androidstore-keyword-ranking/{trackId}/{countryCode}/top-keywords",
  params: { trackId: app.android, countryCode: country, date, limit },
  cost: 20,
  items: [],
  answer: z.array(topKeyword),
  summary: "The keywords that bring one app the most searches on one day.",
});

const metadata = {
  keyword: z.string(),
  countryCode: z.string().nullish(),
  languageCode: MaybeText,
  searchVolume: MaybeNumber,
  brandApp: MaybeId,
};

export const iosKeywordMetadata = defineOperation({
  ...get,
  id: "ios.keyword-metadata",
  name: "iOS Keyword Metadata",
  store: "ios",
  path: "/iosstore-keyword-ranking/{countryCode}/keyword-metadata",
  params: { countryCode: country, keyword: inQuery(Keyword, "the keyword") },
  cost: 5,
  items: null,
  answer: z.object({
    ...metadata,
    numberOfIpadApps: MaybeNumber,
    numberOfIphoneApps: MaybeNumber,
    ownIphoneChance: MaybeNumber,
    ownIpadChance: MaybeNumber,
    popularity: MaybeNumber,
  }),
  summary: "Search volume, competition and chance of one keyword on the last day.",
});

export const androidKeywordMetadata = defineOperation({
  ...get,
  id: "android.keyword-metadata",
  name: "Android Keyword Metadata",
  store: "android",
  path: "/androidstore-keyword-ranking/{countryCode}/keyword-metadata",
  params: { countryCode: country, keyword: inQuery(Keyword, "the keyword") },
  cost: 5,
  items: null,
  answer: z.object({ ...metadata, numberOfApps: MaybeNumber, playChance: MaybeNumber }),
  summary: "Search volume, competition and chance of one keyword on the last day.",
});

const organic = {
  trackId: AnyTrackId,
  countryCode: z.string().nullish(),
  date: Instant,
  rankings: z.array(z.object({ keyword: z.string(), rank: Rank })),
};

export const iosOrganicKeywords = defineOperation({
  ...get,
  id: "ios.organic-keywords",
  name: "iOS Organic Keywords",
  store: "ios",
  path: "/iosstore-keyword-ranking/{trackId}/{countryCode}/{device}/organic-keywords",
  params: { trackId: app.ios, countryCode: country, device: inPath(Device, "IPHONE or IPAD"), date },
  cost: 50,
  items: ["rankings"],
  answer: z.object({ ...organic, deviceType: Device.nullish() }),
  summary: "Every keyword for which one app ranks on one day, in one answer of any length.",
});

export const androidOrganicKeywords = defineOperation({
  ...get,
  id: "android.organic-keywords",
  name: "Android Organic Keywords",
  store: "android",
  path: "/androidstore-keyword-ranking/{trackId}/{countryCode}/organic-keywords",
  params: { trackId: app.android, countryCode: country, date },
  cost: 50,
  items: ["rankings"],
  answer: z.object(organic),
  summary: "Every keyword for which one app ranks on one day, in one answer of any length.",
});

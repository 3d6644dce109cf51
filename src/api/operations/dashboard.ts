import { z } from "zod";
import { defineOperation, inPath, maybeInQuery } from "../define-operation.ts";
import {
  AnyTrackId,
  CountryCode,
  DayText,
  MaybeAmount,
  MaybeId,
  MaybeNumber,
  MaybeText,
  StoreTrackId,
  MaybePrice,
} from "../values.ts";

const get = { store: null, method: "GET", range: null, paging: null, envelope: "data" } as const;

const trackId = inPath(StoreTrackId, "track id or package name of a tracked app");

const unchecked = z.unknown().optional();

/** The known fields of a competitor; any other field, in any form, is no reason to lose the app that names it. */
const Competitor = z.looseObject({
  trackId: unchecked,
  name: unchecked,
  categoryName: unchecked,
  categoryId: unchecked,
  iconUrl: unchecked,
  price: unchecked,
  developerId: unchecked,
  developerName: unchecked,
  rating: unchecked,
  ratingCount: unchecked,
});

export const dashboardApps = defineOperation({
  ...get,
  id: "dashboard.apps",
  name: "Dashboard Apps",
  path: "/gateway/account/app/tracked",
  params: {},
  cost: 5,
  items: [],
  answer: z.array(
    z.object({
      trackId: AnyTrackId,
      isStoreAccountConnected: z.boolean().nullish(),
      availableCountries: z.array(z.string()).nullish(),
      competitors: z.union([z.array(z.union([Competitor, z.unknown()])), z.unknown()]).optional(),
      name: MaybeText,
      categoryName: MaybeText,
      categoryId: MaybeId,
      iconUrl: MaybeText,
      price: MaybePrice,
      developerId: MaybeId,
      developerName: MaybeText,
      rating: MaybeAmount,
      ratingCount: MaybeAmount,
    }),
  ),
  summary: "The apps that the account tracks, with their competitors.",
});

export const dailyKeywordRankings = defineOperation({
  ...get,
  id: "dashboard.daily-keyword-rankings",
  name: "Daily Keyword Rankings",
  path: "/gateway/account/app/{trackId}/keywords/rankings/{countryCode}",
  params: {
    trackId,
    countryCode: inPath(CountryCode, "country of the store"),
    device: maybeInQuery(z.enum(["iphone", "ipad"]), "iOS apps only; iphone when left out", { default: "iphone" }),
    date: maybeInQuery(DayText, "the day; today when left out", { defaultDay: { days: 0, before: "today" } }),
  },
  cost: 50,
  items: [],
  answer: z.array(
    z.object({
      keyword: z.string(),
      searchVolume: MaybeNumber,
      // not loaded from here, so their shape is no reason to lose the keyword
      rank: z.unknown().optional(),
      change: z.unknown().optional(),
      countryCode: MaybeText,
      chance: MaybeNumber,
      numberOfApps: MaybeNumber,
      rankingHistory: z.unknown().optional(),
      brandApp: MaybeId,
      createdAt: MaybeText,
    }),
  ),
  summary: "Every keyword that the account tracks for an app and country, with rank, volume, chance and change.",
});

export const numberOfKeywords = defineOperation({
  ...get,
  id: "dashboard.number-of-keywords",
  name: "Number of Keywords",
  path: "/gateway/account/app/{trackId}/keywords/count-by-country",
  params: { trackId },
  cost: 1,
  items: null,
  answer: z.record(z.string(), z.int().min(0).nullable()),
  summary: "Number of keywords that the account tracks for an app, by country.",
});

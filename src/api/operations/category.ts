import { z } from "zod";
import { androidCategories } from "../categories.ts";
import { defineOperation, inPath, inQuery } from "../define-operation.ts";
import {
  AndroidTrackId,
  AnyRankingType,
  AnyTrackId,
  CountryCode,
  DayText,
  Device,
  Instant,
  IosTrackId,
  MaybeId,
  MaybeInstant,
  MaybeNumber,
  MaybeText,
  RankingType,
} from "../values.ts";

const get = { method: "GET", paging: null, envelope: "bare" } as const;
const iosApp = inPath(IosTrackId, "track id of the app");
const androidApp = inPath(AndroidTrackId, "package name of the app");
const country = inPath(CountryCode, "country of the store");
const rankingType = inPath(RankingType, "FREE, PAID or GROSSING");
const device = inPath(Device, "IPHONE or IPAD");
const version = inPath(z.enum(["v1", "v2"]), "v1: as iOS 11 and before showed it; v2: iOS 12 and later, overall only");
const date = inQuery(DayText, "the day");
const days = {
  startDate: inQuery(DayText, "first day, inclusive"),
  endDate: inQuery(DayText, "day after the last one"),
};
const range = { start: "startDate", end: "endDate", endInclusive: false, days: 30 } as const;

/** The only category that charts of version v2 have. */
const overall = 36;

export const iosTopCharts = defineOperation({
  ...get,
  id: "ios.top-charts",
  name: "iOS Top Charts",
  store: "ios",
  path: "/iosstore-category-v2/topcharts/{version}/{categoryId}/{countryCode}/{rankingType}/{targetDevice}",
  params: {
    version,
    categoryId: inPath(z.int().min(0), "id of the category, 36 for overall"),
    countryCode: country,
    rankingType,
    targetDevice: device,
    date,
  },
  together: ({ version: of, categoryId }) =>
    of === "v2" && categoryId !== overall ? `version v2 has the overall category ${overall} only` : null,
  cost: 10,
  range: null,
  items: ["trackIds"],
  answer: z.looseObject({
    countryCode: MaybeText,
    categoryId: MaybeId,
    targetDevice: Device.nullish(),
    rankingType: AnyRankingType.nullish(),
    date: MaybeInstant,
    trackIds: z.array(AnyTrackId),
  }),
  summary: "The apps of one chart on one day, in order of rank.",
});

const iosCategoryRanks = z.looseObject({
  trackId: AnyTrackId,
  ranksByCategory: z.record(
    z.string(),
    z.record(
      z.string(),
      z.array(
        z.looseObject({
          targetDevice: Device.nullish(),
          rankingType: AnyRankingType,
          // the average of a day need not be a whole number
          rankingsByDate: z.array(z.looseObject({ date: Instant, ranking: MaybeNumber })),
        }),
      ),
    ),
  ),
});

export const iosCategoryRanking = defineOperation({
  ...get,
  id: "ios.category-ranking",
  name: "iOS Category Ranking",
  store: "ios",
  path: "/iosstore-category-v2/rankings/{version}/{trackId}/{countryCode}",
  params: {
    version,
    trackId: iosApp,
    countryCode: country,
    hourly: inQuery(z.boolean(), "true: every value, false: the average of a day"),
    ...days,
  },
  cost: 10,
  range,
  items: ["ranksByCategory", "{}", "{}", "[]", "rankingsByDate"],
  answer: iosCategoryRanks,
  summary: "Ranks of one app in its categories and charts over up to 30 days.",
});

export const iosGlobalCategoryRankings = defineOperation({
  ...get,
  id: "ios.global-category-rankings",
  name: "iOS Global Last Day Category Rankings",
  store: "ios",
  path: "/iosstore-category-v2/global-rankings-last-day/{trackId}/{device}",
  params: { trackId: iosApp, device },
  cost: 20,
  range: null,
  items: ["ranksByCategory", "{}", "{}", "[]", "rankingsByDate"],
  answer: iosCategoryRanks,
  summary: "Ranks of one app in all countries, categories and charts on the last day.",
});

export const androidTopCharts = defineOperation({
  ...get,
  id: "android.top-charts",
  name: "Android Top Charts",
  store: "android",
  path: "/androidstore-category/topcharts/{category}/{countryCode}/{categoryType}",
  params: {
    category: inPath(z.enum([...androidCategories.values()]), "name of the category, OVERALL for all"),
    countryCode: country,
    categoryType: rankingType,
    date,
  },
  cost: 10,
  range: null,
  items: [],
  answer: z.array(
    z.looseObject({
      trackId: AnyTrackId,
      category: MaybeId,
      rank: z.int().min(1),
      date: MaybeInstant,
      type: AnyRankingType.nullish(),
    }),
  ),
  summary: "The apps of one chart on one day with their ranks.",
});

export const androidCategoryRanking = defineOperation({
  ...get,
  id: "android.category-ranking",
  name: "Android Category Ranking",
  store: "android",
  path: "/androidstore-category/{trackId}/{country}",
  params: { trackId: androidApp, country, ...days },
  cost: 10,
  range,
  items: ["ranksByCategoryNames", "[]", "rankings", "[]", "ranksByDate"],
  answer: z.looseObject({
    trackId: AnyTrackId,
    countryCode: MaybeText,
    ranksByCategoryNames: z.array(
      z.looseObject({
        categoryName: z.string(),
        rankings: z.array(
          z.looseObject({
            rankingType: AnyRankingType,
            ranksByDate: z.array(z.looseObject({ date: Instant, rank: MaybeNumber })),
          }),
        ),
      }),
    ),
  }),
  summary: "Ranks of one app in its categories and charts over up to 30 days.",
});

export const androidGlobalCategoryRankings = defineOperation({
  ...get,
  id: "android.global-category-rankings",
  name: "Android Global Last Day Category Rankings",
  store: "android",
  path: "/androidstore-category/global-rankings-last-day/{trackId}",
  params: { trackId: androidApp },
  cost: 20,
  range: null,
  items: ["ranksByCategory", "{}", "{}", "[]", "rankingsByDate"],
  answer: z.looseObject({
    trackId: AnyTrackId,
    ranksByCategory: z.record(
      z.string(),
      z.record(
        z.string(),
        z.array(
          z.looseObject({
            rankingType: AnyRankingType,
            rankingsByDate: z.array(z.looseObject({ date: Instant, ranking: MaybeNumber })),
          }),
        ),
      ),
    ),
  }),
  summary: "Ranks of one app in all countries, categories and charts on the last day.",
});

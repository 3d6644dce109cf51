import { z } from "zod";
import { defineOperation, inPath, maybeInQuery } from "../define-operation.ts";
import { AndroidTrackId, AnyId, CountryCode, DayText, Instant, IosTrackId, MaybeNumber, MaybeText } from "../values.ts";

const get = { method: "GET", envelope: "bare" } as const;
// the contract does not say whether the last day is inclusive
const range = { start: "startDate", end: "endDate", endInclusive: null } as const;
const span = { startDate: inPath(DayText, "first day"), endDate: inPath(DayText, "last day") };
const ios = { trackId: inPath(IosTrackId, "track id of the app"), ...span };
const android = { trackId: inPath(AndroidTrackId, "package name of the app"), ...span };

/** The language of a review, in upper or lower case; for some languages the service distinguishes regions. */
const Language = z.string().regex(/^[A-Za-z]{2}([_-][A-Za-z]{2})?$/, "a language is two letters, a region may follow");
const rating = maybeInQuery(z.array(z.int().min(1).max(5)).min(1), "stars, one number or several; all when left out");
const textQuery = maybeInQuery(z.string().min(1), "a word that the text must hold");
const countries = maybeInQuery(z.array(CountryCode).min(1), "countries; all when left out");
const languages = maybeInQuery(z.array(Language).min(1), "languages; all when left out");
const page = maybeInQuery(z.int().min(0), "number of the page, from 0", { default: 0 });

/** The most reviews that one call returns. */
const reviewsPerCall = 100;

const review = {
  reviewer: MaybeText,
  date: Instant,
  countryCode: MaybeText,
  rating: z.union([z.int().min(1).max(5), z.string().regex(/^[1-5]$/, "a rating is 1 to 5")]),
  content: MaybeText,
  title: MaybeText,
};
const plainList = z.array(z.looseObject({ ...review, id: AnyId }));
const plain = {
  ...get,
  cost: 5,
  range: { ...range, days: null },
  paging: { param: "page", first: 0, size: reviewsPerCall },
  items: [],
  answer: plainList,
  summary: "Reviews of one app, up to 100 per call; also an empty list for an app that is not crawled yet.",
} as const;

export const iosReviews = defineOperation({
  ...plain,
  id: "ios.reviews",
  name: "iOS App Reviews",
  store: "ios",
  path: "/iosstore-app-reviews/{trackId}/{startDate}/{endDate}",
  params: { ...ios, rating, countries, textQuery, page },
});

export const androidReviews = defineOperation({
  ...plain,
  id: "android.reviews",
  name: "Android App Reviews",
  store: "android",
  path: "/androidstore-app-reviews/{trackId}/{startDate}/{endDate}",
  params: { ...android, rating, languages, textQuery, page },
});

const pageParams = {
  rating,
  textQuery,
  repliedReview: maybeInQuery(z.boolean(), "true: only replied ones, false: only the others; all when left out"),
  page,
  size: maybeInQuery(z.int().min(1).max(reviewsPerCall), "reviews a page, at most 100", { default: 20 }),
};
const reviewPage = z.looseObject({
  content: z.array(z.looseObject({ ...review, reviewId: AnyId, version: MaybeText })),
  totalElements: MaybeNumber,
  totalPages: MaybeNumber,
  pageNumber: MaybeNumber,
  pageSize: MaybeNumber,
});
const paged = {
  ...get,
  cost: 5,
  range: { ...range, days: null },
  paging: {
    param: "page",
    first: 0,
    size: 20,
    sizeParam: "size",
    total: { pages: "totalPages", items: "totalElements" },
  },
  items: ["content"],
  answer: reviewPage,
  summary: "Reviews of one app in pages, with their total number; also empty for an app that is not crawled yet.",
} as const;

export const iosReviewsV2 = defineOperation({
  ...paged,
  id: "ios.reviews-v2",
  name: "iOS App Reviews V2",
  store: "ios",
  path: "/iosstore-app-reviews/v2/{trackId}/{startDate}/{endDate}",
  params: { ...ios, ...pageParams, countries },
});

// the contract shows Android under the iOS path and with the iOS names; its country is a language there
export const androidReviewsV2 = defineOperation({
  ...paged,
  id: "android.reviews-v2",
  name: "Android App Reviews V2",
  store: "android",
  path: "/iosstore-app-reviews/v2/{trackId}/{startDate}/{endDate}",
  params: {
    ...android,
    ...pageParams,
    countries: maybeInQuery(z.array(Language).min(1), "languages of the reviews; all when left out"),
  },
});

const words = z.array(
  z.looseObject({
    word: z.string(),
    averageRating: MaybeNumber,
    frequency: MaybeNumber,
    numReviews: MaybeNumber,
    sentiment: z.record(z.string(), MaybeNumber).nullish(),
    trend: z.record(z.string(), MaybeNumber).nullish(),
  }),
);
const analysisSummary =
  "The words of the reviews of one app over up to 30 days, with their frequency, ratings and days.";

export const iosReviewAnalysis = defineOperation({
  ...get,
  id: "ios.review-analysis",
  name: "iOS App Review Analysis",
  store: "ios",
  path: "/iosstore-app-reviews/word-analysis/{trackId}/{startDate}/{endDate}",
  params: { ...ios, rating, countries, textQuery },
  cost: 10,
  range: { ...range, days: 30 },
  paging: null,
  items: [],
  answer: words,
  summary: analysisSummary,
});

export const androidReviewAnalysis = defineOperation({
  ...get,
  id: "android.review-analysis",
  name: "Android App Review Analysis",
  store: "android",
  path: "/androidstore-app-reviews/word-analysis/{trackId}/{startDate}/{endDate}",
  params: { ...android, rating, languages, textQuery },
  cost: 10,
  range: { ...range, days: 30 },
  paging: null,
  items: [],
  answer: words,
  summary: analysisSummary,
});

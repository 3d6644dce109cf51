import { z } from "zod";
import { defineOperation, inQuery, maybeInQuery } from "../define-operation.ts";
import { CountryCode, DayText, MaybeAmount, MaybeText, StoreTrackId } from "../values.ts";

const get = { store: null, method: "GET", paging: null, envelope: "data" } as const;
const who = {
  trackId: inQuery(StoreTrackId, "track id or package name of the app"),
  startDate: inQuery(DayText, "first day"),
  endDate: inQuery(DayText, "last day"),
};
const countryCode = maybeInQuery(CountryCode, "country; all when left out");
const mediaType = maybeInQuery(z.int().min(1).max(2), "what is counted: 1 creatives, 2 impressions");
const network = maybeInQuery(z.string().min(1), "name of the network; all when left out");
// the contract does not say whether the last day is inclusive
const range = { start: "startDate", end: "endDate", endInclusive: null, days: 30 } as const;

const named = z.looseObject({ name: z.string(), percent: MaybeAmount });

export const countryDistribution = defineOperation({
  ...get,
  id: "ad-intelligence.country-distribution",
  name: "Country Distribution",
  path: "/ad-intelligence/country_distribution",
  params: { ...who, mediaType, countryCode },
  cost: 10,
  range,
  items: [],
  answer: z
    .array(z.looseObject({ name: MaybeText, code: MaybeText, code3: MaybeText, percent: MaybeAmount }))
    .nullable(),
  summary: "The share of an app's advertising by country, over up to 30 days.",
});

export const creativeDimensionDistribution = defineOperation({
  ...get,
  id: "ad-intelligence.creative-dimension-distribution",
  name: "Creative Dimension Distribution",
  path: "/ad-intelligence/creative_dimension_distribution",
  params: { ...who, countryCode, mediaType, network },
  cost: 20,
  range,
  items: ["{}"],
  answer: z.looseObject({
    imageCreative: z.array(named).nullish(),
    videoCreative: z.array(named).nullish(),
    htmlCreative: z.array(named).nullish(),
  }),
  summary: "The share of an app's images, videos and pages by size, over up to 30 days.",
});

export const creativeTypeDistribution = defineOperation({
  ...get,
  id: "ad-intelligence.creative-type-distribution",
  name: "Creative Type Distribution",
  path: "/ad-intelligence/creative_type_distribution",
  params: { ...who, countryCode, mediaType, network },
  cost: 20,
  range,
  items: null,
  answer: z.looseObject({
    imagePercent: MaybeAmount,
    videoPercent: MaybeAmount,
    htmlPercent: MaybeAmount,
    playablePercent: MaybeAmount,
  }),
  summary: "The share of an app's advertising by kind (image, video, page, playable), over up to 30 days.",
});

export const languageDistribution = defineOperation({
  ...get,
  id: "ad-intelligence.language-distribution",
  name: "Language Distribution",
  path: "/ad-intelligence/language_distribution",
  params: { ...who, countryCode },
  cost: 10,
  range,
  items: [],
  answer: z.array(named).nullable(),
  summary: "The share of an app's advertising by language, over up to 30 days.",
});

export const networkDistribution = defineOperation({
  ...get,
  id: "ad-intelligence.network-distribution",
  name: "Network Distribution",
  path: "/ad-intelligence/network_distribution",
  params: { ...who, mediaType, countryCode },
  cost: 10,
  range,
  items: [],
  answer: z.array(z.looseObject({ title: z.string(), percent: MaybeAmount })).nullable(),
  summary: "The share of an app's advertising by network, over up to 30 days.",
});

export const publisherDimensionDistribution = defineOperation({
  ...get,
  id: "ad-intelligence.publisher-dimension-distribution",
  name: "Ad Publisher Creative Dimension Distribution",
  path: "/ad-intelligence/ad-publisher/creative_dimension_distribution",
  params: who,
  cost: 50,
  range,
  items: ["{}"],
  answer: z.record(
    z.string(),
    z.array(z.looseObject({ mediaType: MaybeText, dimensions: z.string(), percentage: MaybeAmount })),
  ),
  summary: "The sizes of the advertisements that one app shows, over up to 30 days.",
});

import { z } from "zod";
import { defineOperation, inPath, inQuery } from "../define-operation.ts";
import { AnyId, AnyTrackId, CountryCode, Device, Keyword, MaybeAmount, MaybeInstant } from "../values.ts";

const bare = { method: "GET", range: null, paging: null, envelope: "bare" } as const;
const country = inPath(CountryCode, "country of the store");
const device = inPath(Device, "IPHONE or IPAD");
const keywordInPath = inPath(Keyword, "the keyword");
const keywordInQuery = inQuery(Keyword, "the keyword");

// an invalid id is no reason to lose the places of the others
const places = z.array(z.union([AnyTrackId, z.unknown()])).nullish();
const listed = { keyword: z.string(), countryCode: z.string().nullish(), lastUpdateDate: MaybeInstant };
const listSummary = "The apps that a search for one keyword shows now, the first one first.";

export const iosKeywordApps = defineOperation({
  ...bare,
  id: "ios.keyword-apps",
  name: "iOS List of Apps",
  store: "ios",
  path: "/iosstore-keyword-ranking/{countryCode}/keyword-apps",
  params: { countryCode: country, keyword: keywordInQuery },
  cost: 5,
  items: null,
  answer: z.looseObject({
    ...listed,
    iphoneApps: places,
    ipadApps: places,
  }),
  summary: listSummary,
});

export const androidKeywordApps = defineOperation({
  ...bare,
  id: "android.keyword-apps",
  name: "Android List of Apps",
  store: "android",
  path: "/androidstore-keyword-ranking/{countryCode}/keyword-apps",
  params: { countryCode: country, keyword: keywordInQuery },
  cost: 5,
  items: null,
  answer: z.looseObject({ ...listed, apps: places }),
  summary: listSummary,
});

const shares = {
  keyword: z.string(),
  countryCode: z.string().nullish(),
  date: MaybeInstant,
  // the app for impressions; the category for categories, by id on iOS and by name on Android
  keywordShares: z.array(z.looseObject({ shareParameterId: AnyId, date: MaybeInstant, share: MaybeAmount })),
};
const iosShares = z.looseObject({ ...shares, device: Device.nullish() });
const androidShares = z.looseObject(shares);

const impressions = "The share of the impressions of one keyword by app, without advertisements.";
const categories = "The share of apps that have one keyword in their metadata, by category.";

export const iosOrganicImpressionShare = defineOperation({
  ...bare,
  id: "ios.organic-impression-share",
  name: "iOS Organic Impression Share",
  store: "ios",
  path: "/iosstore-keyword-ranking/organic-impression-share/keyword/{keyword}/{countryCode}/{device}",
  params: { keyword: keywordInPath, countryCode: country, device },
  cost: 20,
  items: ["keywordShares"],
  answer: iosShares,
  summary: impressions,
});

export const androidOrganicImpressionShare = defineOperation({
  ...bare,
  id: "android.organic-impression-share",
  name: "Android Organic Impression Share",
  store: "android",
  path: "/androidstore-keyword-ranking/organic-impression-share/keyword/{keyword}/{countryCode}",
  params: { keyword: keywordInPath, countryCode: country },
  cost: 20,
  items: ["keywordShares"],
  answer: androidShares,
  summary: impressions,
});

export const iosShareOfCategory = defineOperation({
  ...bare,
  id: "ios.share-of-category",
  name: "iOS Share Of Category",
  store: "ios",
  path: "/iosstore-keyword-ranking/share-of-category/keyword/{keyword}/{countryCode}/{device}",
  params: { keyword: keywordInPath, countryCode: country, device },
  cost: 5,
  items: ["keywordShares"],
  answer: iosShares,
  summary: categories,
});

export const androidShareOfCategory = defineOperation({
  ...bare,
  id: "android.share-of-category",
  name: "Android Share Of Category",
  store: "android",
  path: "/androidstore-keyword-ranking/share-of-category/keyword/{keyword}/{countryCode}",
  params: { keyword: keywordInPath, countryCode: country },
  cost: 5,
  items: ["keywordShares"],
  answer: androidShares,
  summary: categories,
});

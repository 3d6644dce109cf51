import { z } from "zod";
import { defineOperation, inPath, listInQuery, maybeInPath } from "../define-operation.ts";
import {
  AndroidTrackId,
  AnyTrackId,
  CountryCode,
  IosTrackId,
  LangCode,
  MaybeFlag,
  MaybeId,
  MaybeInstant,
  MaybeList,
  MaybeNumber,
  MaybePrice,
  MaybeText,
  MaybeTexts,
} from "../values.ts";

const bare = { range: null, paging: null, envelope: "bare" } as const;
const get = { ...bare, method: "GET" } as const;
const iosApp = inPath(IosTrackId, "track id of the app");
const androidApp = inPath(AndroidTrackId, "package name of the app");
const country = inPath(CountryCode, "country of the store");
const language = inPath(LangCode, "language of the texts");

/** The most apps that one call of App Simple Information may list. */
const appsPerCall = 10;

const detail = {
  trackId: AnyTrackId,
  name: MaybeText,
  developerId: MaybeId,
  price: MaybePrice,
  iconUrl: MaybeText,
  categoryId: MaybeId,
  description: MaybeText,
  screenshotList: MaybeTexts,
  offersInAppPurchase: MaybeFlag,
  removed: MaybeFlag,
  lastModified: MaybeInstant,
};

export const iosAppDetail = defineOperation({
  ...get,
  id: "ios.app-detail",
  name: "iOS App Detail",
  store: "ios",
  path: "/iosstore-appinfo-v2/app/detailed/{trackId}/{countryCode}",
  params: {
    trackId: iosApp,
    countryCode: maybeInPath(CountryCode, "country of the store; the app's primary country when left out"),
  },
  cost: 5,
  items: null,
  answer: z.looseObject({
    ...detail,
    developerName: MaybeText,
    categoryName: MaybeText,
    releaseDate: MaybeInstant,
    countryCode: MaybeText,
    userRatingCount: MaybeNumber,
    userRatingAverage: MaybeNumber,
    availableCountries: MaybeTexts,
  }),
  summary: "The store page of one app: texts, price, category, ratings, countries.",
});

export const androidAppDetail = defineOperation({
  ...get,
  id: "android.app-detail",
  name: "Android App Detail",
  store: "android",
  path: "/androidstore-appinfo-v2/app/detailed/{trackId}/{langCode}",
  params: {
    trackId: androidApp,
    langCode: maybeInPath(LangCode, "language of the texts; EN when left out", { default: "EN" }),
  },
  cost: 5,
  items: null,
  answer: z.looseObject({
    ...detail,
    langCode: MaybeText,
    lastUpdateDate: MaybeInstant,
    version: MaybeText,
    // the contract names the list twice, in two ways
    screenshots: MaybeTexts,
    fileSize: z.union([z.string(), z.number()]).nullish(),
    supportUrl: MaybeText,
    url: MaybeText,
    category: MaybeText,
    email: MaybeText,
    userRating: MaybeNumber,
    numUserRating: MaybeNumber,
    installRange: MaybeText,
    numOfFiveRatings: MaybeNumber,
    numOfFourRatings: MaybeNumber,
    numOfThreeRatings: MaybeNumber,
    numOfTwoRatings: MaybeNumber,
    numOfOneRatings: MaybeNumber,
    topDeveloperBadge: MaybeFlag,
    whatsnew: MaybeList,
    inAppProducts: MaybeText,
    similarApps: MaybeList,
    videoUrl: MaybeText,
    videoFrameUrl: MaybeText,
  }),
  summary: "The store page of one app: texts, price, category, ratings by stars, installs.",
});

const short = {
  trackId: AnyTrackId,
  name: MaybeText,
  price: MaybePrice,
  iconUrl: MaybeText,
  developerId: MaybeId,
  categoryId: MaybeId,
};
const simple = { ...short, rating: MaybeNumber, ratingCount: MaybeNumber, lastUpdate: MaybeInstant };
const idsDoc = "apps to look up; the answer leaves out those it does not know";

export const iosAppSimple = defineOperation({
  ...get,
  id: "ios.app-simple",
  name: "iOS App Simple Information",
  store: "ios",
  path: "/iosstore-appinfo-v2/app/simple/{countryCode}",
  params: {
    countryCode: country,
    trackIds: listInQuery(z.array(IosTrackId).min(1).max(appsPerCall), appsPerCall, idsDoc),
  },
  cost: 1,
  items: [],
  answer: z.array(z.looseObject({ ...simple, developerName: MaybeText, categoryName: MaybeText })),
  summary: "Name, price, category and ratings of up to 10 apps.",
});

export const androidAppSimple = defineOperation({
  ...get,
  id: "android.app-simple",
  name: "Android App Simple Information",
  store: "android",
  path: "/androidstore-appinfo-v2/app/simple/{langCode}",
  params: {
    langCode: language,
    trackIds: listInQuery(z.array(AndroidTrackId).min(1).max(appsPerCall), appsPerCall, idsDoc),
  },
  cost: 1,
  items: [],
  answer: z.array(z.looseObject({ ...simple, category: MaybeText })),
  summary: "Name, price, category and ratings of up to 10 apps.",
});

const developerApp = { ...short, developerName: MaybeText, lastUpdateTime: MaybeInstant };

export const iosDeveloperApps = defineOperation({
  ...get,
  id: "ios.developer-apps",
  name: "iOS Developer Apps",
  store: "ios",
  path: "/iosstore-appinfo-v2/app/developer/{developerId}/{countryCode}",
  params: { developerId: inPath(z.string().regex(/^\d+$/, "a number"), "id of the developer"), countryCode: country },
  cost: 5,
  items: [],
  // `category` is an id here
  answer: z.array(z.looseObject({ ...developerApp, category: MaybeId })),
  summary: "The apps of one developer.",
});

export const androidDeveloperApps = defineOperation({
  ...get,
  id: "android.developer-apps",
  name: "Android Developer Apps",
  store: "android",
  path: "/androidstore-appinfo-v2/app/developer/{developerName}/{langCode}",
  params: { developerName: inPath(z.string().min(1), "name of the developer"), langCode: language },
  cost: 5,
  items: [],
  answer: z.array(z.looseObject({ ...developerApp, category: MaybeId })),
  summary: "The apps of one developer.",
});

const discoverySummary = "Queues an app that the service does not know yet; true when it is queued.";

export const iosAppDiscovery = defineOperation({
  ...bare,
  method: "POST",
  id: "ios.app-discovery",
  name: "iOS App Discovery",
  store: "ios",
  path: "/iosstore-appinfo-v2/app/discover/{trackId}",
  params: { trackId: iosApp },
  cost: 1,
  items: null,
  answer: z.boolean(),
  changes: true,
  summary: discoverySummary,
});

export const androidAppDiscovery = defineOperation({
  ...bare,
  method: "POST",
  id: "android.app-discovery",
  name: "Android App Discovery",
  store: "android",
  path: "/androidstore-appinfo-v2/app/discover/{trackId}/{country}",
  params: { trackId: androidApp, country },
  cost: 1,
  items: null,
  answer: z.boolean(),
  changes: true,
  summary: discoverySummary,
});

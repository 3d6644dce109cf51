import { z } from "zod";
import { defineOperation, inPath, inQuery } from "../define-operation.ts";
import {
  AndroidTrackId,
  AnyTrackId,
  CountryCode,
  DayText,
  Instant,
  IosTrackId,
  LangCode,
  MaybeInstant,
  MaybeNumber,
  MaybeText,
  MaybeTexts,
} from "../values.ts";

const get = { method: "GET", paging: null, envelope: "bare", items: [] } as const;
const days = {
  startDate: inQuery(DayText, "first day, inclusive"),
  endDate: inQuery(DayText, "day after the last one"),
};
const range = { start: "startDate", end: "endDate", endInclusive: false } as const;
const ios = {
  trackId: inPath(IosTrackId, "track id of the app"),
  countryCode: inPath(CountryCode, "country of the store"),
  ...days,
};
const android = {
  trackId: inPath(AndroidTrackId, "package name of the app"),
  langCode: inPath(LangCode, "language of the texts"),
  ...days,
};

const versions = z.array(
  z.looseObject({
    versionString: MaybeText,
    versionDate: Instant,
    releaseNotes: z.union([z.string(), z.array(z.string())]).nullish(),
    differences: MaybeTexts,
  }),
);
// the contract names two prices: 1 next to the operation, which its users confirm, and 10 in its table
const listCost = 1;
const listSummary = "The versions of one app with their release notes and the names of what changed.";

export const iosVersionList = defineOperation({
  ...get,
  id: "ios.version-list",
  name: "iOS App Version List",
  store: "ios",
  path: "/iosstore-appinfo-v2/versions/{trackId}/{countryCode}",
  params: ios,
  cost: listCost,
  range: { ...range, days: null },
  answer: versions,
  summary: listSummary,
});

export const androidVersionList = defineOperation({
  ...get,
  id: "android.version-list",
  name: "Android App Version List",
  store: "android",
  path: "/androidstore-appinfo-v2/versions/{trackId}/{langCode}",
  params: android,
  cost: listCost,
  range: { ...range, days: null },
  answer: versions,
  summary: listSummary,
});

/** The values of a version's changed properties, old or new: those that the contract names, and any others. */
const properties = z
  .looseObject({
    versionDate: MaybeInstant,
    versionString: MaybeText,
    fileSize: z.union([z.int(), z.string()]).nullish(),
    releaseNotes: z.union([z.string(), z.array(z.string())]).nullish(),
    similarApps: z.array(AnyTrackId).nullish(),
    screenshots: MaybeTexts,
    ipadScreenshots: MaybeTexts,
    iconUrl: MaybeText,
    installRange: MaybeText,
    shortDescription: MaybeText,
    description: MaybeText,
    commentCount: MaybeNumber,
    videoPreviews: z
      .array(z.looseObject({ previewUrl: MaybeText, frameUrl: MaybeText, phoneFrameUrl: MaybeText }))
      .nullish(),
    userRatingCount: MaybeNumber,
    userRatingCountForCurrentVersion: MaybeNumber,
  })
  .nullish();
const changes = z.array(
  z.looseObject({ versionDate: Instant, differences: MaybeTexts, newData: properties, oldData: properties }),
);
const changeSummary =
  "What changed with each version of one app, with the values before and after, over up to 30 days.";

export const iosVersionListDetailed = defineOperation({
  ...get,
  id: "ios.version-list-detailed",
  name: "iOS App Version List Detailed",
  store: "ios",
  path: "/iosstore-appinfo-v2/versions/detailed/{trackId}/{countryCode}",
  params: ios,
  cost: 50,
  range: { ...range, days: 30 },
  answer: changes,
  summary: changeSummary,
});

export const androidVersionListDetailed = defineOperation({
  ...get,
  id: "android.version-list-detailed",
  name: "Android App Version List Detailed",
  store: "android",
  path: "/androidstore-appinfo-v2/versions/detailed/{trackId}/{langCode}",
  params: android,
  cost: 50,
  range: { ...range, days: 30 },
  answer: changes,
  summary: changeSummary,
});

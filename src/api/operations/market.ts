import { z } from "zod";
import { defineOperation, inBody, inPath, inQuery, maybeInQuery } from "../define-operation.ts";
import { AndroidTrackId, AnyTrackId, CountryCode, DayText, Instant, IosTrackId, StoreTrackId } from "../values.ts";

export const appMatch = defineOperation({
  id: "market.app-match",
  name: "App Match",
  store: null,
  method: "GET",
  path: "/app-match/app/{store}",
  params: {
    store: inPath(z.enum(["ios", "play"]), "store of the app that is named: ios or play"),
    trackId: inQuery(StoreTrackId, "track id or package name of the app"),
  },
  cost: 10,
  range: null,
  paging: null,
  envelope: "bare",
  items: null,
  // empty, in one of several forms, if the other store has no such app
  answer: z.union([z.int(), StoreTrackId, z.literal(["", "0"]), z.null()]),
  mayBeText: true,
  summary: "The id of the same app in the other store.",
});

export const visibilityScore = defineOperation({
  id: "market.visibility-score",
  name: "Visibility Score",
  store: null,
  method: "GET",
  path: "/graph-data/{store}/app/visibility/{country}",
  params: {
    store: inPath(z.enum(["ios", "android"]), "store of the apps", { storeWord: true }),
    country: inPath(CountryCode, "country of the store"),
    trackIds: inQuery(z.array(StoreTrackId).min(1), "apps to look up"),
  },
  cost: 10,
  range: null,
  paging: null,
  envelope: "bare",
  items: null,
  answer: z.record(z.string(), z.number().nullable()),
  summary: "Current visibility scores of apps in the searches of a store, by track id.",
});

const history = {
  method: "POST",
  cost: 10,
  range: { start: "startDate", end: "endDate", endInclusive: null, days: null },
  paging: null,
  envelope: "bare",
  items: ["[]", "scores", "{}"],
  answer: z.array(
    z.looseObject({
      trackId: AnyTrackId,
      scores: z.record(z.string(), z.array(z.looseObject({ date: Instant, score: z.number().nullish() })).nullable()),
    }),
  ),
  summary: "Visibility scores of apps in the searches of a store, by country and day.",
} as const;
const historyQuery = {
  countries: inQuery(z.array(CountryCode).min(1), "countries, one or several"),
  startDate: maybeInQuery(DayText, "first day"),
  endDate: maybeInQuery(DayText, "last day"),
};

export const iosVisibilityHistory = defineOperation({
  ...history,
  id: "ios.visibility-history",
  name: "Historical iOS Visibility Score",
  store: "ios",
  path: "/iosstore-visibility-score/visibility-score-history/apps",
  params: { ...historyQuery, body: inBody(z.array(IosTrackId).min(1), "track ids of the apps") },
});

export const androidVisibilityHistory = defineOperation({
  ...history,
  id: "android.visibility-history",
  name: "Historical Android Visibility Score",
  store: "android",
  path: "/androidstore-visibility-score/visibility-score-history/apps",
  params: { ...historyQuery, body: inBody(z.array(AndroidTrackId).min(1), "package names of the apps") },
});

import { z } from "zod";
import { defineOperation, inBody, inQuery } from "../define-operation.ts";
import {
  AnyTrackId,
  CountryCode,
  DayText,
  Instant,
  Keyword,
  keywordsPerCall,
  MaybeAmount,
  MaybeInstant,
  MaybeText,
  StoreTrackId,
} from "../values.ts";

const shared = { store: null, paging: null, envelope: "data", items: ["results"] } as const;
const estimate = { conversionRate: MaybeAmount, maxReach: MaybeAmount, installs: MaybeAmount };
const subject = { trackId: AnyTrackId.nullish(), country: MaybeText };

export const keywordEstimation = defineOperation({
  ...shared,
  id: "dashboard.keyword-estimation",
  name: "Max Reach and Install Estimations",
  method: "POST",
  path: "/gateway/keyword-estimation/v1/conversion-rate",
  params: {
    trackId: inBody(StoreTrackId, "track id or package name of the app"),
    country: inBody(CountryCode, "country of the store"),
    keywords: inBody(z.array(Keyword).min(1).max(keywordsPerCall), "keywords to look up", {
      maxItems: keywordsPerCall,
    }),
  },
  cost: 20,
  range: null,
  answer: z.looseObject({ ...subject, results: z.array(z.looseObject({ keyword: z.string(), ...estimate })) }),
  summary: "How many people up to 100 keywords can reach, and how many of them would install one app.",
});

export const keywordEstimationHistory = defineOperation({
  ...shared,
  id: "dashboard.keyword-estimation-history",
  name: "Historical Max Reach and Install Estimation",
  method: "GET",
  path: "/gateway/keyword-estimation/v1/conversion-rate/historical",
  params: {
    trackId: inQuery(StoreTrackId, "track id or package name of the app"),
    country: inQuery(CountryCode, "country of the store"),
    keyword: inQuery(Keyword, "the keyword"),
    startDate: inQuery(DayText, "first day, inclusive"),
    endDate: inQuery(DayText, "last day, inclusive"),
  },
  cost: 30,
  range: { start: "startDate", end: "endDate", endInclusive: true, days: 30 },
  answer: z.looseObject({
    ...subject,
    keyword: MaybeText,
    startDate: MaybeInstant,
    endDate: MaybeInstant,
    results: z.array(z.looseObject({ keyword: MaybeText, date: Instant, ...estimate })),
  }),
  summary: "How many people one keyword could reach, and how many would install one app, by day over up to 30 days.",
});

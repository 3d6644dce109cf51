import { z } from "zod";
import { defineOperation, inPath, inQuery, maybeInQuery } from "../define-operation.ts";
import { CountryCode, DayText, Device, Instant, IosTrackId, MaybeAmount } from "../values.ts";

const get = { store: "ios", method: "GET", paging: null, envelope: "bare" } as const;

export const iosDownloadRevenue = defineOperation({
  ...get,
  id: "ios.download-revenue",
  name: "iOS Download-Revenue Estimations",
  path: "/market-estimations/iosstore/estimation/download-revenue",
  params: {
    trackId: inQuery(IosTrackId, "track id of the app"),
    country: inQuery(CountryCode, "country of the store"),
    startDate: inQuery(DayText, "first day, inclusive"),
    endDate: inQuery(DayText, "last day, inclusive"),
    device: maybeInQuery(Device, "IPHONE or IPAD; the contract names no value for both"),
  },
  cost: 100,
  range: { start: "startDate", end: "endDate", endInclusive: true, days: 30 },
  items: [],
  answer: z.array(z.looseObject({ date: Instant, download: MaybeAmount, revenue: MaybeAmount })),
  summary: "Estimated downloads and revenue of one app in one country, by day, over up to 30 days.",
});

export const iosMonthlyDownloadRevenue = defineOperation({
  ...get,
  id: "ios.monthly-download-revenue",
  name: "iOS Monthly Global Download-Revenue Estimations",
  path: "/market-estimations/iosstore/estimation/download-revenue-last-month/{trackId}",
  params: { trackId: inPath(IosTrackId, "track id of the app") },
  cost: 2,
  range: null,
  items: null,
  answer: z.looseObject({
    countryBreakDown: z.record(z.string(), z.looseObject({ download: MaybeAmount, revenue: MaybeAmount }).nullable()),
    download: MaybeAmount,
    revenue: MaybeAmount,
  }),
  summary: "Estimated downloads and revenue of one app in the previous month, by country and in total.",
});

import { z } from "zod";
import { defineOperation, inPath, inQuery, maybeInQuery } from "../define-operation.ts";
import { CountryCode, DayText, Device, Instant, MaybeAmount, StoreTrackId } from "../values.ts";

const data = {
  store: null,
  method: "GET",
  cost: 1,
  range: { start: "start", end: "end", endInclusive: true, days: null },
  paging: null,
  envelope: "data",
  items: [],
} as const;
const trackId = inPath(StoreTrackId, "track id or package name of a tracked app");
const days = { start: inQuery(DayText, "first day, inclusive"), end: inQuery(DayText, "last day, inclusive") };
const device = maybeInQuery(Device, "IPHONE or IPAD; all when left out");

export const salesMetrics = defineOperation({
  ...data,
  id: "dashboard.sales-metrics",
  name: "Sales Metrics",
  path: "/gateway/account/app/{trackId}/data-history/{context}",
  params: {
    trackId,
    context: inPath(z.enum(["DOWNLOAD", "REVENUE_TOTAL", "PAGE_VIEW"]), "DOWNLOAD, REVENUE_TOTAL or PAGE_VIEW"),
    ...days,
    countryCode: maybeInQuery(CountryCode, "country; all when left out"),
    device,
  },
  answer: z.array(z.looseObject({ countryCode: z.string().nullish(), date: Instant, units: MaybeAmount })),
  summary: "Downloads, revenue or page views of one of the account's apps by country and day; ALL is the total.",
});

export const retentionHistory = defineOperation({
  ...data,
  id: "dashboard.retention-history",
  name: "Retention History",
  path: "/gateway/account/app/{trackId}/data-history/retention",
  params: { trackId, ...days, device },
  answer: z.array(z.looseObject({ date: Instant, country: z.string().nullish(), androidStoreVisits: MaybeAmount })),
  summary: "Visits to one app's page in the Android store by country and day; ALL is the total.",
});

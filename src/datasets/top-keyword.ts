import type { z } from "zod";
import { androidTopKeywords, iosTopKeywords } from "../api/operations/keyword.ts";
import { appRef, defineTable } from "../load/table.ts";
import { defineDataset, part } from "./shared/define-dataset.ts";
import { bestFirst } from "./shared/values.ts";
import { appCountryDevices } from "./shared/portfolio-partitions.ts";

const table = defineTable({
  name: "core.fact_top_keyword",
  columns: {
    app_key: "app",
    date_day: "day",
    country_key: "country",
    device_key: "device",
    keyword_key: "keyword",
    rank: "int",
    search_volume: "number",
  },
  key: ["app_key", "date_day", "country_key", "device_key", "keyword_key"],
  load: { kind: "replace", scope: ["app_key", "date_day", "country_key", "device_key"] },
  partitioned: true,
});

/** The hundred keywords that bring an app the most searches. */
export const topKeyword = defineDataset({
  name: "top_keyword",
  summary: "The keywords that bring each portfolio app the most searches, by country, device and day.",
  stage: "market",
  on: false,
  why: "20 credits per app, country, device and day",
  timing: { kind: "series", settleDays: 1, lookbackDays: 0, historyDays: 1 },
  tables: [table],
  operations: { ios: iosTopKeywords, android: androidTopKeywords },
  figures: ["rank"],
  byApp: true,
  partitions: appCountryDevices,
  request: ({ scope, window }) => ({
    trackId: part(scope, "app"),
    countryCode: part(scope, "country"),
    date: window.start,
    ...(part(scope, "store") === "ios" ? { device: part(scope, "device") } : {}),
    limit: 100,
  }),
  normalise: ({ scope, window }, pages) => {
    const entries = pages.flat() as z.output<typeof iosTopKeywords.answer>;
    const rows = bestFirst(entries).map((entry) => ({
      app_key: appRef(part(scope, "store"), part(scope, "app")),
      date_day: window.start,
      country_key: part(scope, "country"),
      device_key: part(scope, "device"),
      keyword_key: entry.keyword,
      rank: entry.rank ?? null,
      search_volume: entry.searchVolume ?? null,
    }));
    return { rows: { [table.name]: rows }, invalid: [] };
  },
});

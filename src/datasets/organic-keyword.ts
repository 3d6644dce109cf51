import type { z } from "zod";
import { androidOrganicKeywords, iosOrganicKeywords } from "../api/operations/keyword.ts";
import { appRef, defineTable } from "../load/table.ts";
import { checkItems } from "./shared/check-items.ts";
import { bestFirst, isOther } from "./shared/values.ts";
import { defineDataset, part } from "./shared/define-dataset.ts";
import { appCountryDevices } from "./shared/portfolio-partitions.ts";
import { readInstant } from "./shared/instants.ts";

const table = defineTable({
  name: "core.fact_organic_keyword",
  columns: {
    app_key: "app",
    date_day: "day",
    country_key: "country",
    device_key: "device",
    keyword_key: "keyword",
    rank: "int",
    observed_at: "timestamp",
  },
  key: ["app_key", "date_day", "country_key", "device_key", "keyword_key"],
  load: { kind: "replace", scope: ["app_key", "date_day", "country_key", "device_key"] },
  partitioned: true,
});

type Answer = z.output<typeof iosOrganicKeywords.answer>;

/** Every keyword for which an app ranks: one large answer. */
export const organicKeyword = defineDataset({
  name: "organic_keyword",
  summary: "Every keyword for which each portfolio app ranks, by country, device and day.",
  stage: "market",
  on: false,
  why: "50 credits per app, country, device and day",
  timing: { kind: "series", settleDays: 1, lookbackDays: 0, historyDays: 1 },
  tables: [table],
  operations: { ios: iosOrganicKeywords, android: androidOrganicKeywords },
  figures: ["rank"],
  byApp: true,
  partitions: appCountryDevices,
  request: ({ scope, window }) => ({
    trackId: part(scope, "app"),
    countryCode: part(scope, "country"),
    date: window.start,
    ...(part(scope, "store") === "ios" ? { device: part(scope, "device") } : {}),
  }),
  normalise: ({ scope, window }, pages) => {
    const isMismatch = (answer: Answer) =>
      String(answer.trackId) !== part(scope, "app") ||
      readInstant(answer.date).day !== window.start ||
      isOther(scope, { ...answer, device: answer.deviceType });
    const { fitting, invalid } = checkItems(
      pages as readonly Answer[],
      (answer) => (isMismatch(answer) ? "an app, a day, a country or a device that was not requested" : null),
      ({ trackId, date, countryCode, deviceType }) => ({ trackId, date, countryCode, deviceType }),
    );
    const rows = bestFirst(fitting.flatMap(({ rankings, date }) => rankings.map((entry) => ({ ...entry, date })))).map(
      (entry) => ({
        app_key: appRef(part(scope, "store"), part(scope, "app")),
        date_day: window.start,
        country_key: part(scope, "country"),
        device_key: part(scope, "device"),
        keyword_key: entry.keyword,
        rank: entry.rank ?? null,
        observed_at: readInstant(entry.date).at,
      }),
    );
    return { rows: { [table.name]: rows }, invalid };
  },
});

import type { z } from "zod";
import { androidVersionList, iosVersionList } from "../api/operations/version.ts";
import { rangeParams } from "../api/range.ts";
import { defineTable, extraOf, jsonOf } from "../load/table.ts";
import { defineDataset, part } from "./shared/define-dataset.ts";
import { appPages, pageKey, pageOptions, localeParams } from "./shared/portfolio-partitions.ts";
import { readInstant } from "./shared/instants.ts";

const table = defineTable({
  name: "core.app_version",
  columns: {
    app_key: "app",
    country_key: "country",
    language_code: "text",
    version_at: "timestamp",
    version: "text",
    release_notes: "text",
    differences: "json",
    extra: "json",
  },
  key: ["app_key", "country_key", "language_code", "version_at", "version"],
  load: { kind: "upsert" },
  partitioned: false,
});
const known = ["versionString", "versionDate", "releaseNotes", "differences"];

/** The releases of the portfolio's apps: for one credit they show when the expensive datasets of an app are worth fetching. */
export const appVersion = defineDataset({
  name: "app_version",
  summary: "The releases of each portfolio app, with their notes and the names of the changed properties.",
  stage: "listing",
  on: true,
  why: "1 credit per app and day; after a new release, the app's store page is fetched again",
  timing: { kind: "series", settleDays: 1, lookbackDays: 0, historyDays: 365 },
  reportedBy: { column: "version_at", quietDays: 1 },
  tables: [table],
  operations: { ios: iosVersionList, android: androidVersionList },
  planningSources: { name: "newest_version", table, columns: ["app_key"], newest: "version_at" },
  options: pageOptions,
  byApp: true,
  partitions: (portfolio, options) => appPages(portfolio, options).map(({ scope }) => ({ scope, items: null })),
  request: ({ operation, scope, window }) => ({
    trackId: part(scope, "app"),
    ...localeParams(scope),
    ...rangeParams(operation === iosVersionList.id ? iosVersionList : androidVersionList, window),
  }),
  normalise: ({ scope }, pages) => {
    const entries = pages.flat() as z.output<typeof iosVersionList.answer>;
    const rows = entries.map((entry) => ({
      ...pageKey(scope),
      version_at: readInstant(entry.versionDate).at,
      version: entry.versionString ?? "",
      release_notes: Array.isArray(entry.releaseNotes) ? entry.releaseNotes.join("\n") : (entry.releaseNotes ?? null),
      differences: jsonOf(entry.differences),
      extra: extraOf(entry, known),
    }));
    return { rows: { [table.name]: rows }, invalid: [] };
  },
});

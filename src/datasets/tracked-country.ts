import { numberOfKeywords } from "../api/operations/dashboard.ts";
import { appRef, defineTable } from "../load/table.ts";
import { defineDataset, part } from "./shared/define-dataset.ts";
import { checkItems } from "./shared/check-items.ts";
import { countryOfKey } from "./shared/values.ts";
import { eachApp } from "./shared/portfolio-partitions.ts";

const table = defineTable({
  name: "core.tracked_country",
  columns: { app_key: "app", country_key: "country", account: "text", keyword_count: "int" },
  key: ["app_key", "country_key", "account"],
  load: { kind: "history", scope: ["app_key", "account"], versioned: ["keyword_count"] },
  partitioned: false,
});

/** How many keywords the account tracks by country: one credit shows whether the expensive list must be fetched again. */
export const trackedCountry = defineDataset({
  name: "tracked_country",
  summary: "Number of keywords that the account tracks for each app, by country, with history.",
  stage: "portfolio",
  ofAccount: true,
  on: true,
  why: "1 credit per app and day; when a count changes, the list of keywords is fetched again",
  timing: { kind: "snapshot", refreshDays: 1 },
  tables: [table],
  operations: [numberOfKeywords],
  byApp: true,
  partitions: ({ apps }) => eachApp(apps.filter(({ tracked }) => tracked)),
  request: ({ scope }) => ({ trackId: part(scope, "app") }),
  normalise: ({ scope }, pages) => {
    const counts = pages.flatMap((page) => Object.entries(page as Readonly<Record<string, number | null>>));
    const app = appRef(part(scope, "store"), part(scope, "app"));
    const { fitting, invalid } = checkItems(counts, ([country, count]) => problemOf(country, count));
    const rows = fitting.map(([country, count]) => ({
      app_key: app,
      country_key: countryOfKey(country),
      keyword_count: count,
    }));
    return { rows: { [table.name]: rows }, invalid };
  },
});

function problemOf(country: string, count: number | null): string | null {
  if (countryOfKey(country) === null) return "a country is two letters";
  return count === null ? "it has no number of keywords" : null;
}

import { z } from "zod";
import {
  androidCategoryRanking,
  androidGlobalCategoryRankings,
  iosCategoryRanking,
  iosGlobalCategoryRankings,
} from "../api/operations/category.ts";
import { rangeParams } from "../api/range.ts";
import type { Operation } from "../api/define-operation.ts";
import type { Portfolio } from "../core/portfolio.ts";
import type { Scope } from "../core/slice.ts";
import { devicesOf } from "../core/store.ts";
import type { Timing } from "../core/timing.ts";
import { defineTable } from "../load/table.ts";
import { normalisedCategoryRanks } from "./shared/category-ranks.ts";
import { defineDataset, part, type Partition } from "./shared/define-dataset.ts";
import { appCountries } from "./shared/portfolio-partitions.ts";

const table = defineTable({
  name: "core.fact_category_rank",
  columns: {
    app_key: "app",
    date_day: "day",
    country_key: "country",
    device_key: "device",
    category_code: "text",
    chart: "text",
    resolution: "text",
    chart_version: "text",
    ranked_at: "timestamp",
    category_name: "text",
    rank: "number",
  },
  key: [
    "app_key",
    "date_day",
    "country_key",
    "device_key",
    "category_code",
    "chart",
    "resolution",
    "chart_version",
    "ranked_at",
  ],
  // a last-day answer covers all countries, so its scope names none and it deletes no rows: each night it is about another day
  load: {
    kind: "replace",
    scope: ["app_key", "date_day", "country_key", "resolution", "chart_version"],
    onlyReported: true,
  },
  partitioned: true,
});

const eachDay: Timing = { kind: "snapshot", refreshDays: 1 };

const options = z.object({
  resolutions: z
    .array(z.enum(["daily", "hourly", "last_day"]))
    .min(1)
    .default(["daily"])
    .meta({ examples: [["daily", "hourly", "last_day"]] })
    .describe(
      "daily: the average of each day; hourly: every hour (iOS); last_day: all countries on the newest day, 20 credits per app, device and day.",
    ),
  chart_versions: z
    .array(iosCategoryRanking.params.version.schema)
    .min(1)
    .default(["v1"])
    .meta({ examples: [["v1", "v2"]] })
    .describe(
      "Versions of the iOS charts: v1 has all categories; v2 shows the charts as in iOS 12 and later and has only the overall category.",
    ),
});

/** Ranks of the portfolio's apps in the charts of their categories. */
export const categoryRank = defineDataset({
  name: "category_rank",
  summary: "Rank of each portfolio app in the charts of its categories, by country, device and day or hour.",
  family: "category",
  stage: "market",
  on: true,
  why: "10 credits per app and country cover up to 30 days, so a week is requested at once",
  // the next call has room for what is empty of a whole pack
  timing: {
    kind: "series",
    settleDays: 1,
    lookbackDays: 0,
    historyDays: 30,
    packDays: 7,
    emptyHoldsDays: 3,
    emptyUntilDays: 10,
  },
  reportedBy: { column: "date_day" },
  figures: ["ranking", "rank"],
  tables: [table],
  operations: [iosCategoryRanking, androidCategoryRanking, iosGlobalCategoryRankings, androidGlobalCategoryRankings],
  operationsFor: (scope) => [operationFor(scope)],
  options,
  byApp: true,
  partitions: (portfolio, chosen) => [...histories(portfolio, chosen), ...lastDays(portfolio, chosen)],
  request: ({ scope, window }) => {
    const operation = operationFor(scope);
    const who = { trackId: part(scope, "app") };
    if (operation === androidGlobalCategoryRankings) return who;
    if (operation === iosGlobalCategoryRankings) return { ...who, device: part(scope, "device") };
    const days = rangeParams(operation, window);
    if (operation === androidCategoryRanking) return { ...who, country: part(scope, "country"), ...days };
    const how = { version: part(scope, "chart_version"), hourly: part(scope, "resolution") === "hourly" };
    return { ...who, countryCode: part(scope, "country"), ...how, ...days };
  },
  normalise: (slice, pages) => {
    const { rows, invalid } = normalisedCategoryRanks(slice, pages);
    return { rows: { [table.name]: rows }, invalid };
  },
});

function operationFor(scope: Scope): Operation {
  const isIos = part(scope, "store") === "ios";
  if (part(scope, "resolution") === "last_day")
    return isIos ? iosGlobalCategoryRankings : androidGlobalCategoryRankings;
  return isIos ? iosCategoryRanking : androidCategoryRanking;
}

type Chosen = z.output<typeof options>;

function histories(portfolio: Portfolio, { resolutions, chart_versions: versions }: Chosen): readonly Partition[] {
  return appCountries(portfolio).flatMap(({ app: { store, trackId: app }, country: { country } }) => {
    const who = { store, app, country };
    if (store === "android")
      return resolutions.includes("daily") ? [{ scope: { ...who, resolution: "daily" }, items: null }] : [];
    return resolutions
      .filter((resolution) => resolution !== "last_day")
      .flatMap((resolution) =>
        versions.map((version) => ({ scope: { ...who, resolution, chart_version: version }, items: null })),
      );
  });
}

function lastDays(portfolio: Portfolio, { resolutions }: Chosen): readonly Partition[] {
  if (!resolutions.includes("last_day")) return [];
  return portfolio.apps.flatMap(({ store, trackId: app }) =>
    devicesOf[store].map((device) => ({
      scope: { store, app, device, resolution: "last_day" },
      items: null,
      timing: eachDay,
    })),
  );
}

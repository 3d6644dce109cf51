import type { z } from "zod";
import { iosMonthlyDownloadRevenue as operation } from "../api/operations/estimation.ts";
import { addDays, addMonths, monthStart } from "../core/day.ts";
import { appRef, defineTable, extraOf } from "../load/table.ts";
import { defineDataset, part } from "./shared/define-dataset.ts";
import { amountOf, countryOfKey } from "./shared/values.ts";
import { eachApp } from "./shared/portfolio-partitions.ts";

const table = defineTable({
  name: "core.fact_monthly_estimate",
  columns: {
    app_key: "app",
    date_day: "day",
    country_key: "country",
    is_total: "boolean",
    period_start: "date",
    period_end: "date",
    download_count: "number",
    revenue: "number",
    extra: "json",
  },
  key: ["app_key", "date_day", "country_key"],
  load: { kind: "replace", scope: ["app_key", "date_day"] },
  partitioned: true,
});

type Estimate = z.output<typeof operation.answer>;
type Figures = NonNullable<Estimate["countryBreakDown"][string]>;

/** Downloads and revenue of the last month, as estimated on the day of observation. */
export const monthlyEstimate = defineDataset({
  name: "monthly_estimate",
  summary:
    "Estimated downloads and revenue of each portfolio app on iOS in the previous month, by country and in total, by day of observation.",
  family: "estimates",
  stage: "market",
  on: true,
  why: "2 credits per app and week for all countries",
  timing: { kind: "snapshot", refreshDays: 7 },
  tables: [table],
  operations: [operation],
  byApp: true,
  partitions: ({ apps }) => eachApp(apps.filter(({ store }) => store === "ios")),
  request: ({ scope }) => ({ trackId: part(scope, "app") }),
  normalise: ({ scope, window }, pages) => {
    const answers = pages as readonly Estimate[];
    const start = monthStart(window.start);
    const stamp = {
      app_key: appRef(part(scope, "store"), part(scope, "app")),
      date_day: window.start,
      period_start: addMonths(start, -1),
      period_end: addDays(start, -1),
    };
    const rows = answers.flatMap(({ countryBreakDown, ...total }) => [
      { ...stamp, country_key: "ALL", is_total: true, ...figures(total) },
      ...Object.entries(countryBreakDown).flatMap(([name, reported]) => {
        const country = countryOfKey(name);
        return country === null || reported === null
          ? []
          : [{ ...stamp, country_key: country, is_total: false, ...figures(reported) }];
      }),
    ]);
    const invalid = answers
      .flatMap(({ countryBreakDown }) => Object.entries(countryBreakDown))
      .filter(([name]) => countryOfKey(name) === null)
      .map((item) => ({ reason: "a country is two letters", item }));
    return { rows: { [table.name]: rows }, invalid };
  },
});

function figures(reported: Figures) {
  return {
    download_count: amountOf(reported.download),
    revenue: amountOf(reported.revenue),
    extra: extraOf(reported, ["download", "revenue"]),
  };
}

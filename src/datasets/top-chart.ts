import { z } from "zod";
import { androidCategories } from "../api/categories.ts";
import { androidTopCharts, iosTopCharts } from "../api/operations/category.ts";
import type { Portfolio } from "../core/portfolio.ts";
import type { Scope } from "../core/slice.ts";
import { devicesOf, type Store } from "../core/store.ts";
import { defineTable } from "../load/table.ts";
import { chartTypes } from "./shared/values.ts";
import { defineDataset, part, type Partition } from "./shared/define-dataset.ts";
import { appCountries } from "./shared/portfolio-partitions.ts";
import { normalisedTopChart } from "./shared/top-chart-rows.ts";

const table = defineTable({
  name: "core.fact_top_chart",
  columns: {
    app_key: "app",
    date_day: "day",
    country_key: "country",
    device_key: "device",
    category_code: "text",
    chart: "text",
    chart_version: "text",
    rank: "int",
    category_id: "int",
    category_name: "text",
    charted_at: "timestamp",
    extra: "json",
  },
  key: ["app_key", "date_day", "country_key", "device_key", "category_code", "chart", "chart_version"],
  load: {
    kind: "replace",
    scope: ["date_day", "country_key", "device_key", "category_code", "chart", "chart_version"],
  },
  partitioned: true,
});
const overall = { ios: 36, android: "OVERALL" } as const;

const noCategory = "a category is an iOS id or an Android name";

const options = z.object({
  category_codes: z
    .array(
      z.union([z.int().min(0), z.string().regex(/^\d+$/, noCategory), z.enum([...androidCategories.values()])], {
        error: noCategory,
      }),
    )
    .min(1)
    .default([overall.ios, overall.android])
    .describe("Categories to request: by id on iOS (36 is overall), by name on Android (OVERALL)."),
  charts: z.array(z.enum(chartTypes)).min(1).default(["FREE"]).describe("Charts to request: FREE, PAID, GROSSING."),
  chart_versions: z
    .array(iosTopCharts.params.version.schema)
    .min(1)
    .default(["v1"])
    .describe(
      "Versions of the iOS charts: v1 has all categories; v2 shows the charts as in iOS 12 and later and has only the overall category.",
    ),
});

/** Charts of the portfolio's countries, with every app in them. */
export const topChart = defineDataset({
  name: "top_chart",
  summary: "The apps in the charts of each portfolio country, by category, kind of chart, device and day.",
  family: "category",
  stage: "market",
  on: false,
  why: "10 credits per country, category, kind of chart, device and day",
  timing: { kind: "series", settleDays: 1, lookbackDays: 0, historyDays: 1 },
  tables: [table],
  operations: { ios: iosTopCharts, android: androidTopCharts },
  options,
  partitions: (portfolio, chosen) => (["ios", "android"] as const).flatMap((store) => charts(portfolio, store, chosen)),
  request: ({ scope, window }) => {
    const where = { countryCode: part(scope, "country"), date: window.start };
    const [category, chart] = [part(scope, "category_code"), part(scope, "chart")];
    if (part(scope, "store") === "android") return { category, ...where, categoryType: chart };
    return {
      version: part(scope, "chart_version"),
      categoryId: Number(category),
      ...where,
      rankingType: chart,
      targetDevice: part(scope, "device"),
    };
  },
  normalise: (slice, pages, left) => {
    const { rows, invalid } = normalisedTopChart(slice, pages, left);
    return { rows: { [table.name]: rows }, invalid };
  },
});

type Chosen = z.output<typeof options>;

/** Every chosen chart of a store in each country of the portfolio's apps of that store. */
function charts(portfolio: Portfolio, store: Store, chosen: Chosen): readonly Partition[] {
  const countries = new Set(
    appCountries(portfolio).flatMap(({ app, country }) => (app.store === store ? [country.country] : [])),
  );
  return [...countries].flatMap((country) =>
    chosen.charts.flatMap((chart) =>
      shelves(store, chosen).map((shelf) => ({ scope: { store, country, chart, ...shelf }, items: null })),
    ),
  );
}

/** Device, category and version of the charts of one store. */
function shelves(store: Store, chosen: Chosen): readonly Scope[] {
  const codes = [...new Set(chosen.category_codes.map(String))];
  const isIos = (code: string) => /^\d+$/.test(code);
  if (store === "android")
    return codes.filter((code) => !isIos(code)).map((code) => ({ device: "ALL", category_code: code }));
  return devicesOf.ios.flatMap((device) =>
    chosen.chart_versions.flatMap((version) =>
      codes
        .filter((code) => isIos(code) && (version === "v1" || code === String(overall.ios)))
        .map((code) => ({ device, category_code: code, chart_version: version })),
    ),
  );
}

import { z } from "zod";
import {
  keywordEstimation,
  keywordEstimationHistory as estimationHistory,
} from "../api/operations/keyword-estimation.ts";
import { rangeParams } from "../api/range.ts";
import type { Timing } from "../core/timing.ts";
import { defineTable } from "../load/table.ts";
import { defineDataset, part } from "./shared/define-dataset.ts";
import { appCountries } from "./shared/portfolio-partitions.ts";
import { estimatesByDay, estimatesNow } from "./shared/keyword-estimates.ts";
import { fullPack } from "./shared/values.ts";

const table = defineTable({
  name: "core.fact_keyword_estimate",
  columns: {
    app_key: "app",
    date_day: "day",
    country_key: "country",
    keyword_key: "keyword",
    kind: "text",
    conversion_rate: "number",
    max_reach_count: "number",
    install_count: "number",
    extra: "json",
  },
  key: ["app_key", "date_day", "country_key", "keyword_key", "kind"],
  load: { kind: "upsert" },
  partitioned: true,
});

const operations = { now: keywordEstimation, history: estimationHistory } as const;
const eachWeek: Timing = { kind: "snapshot", refreshDays: 7 };

/**
 * How many people keywords reach and how many of them would install an app: as estimated now, at a hundred keywords per call, or by day.
 */
export const keywordEstimate = defineDataset({
  name: "keyword_estimate",
  summary:
    "Estimated reach, conversion and installs of each portfolio app by keyword and country, as observed on the day or for each day.",
  family: "estimates",
  stage: "market",
  on: false,
  why: "20 credits bring up to 100 keywords of an app and country each week; their history costs 30 per keyword and 30 days",
  timing: { kind: "series", settleDays: 1, lookbackDays: 0, historyDays: 30, ...fullPack },
  reportedBy: { column: "date_day" },
  tables: [table],
  operations: Object.values(operations),
  operationsFor: (scope) => [operations[part(scope, "kind") as keyof typeof operations]],
  options: z.object({
    kinds: z
      .array(z.enum(["now", "history"]))
      .min(1)
      .default(["now"])
      .meta({ examples: [["now", "history"]] })
      .describe(
        "now: the estimate on the day of observation; history: an estimate for each day, 30 credits per keyword and 30 days.",
      ),
  }),
  byApp: true,
  fromKeywords: true,
  partitions: (portfolio, { kinds }) =>
    appCountries(portfolio)
      .filter(({ country }) => country.keywords.length > 0)
      .flatMap(({ app, country: { country, keywords } }) =>
        kinds.map((kind) => ({
          scope: { store: app.store, app: app.trackId, country, kind },
          items: keywords,
          ...(kind === "now" ? { timing: eachWeek } : {}),
        })),
      ),
  request: ({ scope, items, window }) => {
    const who = { trackId: part(scope, "app"), country: part(scope, "country") };
    if (part(scope, "kind") === "now") return { ...who, keywords: items };
    return { ...who, keyword: items?.[0], ...rangeParams(estimationHistory, window) };
  },
  normalise: (slice, pages, left) => {
    const isNow = part(slice.scope, "kind") === "now";
    const { rows, invalid } = isNow ? estimatesNow(slice, pages, left) : estimatesByDay(slice, pages);
    return { rows: { [table.name]: rows }, invalid };
  },
});

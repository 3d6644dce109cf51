import { defineTable, type ColumnKind } from "../../load/table.ts";
import { figureColumns, restatedFigures } from "./report-figures.ts";

/** What was requested, which answers do not echo; a summary has its own grain. */
const requested = {
  org_id: "text",
  report_level: "text",
  grain: "text",
  currency: "text",
  attribution: "text",
  goal_id: "text",
} as const;

/** What identifies the rows of an answer, over all levels; '' for each id that the level lacks. */
const identity = {
  is_total: "boolean",
  app_id: "text",
  campaign_id: "text",
  ad_group_id: "text",
  keyword_id: "text",
  ad_id: "text",
  product_page: "text",
  search_term: "text",
  match_type: "text",
  country_key: "country",
  gender: "text",
  age: "text",
  device_class: "text",
  customer_type: "text",
  segment: "text",
} as const;

const described = {
  report_type: "text",
  date_day: "day",
  app_key: "app",
  keyword_key: "keyword",
  org_name: "text",
  app_name: "text",
  campaign_name: "text",
  ad_group_name: "text",
  ad_name: "text",
  product_page_name: "text",
} as const;

const status = {
  started_at: "timestamp",
  ad_channel_type: "text",
  billing_event: "text",
  pricing_model: "text",
  campaign_status: "text",
  ad_group_status: "text",
  display_status: "text",
  serving_status_reasons: "text",
  search_match: "text",
  countries: "json",
  country_statuses: "json",
  supply_sources: "json",
  original: "json",
  extra: "json",
} as const;

const columns: Readonly<Record<string, ColumnKind>> = {
  ...requested,
  period_start: "day",
  period_end: "day",
  ...identity,
  ...described,
  ...figureColumns,
  ...status,
};

/**
 * Rows of reports: of one day if `grain` is day, else of a longer period. The type of the report is not part of the key: a day is stored
 * once.
 */
export const reportTable = defineTable({
  name: "core.fact_search_ads_report",
  columns,
  key: [...Object.keys(requested), "period_start", "period_end", ...Object.keys(identity)],
  load: { kind: "replace", scope: [...Object.keys(requested), "period_start"], source: "report_type" },
  partitioned: true,
  restated: true,
  figures: { values: restatedFigures, amounts: ["spend", "goal_revenue"] },
});

/** The shape of the rows of reports by day, per answer: from it the plan chooses the cheapest way to fetch days that works. */
export const shapeTable = defineTable({
  name: "ops.search_ads_report_shape",
  columns: { org_id: "text", report_level: "text", period_start: "day", period_end: "day", shape: "text" },
  key: ["org_id", "report_level", "period_start", "period_end"],
  load: { kind: "upsert" },
  partitioned: false,
});

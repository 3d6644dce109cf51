import { expect, test } from "vitest";
import { displayNameOf, isMadeName, presentationOf } from "../../src/metabase/column-rules.ts";
import { openWarehouse } from "../../src/postgres/database.ts";
import { readRelations, type Column } from "../../src/postgres/relations.ts";
import { freshDatabase } from "../support/database.ts";

const percent = { number_style: "percent", decimals: 1 };

test.each([
  ["mart.app_overview_daily", "app_name", "text", { semantic: "type/Name", values: "list" }],
  ["mart.app_overview_daily", "country_code", "text", { semantic: "type/Country", values: "list" }],
  ["mart.organic_share_of_voice_daily", "voice_share", "numeric", { semantic: "type/Percentage", format: percent }],
  ["core.fact_ad_distribution", "percent_share", "numeric", { format: { number_style: "decimal", decimals: 4 } }],
  [
    "mart.review_daily",
    "review_count",
    "bigint",
    { semantic: "type/Quantity", format: { number_style: "decimal", decimals: 0 } },
  ],
  [
    "mart.data_freshness",
    "days_behind",
    "integer",
    { format: { number_style: "decimal", decimals: 0, suffix: " days" } },
  ],
  ["mart.keyword_cannibalisation", "spend", "numeric", { format: { number_style: "decimal", decimals: 2 } }],
  [
    "core.search_ads_goal_event",
    "custom_usd_revenue",
    "numeric",
    { semantic: "type/Currency", format: { number_style: "currency", currency: "USD", decimals: 2 } },
  ],
  ["core.fact_keyword_rank", "app_key", "bigint", { visibility: "details-only" }],
  ["core.dim_app", "app_key", "bigint", {}],
  ["core.fact_keyword_rank", "slice_id", "bigint", { visibility: "sensitive" }],
  ["core.fact_review", "extra", "jsonb", { visibility: "sensitive" }],
  ["core.dim_app", "icon_url", "text", { semantic: "type/ImageURL" }],
  ["core.app_history", "support_url", "text", { semantic: "type/URL" }],
  ["mart.review_by_version", "released_at", "timestamp", {}],
  ["mart.search_ads_campaign_report", "campaign_id", "text", {}],
  ["core.dim_date", "year", "smallint", { format: { number_separators: "." } }],
] as const)("%s.%s", (table, column, type, presentation) => {
  expect(presentationOf(column, table, type)).toEqual(presentation);
});

test("a column that is a part of one is shown in percent, and nothing else is: a percentage is multiplied by a hundred", async () => {
  await using database = await freshDatabase();
  await using warehouse = await openWarehouse(database.url, 1);
  const tables = (await readRelations(warehouse.db)).filter(({ schema }) => schema === "mart");
  const columns = tables.flatMap(({ name: table, columns: all }) => all.map((column) => ({ table, ...column })));
  const isPart = ({ comment }: Column) => /\b0 to 1\b(?!0)|0\.1 means up 10 percent/.test(comment);
  const isPercent = ({ table, name, type }: (typeof columns)[number]) =>
    presentationOf(name, table, type).format?.["number_style"] === "percent";
  const wrong = columns.filter((column) => isPart(column) !== isPercent(column));
  expect(wrong.map(({ table, name }) => `${table}.${name}`)).toEqual([]);
  expect(columns.filter(isPart).length).toBeGreaterThan(10);
});

test.each([
  ["cpa", "CPA"],
  ["goal_roas_7d", "Goal ROAS 7d"],
  ["ios_track_id", "iOS track id"],
  ["lat_on_install_count", "LAT on install count"],
  ["date_day", "Day"],
  ["keyword_rank", null],
  ["ad_group_name", null],
])("%s is shown as %s", (column, shown) => {
  expect(displayNameOf(column)).toBe(shown);
});

test("a name that Metabase made is distinguished from one that a person chose", () => {
  expect(isMadeName("Goal Roas 7 D", "goal_roas_7d")).toBe(true);
  expect(isMadeName("Icon URL", "icon_url")).toBe(true);
  expect(isMadeName("Our goal", "goal_roas_7d")).toBe(false);
});

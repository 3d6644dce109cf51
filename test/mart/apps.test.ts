import { beforeAll, expect, test } from "vitest";
import { openMartStage } from "../support/mart-stage.ts";
import { forTests } from "../support/for-tests.ts";

const mart = forTests(openMartStage);

const on = (date_day: string, country_key = "US") => ({ app_key: "ios:1", date_day, country_key });
const rank = (date: string, keyword_key: string, place: number | null, device_key = "IPHONE") => ({
  ...on(date),
  keyword_key,
  device_key,
  rank: place,
});
const review = (review_id: string, reviewed_at: string, rating: number, country_key = "US") => ({
  app_key: "ios:1",
  review_id,
  reviewed_at,
  rating,
  country_key,
  source: "v2",
  language_code: "",
});

const paid = (period_start: string, more: object) => ({
  org_id: "7",
  report_level: "CAMPAIGN",
  grain: "day",
  currency: "USD",
  attribution: "WITH",
  app_id: "1",
  app_key: "ios:1",
  campaign_id: "50",
  country_key: "US",
  period_start,
  period_end: period_start,
  date_day: period_start,
  ...more,
});

beforeAll(async () => {
  await mart.fill("core.fact_keyword_rank", [
    rank("2026-08-04", "plan", 50),
    rank("2026-08-08", "plan", 10),
    rank("2026-08-08", "habit", null),
    rank("2026-08-08", "plan", 1, "IPAD"),
    // the day of the release is in neither span
    rank("2026-08-11", "plan", 1),
    rank("2026-08-12", "plan", 2),
    rank("2026-08-12", "habit", 4),
    rank("2026-08-25", "plan", 4),
  ]);
  await mart.fill("core.app_version", [
    { app_key: "ios:1", country_key: "US", version: "2.0.0", version_at: "2026-08-11T09:00:00" },
    { app_key: "ios:1", country_key: "JP", version: "2.0.0", version_at: "2026-08-13T09:00:00" },
    { app_key: "ios:1", country_key: "US", version: "2.1.0", version_at: "2026-08-21T09:00:00" },
  ]);
  await mart.fill("core.fact_app_rating", [
    { ...on("2026-08-05"), rating: 4.5, rating_count: 100 },
    { ...on("2026-08-10"), rating: 4.4, rating_count: 110 },
    { ...on("2026-08-11"), rating: 1, rating_count: 111 },
    { ...on("2026-08-18"), rating: 4.2, rating_count: 150 },
  ]);
  await mart.fill("core.review", [
    review("1", "2026-08-10T23:59:59", 5),
    review("2", "2026-08-11T00:00:00", 1),
    review("3", "2026-08-12T00:00:00", 2),
    review("4", "2026-08-18T23:59:59", 3),
    review("5", "2026-08-25T23:59:59", 1),
    review("6", "2026-08-10T00:00:00", 5, "JP"),
  ]);
  await mart.fill("core.fact_download_revenue", [
    { ...on("2026-08-09"), device_key: "ALL", is_total: true, download_count: 100, revenue: 9 },
    { ...on("2026-08-09"), device_key: "IPHONE", is_total: false, download_count: 80 },
    { ...on("2026-08-10"), device_key: "IPHONE", is_total: false, download_count: 60 },
    { ...on("2026-08-12"), device_key: "ALL", is_total: true, download_count: 300 },
  ]);
  await mart.fill("core.fact_sales_metric", [
    { ...on("2026-08-12"), device_key: "ALL", context: "DOWNLOAD", is_total: false, is_device_total: true, units: 33 },
    {
      ...on("2026-08-12"),
      device_key: "ALL",
      context: "PAGE_VIEW",
      is_total: false,
      is_device_total: true,
      units: 333,
    },
    {
      ...on("2026-08-12", "ALL"),
      device_key: "ALL",
      context: "DOWNLOAD",
      is_total: true,
      is_device_total: true,
      units: 9000,
    },
  ]);
  await mart.fill("core.fact_visibility", [
    { ...on("2026-08-12"), kind: "history", score: 40 },
    { ...on("2026-08-12"), kind: "now", score: 90 },
  ]);
  const chart = { chart: "FREE", chart_version: "v1", resolution: "daily", ranked_at: "2026-08-12T00:00:00" };
  await mart.fill("core.fact_category_rank", [
    { ...on("2026-08-12"), ...chart, device_key: "IPHONE", category_code: "36", rank: 80 },
    { ...on("2026-08-12"), ...chart, device_key: "IPHONE", category_code: "6007", rank: 12 },
    { ...on("2026-08-12"), ...chart, device_key: "IPAD", category_code: "6007", rank: 3 },
  ]);
  // of a second app nothing is requested but charts and releases
  await mart.fill("core.fact_category_rank", [
    { ...on("2026-07-01"), app_key: "ios:2", ...chart, device_key: "IPHONE", category_code: "36", rank: 5 },
  ]);
  await mart.fill("core.app_version", [
    { app_key: "ios:2", country_key: "US", version: "1.0.0", version_at: "2026-07-02T09:00:00" },
    { app_key: "ios:2", country_key: "US", version: "1.1.0", version_at: "2026-07-09T09:00:00" },
    { app_key: "ios:2", country_key: "US", version: "1.2.0", version_at: "2026-07-17T09:00:00" },
    // without a number it is one release a day, whichever country it reached first
    { app_key: "ios:2", country_key: "US", version: "", version_at: "2025-12-01T09:00:00" },
    { app_key: "ios:2", country_key: "JP", version: "", version_at: "2025-12-01T11:00:00" },
  ]);
  await mart.fill("core.fact_app_rating", [
    { ...on("2025-12-02"), app_key: "ios:2", rating: 2 },
    { ...on("2026-07-09"), app_key: "ios:2", rating: 3 },
  ]);
  await mart.fill("core.fact_search_ads_report", [
    paid("2026-08-12", { spend: 40, install_count: 8 }),
    paid("2026-08-12", { campaign_id: "51", spend: 2.5, install_count: 1 }),
    // levels, goals and currencies repeat the same money
    paid("2026-08-12", { report_level: "KEYWORD", spend: 42.5, install_count: 9 }),
    paid("2026-08-12", { goal_id: "3", spend: 40, install_count: 8 }),
    paid("2026-08-12", { currency: "EUR", spend: 37, install_count: 8 }),
  ]);
  // reviews were requested of the 5th to the 20th, in Japan and the United States
  await mart.slice({
    dataset: "review",
    scope: { store: "ios", app: "1", source: "v2" },
    days: ["2026-08-05", "2026-08-21"],
    items: ["JP", "US"],
  });
  await mart.name({ "ios:1": "Ours", "ios:2": "Charts alone", "ios:9": "Never listed" });
});

test("a release is compared by the days before and after it, over one week and two", async () => {
  const rows = await mart.ask(`
    select version, country_code, release_day, window_day_count, before_average_rank, after_average_rank, before_ranked_keyword_share, after_ranked_keyword_share,
           before_voice_share, after_voice_share, before_rating, after_rating, before_review_count, after_review_count, after_average_review_rating,
           before_estimated_download_count, after_estimated_download_count, after_store_download_count, nearby_release_count,
           before_rank_day_count || '/' || after_rank_day_count || ' ' || before_rating_day_count || '/' || after_rating_day_count || ' '
           || before_review_day_count || '/' || after_review_day_count || ' ' || before_estimated_download_day_count || '/'
           || after_estimated_download_day_count || ' ' || before_store_download_day_count || '/' || after_store_download_day_count as days
    from   mart.release_impact where version = '2.0.0' order by window_day_count, country_code`);
  expect(rows).toEqual([
    "2.0.0 | JP | 2026-08-11 | 7 | - | - | - | - | - | - | - | - | 1 | 0 | - | - | - | - | 0 | 0/0 0/0 6/7 0/0 0/0",
    // ranked: 50 and 10 before, one of three cells unranked; 2 and 4 after. Downloads a day: 100 and 60 before
    "2.0.0 | US | 2026-08-11 | 7 | 30 | 3 | 0.6667 | 1 | 0.04 | 0.375 | 4.4 | 4.2 | 1 | 2 | 2.5 | 80 | 300 | 33 | 0 | 2/1 2/1 6/7 2/1 0/1",
    // a third review after it, on a day of which not all reviews were requested, is in neither figure
    "2.0.0 | JP | 2026-08-11 | 14 | - | - | - | - | - | - | - | - | 1 | 0 | - | - | - | - | 1 | 0/0 0/0 6/9 0/0 0/0",
    "2.0.0 | US | 2026-08-11 | 14 | 30 | 3.33 | 0.6667 | 1 | 0.04 | 0.3333 | 4.4 | 4.2 | 1 | 2 | 2.5 | 80 | 300 | 33 | 1 | 2/2 2/1 6/9 2/1 0/1",
  ]);
});

test("an app's day is one row a country with all that is known of it, of the phone where devices are distinguished", async () => {
  const rows = await mart.ask(`
    select app_name, country_code, date_day, requested_keyword_count, ranked_keyword_count, top_3_keyword_count, average_rank, voice_share, visibility_score,
           best_category_rank, rating, review_count, average_review_rating, estimated_download_count, estimated_revenue, store_download_count, page_view_count,
           search_ads_spend, search_ads_currency, search_ads_install_count
    from   mart.app_overview_daily where date_day between '2026-08-08' and '2026-08-12' order by 2, 3`);
  expect(rows).toEqual([
    "Ours | JP | 2026-08-10 | - | - | - | - | - | - | - | - | 1 | 5 | - | - | - | - | - | - | -",
    // reviews were requested, and there are none
    "Ours | US | 2026-08-08 | 2 | 1 | 0 | 10 | 0.05 | - | - | - | 0 | - | - | - | - | - | - | - | -",
    "Ours | US | 2026-08-09 | - | - | - | - | - | - | - | - | 0 | - | 100 | 9 | - | - | - | - | -",
    "Ours | US | 2026-08-10 | - | - | - | - | - | - | - | 4.4 | 1 | 5 | 60 | - | - | - | - | - | -",
    "Ours | US | 2026-08-11 | 1 | 1 | 1 | 1 | 1 | - | - | 1 | 1 | 1 | - | - | - | - | - | - | -",
    "Ours | US | 2026-08-12 | 2 | 2 | 1 | 3 | 0.375 | 40 | 12 | - | 1 | 2 | 300 | - | 33 | 333 | 42.5 | USD | 9",
  ]);
});

test("an app of which charts alone are known has a row, and reviews that were never requested are not reported as none", async () => {
  expect(
    await mart.ask(
      "select app_name, date_day, best_category_rank from mart.app_overview_daily where date_day = '2026-07-01'",
    ),
  ).toEqual(["Charts alone | 2026-07-01 | 5"]);
  const rows = await mart.ask(`
    select version, window_day_count, before_rating, after_rating, before_review_count, after_review_count, nearby_release_count
    from   mart.release_impact where app_name = 'Charts alone' order by version, window_day_count`);
  expect(rows).toEqual([
    " | 7 | - | 2 | - | - | 0",
    " | 14 | - | 2 | - | - | 0",
    "1.0.0 | 7 | - | 3 | - | - | 1",
    "1.0.0 | 14 | - | 3 | - | - | 1",
    "1.1.0 | 7 | - | - | - | - | 1",
    "1.1.0 | 14 | - | - | - | - | 2",
    "1.2.0 | 14 | 3 | - | - | - | 1",
  ]);
});

test("on a day that was not requested the number of reviews is unknown, and one that counts reviews counts them", async () => {
  expect(
    await mart.ask(
      "select country_code, date_day, review_count, is_review_answered from mart.app_overview_daily where date_day in ('2026-08-04', '2026-08-10', '2026-08-25') order by 1, 2",
    ),
  ).toEqual([
    "JP | 2026-08-10 | 1 | true",
    "US | 2026-08-04 | - | false",
    "US | 2026-08-10 | 1 | true",
    "US | 2026-08-25 | 1 | false",
  ]);
});

test("apps that were only seen in charts or lists are no part of any of these marts", async () => {
  await mart.name(Object.fromEntries(Array.from({ length: 50 }, (_, number) => [`ios:8${number}`, "Stranger"])));
  expect(await mart.ask("select app_name from ops.portfolio_app order by 1")).toEqual(["Charts alone", "Ours"]);
  for (const view of ["app_overview_daily", "release_impact", "keyword_rank_movers", "keyword_opportunity"])
    expect(await mart.ask(`select count(*) from mart.${view} where app_name = 'Stranger'`)).toEqual(["0"]);
});

import { beforeAll, expect, test } from "vitest";
import { addDays, day } from "../../src/core/day.ts";
import { daysOf } from "../../src/core/window.ts";
import { openMartStage } from "../support/mart-stage.ts";
import { forTests } from "../support/for-tests.ts";

const mart = forTests(openMartStage);

const daysFrom = (first: string, count: number) => daysOf({ start: day(first), end: addDays(day(first), count) });

beforeAll(async () => {
  await mart.name({ "ios:1": "Ours", "ios:7": "Rival", "android:a": "Ours too" });
});

test("downloads and revenue are summed by country and month, and compared where both months have all their days", async () => {
  const estimate = (country_key: string, date_day: string, download_count: number) => ({
    app_key: "ios:1",
    country_key,
    date_day,
    device_key: "ALL",
    is_total: true,
    download_count,
    revenue: 2,
  });
  await mart.fill("core.fact_download_revenue", [
    ...daysFrom("2026-06-01", 30).map((date) => estimate("US", date, 10)),
    ...daysFrom("2026-07-01", 31).map((date) => estimate("US", date, 15)),
    // August is not over
    ...daysFrom("2026-08-01", 2).map((date) => estimate("US", date, 20)),
    // no June in Japan
    ...daysFrom("2026-05-01", 31).map((date) => estimate("JP", date, 1)),
    ...daysFrom("2026-07-01", 31).map((date) => estimate("JP", date, 1)),
  ]);
  const sold = (date_day: string, units: number, more: object = {}) => ({
    app_key: "ios:1",
    country_key: "US",
    date_day,
    device_key: "ALL",
    context: "DOWNLOAD",
    is_total: false,
    is_device_total: true,
    units,
    ...more,
  });
  await mart.fill("core.fact_sales_metric", [
    ...daysFrom("2026-06-01", 30).map((date) => sold(date, 4)),
    ...daysFrom("2026-07-01", 31).map((date) => sold(date, 2)),
    sold("2026-07-31", 99, { context: "REVENUE_TOTAL" }),
    sold("2026-07-31", 777, { country_key: "ALL", is_total: true }),
  ]);
  expect(
    await mart.ask(`
      select country_code, region, month_start, month_day_count, estimated_day_count, estimated_download_count, estimated_revenue,
             estimated_download_change_share, estimated_revenue_change_share, store_day_count, store_download_count, store_revenue,
             store_download_change_share
      from   mart.download_revenue_monthly order by 1, 3`),
  ).toEqual([
    "JP | Asia | 2026-05-01 | 31 | 31 | 31 | 62 | - | - | 0 | - | - | -",
    "JP | Asia | 2026-07-01 | 31 | 31 | 31 | 62 | - | - | 0 | - | - | -",
    "US | Americas | 2026-06-01 | 30 | 30 | 300 | 60 | - | - | 30 | 120 | - | -",
    // 465 of 300, 62 of 60; 62 of 120
    "US | Americas | 2026-07-01 | 31 | 31 | 465 | 62 | 0.55 | 0.0333 | 31 | 62 | 99 | -0.4833",
    "US | Americas | 2026-08-01 | 31 | 2 | 40 | 4 | - | - | 0 | - | - | -",
  ]);
});

test("figures are rolled up by week, month and region through the dimensions", async () => {
  expect(
    await mart.ask(`
      select c.region, d.week_start, sum(o.estimated_download_count) as downloads
      from   mart.app_overview_daily as o
      join   core.dim_date    as d on d.date_day = o.date_day
      join   core.dim_country as c on c.country_code = o.country_code
      where  o.date_day between '2026-07-27' and '2026-08-02' group by 1, 2 order by 1`),
  ).toEqual(["Americas | 2026-07-27 | 115", "Asia | 2026-07-27 | 5"]);
});

test("impression shares are those of the newest observation of a day, with each app's place", async () => {
  const share = (app_key: string, share_day: string, impression_share: number, date_day = "2026-08-03") => ({
    keyword_key: "plan",
    date_day,
    country_key: "US",
    store: "ios",
    device_key: "IPHONE",
    share_day,
    app_key,
    impression_share,
  });
  await mart.fill("core.fact_impression_share", [
    share("ios:1", "2026-08-02", 20),
    share("ios:7", "2026-08-02", 30),
    share("ios:7", "2026-08-02", 35, "2026-08-10"),
    share("ios:1", "2026-08-01", 40),
  ]);
  expect(
    await mart.ask(`
      select app_name, is_portfolio_app, keyword, device_code, share_day, date_day, impression_share, share_rank from mart.keyword_impression_share order by share_day, share_rank`),
  ).toEqual([
    "Ours | true | plan | IPHONE | 2026-08-01 | 2026-08-03 | 40 | 1",
    // the newer list replaces the older one of that day, and our app is not in it any more
    "Rival | false | plan | IPHONE | 2026-08-02 | 2026-08-10 | 35 | 1",
  ]);
});

test("installs to be expected of a keyword are given with its reach, by kind", async () => {
  const estimate = { app_key: "ios:1", country_key: "US", keyword_key: "plan", date_day: "2026-08-01" };
  await mart.fill("core.fact_keyword_estimate", [
    { ...estimate, kind: "now", conversion_rate: 0.0023, max_reach_count: 1000, install_count: 2.3 },
    { ...estimate, kind: "history" },
  ]);
  expect(
    await mart.ask(`
      select app_name, keyword, date_day, estimate_kind, max_reach_count, conversion_rate, expected_install_count from mart.keyword_install_estimate order by 4 desc`),
  ).toEqual(["Ours | plan | 2026-08-01 | now | 1000 | 0.0023 | 2.3", "Ours | plan | 2026-08-01 | history | - | - | -"]);
});

test("visits of the page stand beside downloads, without the service's own totals", async () => {
  const on = {
    app_key: "android:a",
    date_day: "2026-08-01",
    device_key: "ALL",
    is_total: false,
    is_device_total: false,
  };
  await mart.fill("core.fact_retention", [
    { ...on, country_key: "US", android_store_visit_count: 200 },
    { ...on, country_key: "JP", android_store_visit_count: 0 },
    { ...on, country_key: "ALL", is_total: true, android_store_visit_count: 999 },
  ]);
  await mart.fill("core.fact_sales_metric", [{ ...on, country_key: "US", context: "DOWNLOAD", units: 50 }]);
  // visits of a day whose downloads are not known are in no rate
  await mart.fill("core.fact_retention", [
    { ...on, date_day: "2026-08-02", country_key: "US", android_store_visit_count: 300 },
  ]);
  const [comment = ""] = await mart.ask(`
    select col_description(attrelid, attnum) from pg_attribute
    where  attrelid = 'mart.retention_daily'::regclass and attname = 'visit_conversion_rate'`);
  const rate = /(sum\(.*)\.$/.exec(comment)?.[1];
  expect(await mart.ask(`select ${rate} from mart.retention_daily where country_code = 'US'`)).toEqual(["0.25"]);
  expect(
    await mart.ask(`
      select app_name, country_code, date_day, store_visit_count, store_download_count, visit_conversion_rate from mart.retention_daily
      where  date_day = '2026-08-01' order by 2`),
  ).toEqual(["Ours too | JP | 2026-08-01 | 0 | - | -", "Ours too | US | 2026-08-01 | 200 | 50 | 0.25"]);
});

test("advertisements that were seen are rows with their texts and networks", async () => {
  await mart.fill("core.tracked_competitor", [
    { app_key: "ios:1", competitor_app_key: "ios:7", valid_from: "2026-08-01", is_current: true },
  ]);
  await mart.fill("core.ad_creative", [
    {
      app_key: "ios:7",
      period_start: "2026-07-01",
      period_end: "2026-07-30",
      network: "",
      media_type: "",
      creative_key: "c1",
      title: "Plan it",
      action_text: "Install",
      networks: '[{"title":"Zeta","id":2},{"title":"Alpha","id":1}]',
      impression_count: 1200,
    },
  ]);
  expect(
    await mart.ask(`
      select app_name, is_competitor, country_code, period_start, period_end, title, action_text, network_names, impression_count from mart.advertisement`),
  ).toEqual(["Rival | true | ALL | 2026-07-01 | 2026-07-30 | Plan it | Install | Alpha, Zeta | 1200"]);
});

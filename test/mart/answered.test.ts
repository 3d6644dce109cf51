import { beforeAll, expect, test } from "vitest";
import { day } from "../../src/core/day.ts";
import { daysOf } from "../../src/core/window.ts";
import { openMartStage } from "../support/mart-stage.ts";
import { forTests } from "../support/for-tests.ts";

const mart = forTests(openMartStage);

const days = ["2026-08-01", "2026-08-02", "2026-08-03", "2026-08-04"] as const;

/** A slice about app 1, from a day up to another one, that day excluded. */
const slice = (
  dataset: string,
  scope: object,
  window: readonly [string, string],
  state = "loaded",
  error: string | null = null,
) => mart.slice({ dataset, scope: { store: "ios", app: "1", ...scope }, days: window, state, error });

beforeAll(async () => {
  await mart.name({ "ios:1": "Ours" });
  const on = { app_key: "ios:1", country_key: "US" };
  await mart.fill(
    "core.fact_category_rank",
    days.map((date_day) => ({
      ...on,
      date_day,
      device_key: "IPHONE",
      category_code: "36",
      chart: "FREE",
      chart_version: "v1",
      ranked_at: `${date_day}T00:00:00`,
      resolution: "daily",
      rank: date_day === "2026-08-04" ? null : 7,
    })),
  );
  await mart.fill("core.fact_download_revenue", [
    { ...on, date_day: "2026-08-02", device_key: "ALL", is_total: true, download_count: 100, revenue: 7 },
  ]);
  // estimates of the US from the 2nd to the 4th, of which one failed; those of Japan say nothing of the US
  await slice("download_revenue", { country: "US", device: "IPHONE" }, ["2026-08-02", "2026-08-04"]);
  await slice("download_revenue", { country: "US", device: "IPHONE" }, ["2026-08-04", "2026-08-05"], "failed");
  await slice("download_revenue", { country: "JP", device: "IPHONE" }, ["2026-08-01", "2026-08-05"]);
  // downloads of the store in all countries on the 3rd, without any; revenue says nothing of downloads
  await slice("sales_metric", { area: "all", context: "DOWNLOAD" }, ["2026-08-03", "2026-08-04"], "empty");
  await slice("sales_metric", { area: "all", context: "REVENUE_TOTAL" }, ["2026-08-01", "2026-08-05"]);
  await slice("category_rank", { country: "US" }, ["2026-08-01", "2026-08-05"]);
});

test("downloads that were requested and are none are distinguished from those that were not requested", async () => {
  const expected = ["- | false | - | false", "100 | true | - | false", "- | true | - | true", "- | false | - | false"];
  for (const view of ["category_rank_vs_downloads_daily", "app_overview_daily"])
    expect(
      await mart.ask(`
        select date_day, estimated_download_count, is_estimate_answered, store_download_count, is_store_answered
        from   mart.${view} where track_id = '1' and country_code = 'US' order by 1`),
    ).toEqual(expected.map((line, at) => `${days[at]} | ${line}`));
});

test("estimates of which a requested device has no answer are not answered, and a month with one is not compared", async () => {
  const of = { app_key: "ios:1", country_key: "JP", is_total: false, revenue: 1 };
  await mart.fill(
    "core.fact_download_revenue",
    daysOf({ start: day("2026-05-01"), end: day("2026-07-01") }).flatMap((date_day) => [
      { ...of, date_day, device_key: "IPHONE", download_count: 30 },
      // the last day of the iPad is missing
      ...(date_day === "2026-06-30" ? [] : [{ ...of, date_day, device_key: "IPAD", download_count: 10 }]),
    ]),
  );
  await slice("download_revenue", { country: "JP", device: "IPHONE" }, ["2026-05-01", "2026-07-01"]);
  await slice("download_revenue", { country: "JP", device: "IPAD" }, ["2026-05-01", "2026-06-30"]);
  await slice("download_revenue", { country: "JP", device: "IPAD" }, ["2026-06-29", "2026-07-01"], "failed");
  expect(
    await mart.ask(`
      select date_day, estimated_download_count, is_estimate_answered from mart.app_overview_daily
      where  country_code = 'JP' and date_day between '2026-06-29' and '2026-06-30' order by 1`),
  ).toEqual(["2026-06-29 | 40 | true", "2026-06-30 | 30 | false"]);
  const months = () =>
    mart.ask(`
      select month_start, estimated_day_count, estimated_download_count, estimate_answered_day_count, estimated_download_change_share
      from   mart.download_revenue_monthly where country_code = 'JP' and month_start < '2026-07-01' order by 1`);
  expect(await months()).toEqual(["2026-05-01 | 31 | 1240 | 31 | -", "2026-06-01 | 30 | 1190 | 29 | -"]);
  await mart.fill("core.fact_download_revenue", [
    { ...of, date_day: "2026-06-30", device_key: "IPAD", download_count: 10 },
  ]);
  await slice("download_revenue", { country: "JP", device: "IPAD" }, ["2026-06-30", "2026-07-01"]);
  // 1200 of 1240
  expect((await months())[1]).toBe("2026-06-01 | 30 | 1200 | 30 | -0.0323");
});

test("a month that retention dropped is not answered, also where other figures of its days are kept", async () => {
  const answered = () =>
    mart.ask(
      `select date_day, is_category_rank_answered from mart.app_overview_daily where track_id = '1' and country_code = 'US' and date_day < '2026-08-01' order by 1`,
    );
  await mart.fill(
    "core.fact_app_rating",
    ["2026-06-30", "2026-07-01"].map((date_day) => ({ app_key: "ios:1", country_key: "US", date_day, rating: 4 })),
  );
  await slice("category_rank", { country: "US" }, ["2026-06-01", "2026-08-01"], "empty");
  expect(await answered()).toEqual(["2026-06-30 | true", "2026-07-01 | true"]);
  await mart.ask(`
    insert into ops.dropped_month (dataset, table_name, month_start, action, rows_gone, bytes_gone, dropped_by, dropped_at, is_done)
    values ('category_rank', 'core.fact_category_rank', '2026-06-01', 'drop', 0, 0, 'me', now() + interval '1 day', true)`);
  expect(await answered()).toEqual(["2026-06-30 | false", "2026-07-01 | true"]);
});

test("a day without a place in the charts is distinguished from one that was not requested", async () => {
  await mart.fill("core.fact_visibility", [
    { app_key: "ios:1", country_key: "US", date_day: "2026-08-05", kind: "history", score: 3 },
  ]);
  expect(
    await mart.ask(`
      select date_day, best_category_rank, is_category_rank_answered from mart.app_overview_daily
      where  track_id = '1' and date_day >= '2026-08-03' order by 1`),
  ).toEqual(["2026-08-03 | 7 | true", "2026-08-04 | - | true", "2026-08-05 | - | false"]);
});

test("places in charts of which one requested version has no answer yet are not answered", async () => {
  const of = (chart_version: string) => ({ country: "US", resolution: "daily", chart_version });
  const window = ["2026-07-20", "2026-07-22"] as const;
  await mart.fill(
    "core.fact_visibility",
    ["2026-07-20", "2026-07-21"].map((date_day) => ({
      app_key: "ios:1",
      country_key: "US",
      date_day,
      kind: "history",
      score: 3,
    })),
  );
  await slice("category_rank", of("v1"), window);
  await slice("category_rank", of("v2"), ["2026-07-21", "2026-07-22"], "failed");
  const answered = () =>
    mart.ask(
      `select date_day, is_category_rank_answered from mart.app_overview_daily
       where  track_id = '1' and date_day in ('2026-07-20', '2026-07-21') order by 1`,
    );
  expect(await answered()).toEqual(["2026-07-20 | true", "2026-07-21 | false"]);
  await slice("category_rank", of("v2"), window);
  expect(await answered()).toEqual(["2026-07-20 | true", "2026-07-21 | true"]);
});

test("what the service does not know (404) is answered, and what it refused (400) is not", async () => {
  const on = ["2026-07-14", "2026-07-15"] as const;
  await mart.fill(
    "core.fact_visibility",
    on.map((date_day) => ({ app_key: "ios:3", country_key: "US", date_day, kind: "history", score: 3 })),
  );
  for (const [dataset, scope] of [
    ["category_rank", { app: "3", country: "US", resolution: "daily", chart_version: "v1" }],
    ["download_revenue", { app: "3", country: "US", device: "IPHONE" }],
    ["sales_metric", { app: "3", country: "US", context: "DOWNLOAD", device: "IPHONE" }],
  ] as const) {
    await slice(dataset, scope, ["2026-07-14", "2026-07-15"], "failed");
    await slice(dataset, scope, ["2026-07-14", "2026-07-15"], "skipped", "not_found");
    await slice(dataset, scope, ["2026-07-15", "2026-07-16"], "skipped", "bad_request");
  }
  expect(
    await mart.ask(`
      select date_day, is_category_rank_answered, is_estimate_answered, is_store_answered from mart.app_overview_daily
      where  track_id = '3' and country_code = 'US' and date_day between '2026-07-14' and '2026-07-15' order by 1`),
  ).toEqual(["2026-07-14 | true | true | true", "2026-07-15 | false | false | false"]);
  expect(
    await mart.ask("select dataset, window_start, is_empty from ops.app_answer where track_id = '3' order by 1"),
  ).toEqual(["category_rank", "download_revenue", "sales_metric"].map((dataset) => `${dataset} | 2026-07-14 | true`));
  expect(
    await mart.ask(
      "select dataset from ops.unanswered_download_daily where track_id = '3' and date_day = '2026-07-14'",
    ),
  ).toEqual([]);
});

test("places in charts whose daily average has an answer are answered, whether the hours of the day have one or not", async () => {
  const of = (resolution: string) => ({ country: "US", resolution, chart_version: "v1" });
  await mart.fill("core.fact_visibility", [
    { app_key: "ios:1", country_key: "US", date_day: "2026-07-10", kind: "history", score: 3 },
  ]);
  const answered = async () =>
    mart.ask(
      "select is_category_rank_answered from mart.app_overview_daily where track_id = '1' and date_day = '2026-07-10'",
    );
  await slice("category_rank", of("hourly"), ["2026-07-10", "2026-07-11"], "failed");
  expect(await answered()).toEqual(["false"]);
  await slice("category_rank", of("daily"), ["2026-07-10", "2026-07-11"]);
  expect(await answered()).toEqual(["true"]);
});

test("an answer about the last day that the service has is about the day of its places, not about that of its request", async () => {
  const [known, on] = ["2026-08-06", "2026-08-07"];
  await mart.fill("core.fact_visibility", [
    { app_key: "ios:1", country_key: "US", date_day: on, kind: "history", score: 3 },
  ]);
  await mart.fill("core.fact_category_rank", [
    {
      app_key: "ios:1",
      country_key: "US",
      date_day: known,
      device_key: "IPHONE",
      category_code: "36",
      chart: "FREE",
      ranked_at: `${known}T00:00:00`,
      resolution: "last_day",
      rank: 3,
    },
  ]);
  await slice("category_rank", { device: "IPHONE", resolution: "last_day" }, [on, "2026-08-08"]);
  expect(
    await mart.ask(`
      select date_day, best_category_rank, is_category_rank_answered from mart.app_overview_daily
      where  track_id = '1' and date_day >= '${known}' order by 1`),
  ).toEqual([`${known} | 3 | true`, `${on} | - | false`]);
});

test("a month counts the days with an answer beside those with a figure", async () => {
  expect(
    await mart.ask(`
      select country_code, month_day_count, estimated_day_count, estimate_answered_day_count, store_day_count, store_answered_day_count
      from   mart.download_revenue_monthly where country_code = 'US'`),
  ).toEqual(["US | 31 | 1 | 2 | 0 | 1"]);
});

test("downloads of the store of which a requested device has no answer are not answered; a week and a month say of how many days they are", async () => {
  const on = { app_key: "ios:2", country_key: "US", context: "DOWNLOAD", is_total: false, is_device_total: false };
  const sold = (date_day: string, device_key: string, units: number) => ({ ...on, date_day, device_key, units });
  await mart.fill("core.fact_sales_metric", [
    sold("2026-08-03", "IPHONE", 5),
    sold("2026-08-03", "IPAD", 3),
    // no downloads from the 4th to the 8th
    sold("2026-08-09", "IPHONE", 4),
  ]);
  await mart.fill("core.fact_category_rank", [
    {
      app_key: "ios:2",
      country_key: "US",
      date_day: "2026-08-09",
      device_key: "IPHONE",
      category_code: "36",
      chart: "FREE",
      chart_version: "v1",
      ranked_at: "2026-08-09T00:00:00",
      resolution: "daily",
      rank: 3,
    },
  ]);
  const of = { app: "2", area: "all", context: "DOWNLOAD" };
  await slice("sales_metric", { ...of, device: "IPHONE" }, ["2026-08-03", "2026-08-10"]);
  await slice("sales_metric", { ...of, device: "IPAD" }, ["2026-08-03", "2026-08-09"]);
  await slice("sales_metric", { ...of, device: "IPAD" }, ["2026-08-09", "2026-08-10"], "deferred");
  // another kind of figure waits for itself alone
  await slice("sales_metric", { ...of, device: "IPAD", context: "PAGE_VIEW" }, ["2026-08-03", "2026-08-10"], "pending");
  const daily = () =>
    mart.ask(
      "select date_day, store_download_count, is_store_answered from mart.app_overview_daily where track_id = '2' order by 1",
    );
  const beside = () =>
    mart.ask("select is_store_answered from mart.category_rank_vs_downloads_daily where track_id = '2'");
  const periods = () =>
    mart.ask(`
      select period_kind, period_start, period_day_count, region, store_day_count, store_download_count, is_complete
      from   mart.app_overview_by_period where track_id = '2' order by 1`);
  const months = () =>
    mart.ask(
      "select store_day_count, store_answered_day_count from mart.download_revenue_monthly where track_id = '2'",
    );
  expect(await daily()).toEqual(["2026-08-03 | 8 | true", "2026-08-09 | 4 | false"]);
  expect(await beside()).toEqual(["false"]);
  expect(await months()).toEqual(["2 | 6"]);
  expect(await periods()).toEqual([
    "month | 2026-08-01 | 31 | Americas | 6 | 12 | false",
    "week | 2026-08-03 | 7 | Americas | 6 | 12 | false",
  ]);
  await slice("sales_metric", { ...of, device: "IPAD" }, ["2026-08-09", "2026-08-10"]);
  expect((await daily())[1]).toBe("2026-08-09 | 4 | true");
  expect(await beside()).toEqual(["true"]);
  expect(await months()).toEqual(["2 | 7"]);
  expect((await periods())[1]).toBe("week | 2026-08-03 | 7 | Americas | 7 | 12 | false");
  await slice("sales_metric", { ...of, device: "IPAD", context: "PAGE_VIEW" }, ["2026-08-03", "2026-08-10"]);
  expect(await periods()).toEqual([
    "month | 2026-08-01 | 31 | Americas | 7 | 12 | false",
    "week | 2026-08-03 | 7 | Americas | 7 | 12 | true",
  ]);
});

test("a day without a rating, and one without spend, are distinguished from days that were not requested", async () => {
  await mart.fill("core.fact_app_rating", [
    // the page shows none
    { app_key: "ios:1", country_key: "US", date_day: "2026-08-01" },
    { app_key: "ios:1", country_key: "US", date_day: "2026-08-02", rating: 4 },
  ]);
  const about = { report_level: "CAMPAIGN", currency: "USD", attribution: "WITH", grain: "day" };
  const spent = (org_id: string, date: string, spend: number) => ({
    ...about,
    org_id,
    app_key: "ios:1",
    country_key: "US",
    period_start: date,
    period_end: date,
    date_day: date,
    spend,
  });
  await mart.fill("core.fact_search_ads_report", [spent("7", "2026-08-01", 5), spent("7", "2026-08-03", 6)]);
  const report = (org_id: string, window: readonly [string, string], state = "loaded", error: string | null = null) =>
    slice(
      "search_ads_report",
      { store: undefined, app: undefined, org_id, report_type: "DAILY", ...about },
      window,
      state,
      error,
    );
  await report("7", ["2026-08-01", "2026-08-05"]);
  await report("8", ["2026-08-01", "2026-08-03"], "empty");
  await report("8", ["2026-08-03", "2026-08-04"], "failed");
  await report("8", ["2026-08-04", "2026-08-05"], "skipped", "not_found");
  // disconnected long since
  await report("9", ["2026-06-01", "2026-06-10"]);
  expect(
    await mart.ask(`
      select date_day, rating, is_rating_answered, search_ads_spend, is_search_ads_answered from mart.app_overview_daily
      where  track_id = '1' and country_code = 'US' and date_day between '2026-08-01' and '2026-08-04' order by 1`),
  ).toEqual([
    "2026-08-01 | - | true | 5 | true",
    "2026-08-02 | 4 | true | - | true",
    "2026-08-03 | - | false | 6 | false",
    "2026-08-04 | - | false | - | true",
  ]);
  const complete = () =>
    mart.ask("select date_day, is_complete from mart.search_ads_daily_default order by 1, 2").then(([first]) => first);
  expect(await mart.ask("select date_day, is_complete from mart.search_ads_daily_default order by 1")).toEqual([
    "2026-08-01 | true",
    "2026-08-03 | false",
  ]);
  // not requested for weeks, and never answered
  await report("12", ["2026-07-01", "2026-07-10"], "failed");
  expect(await complete()).toBe("2026-08-01 | true");
  // requested, and not answered yet
  await report("11", ["2026-08-01", "2026-08-05"], "failed");
  expect(await complete()).toBe("2026-08-01 | false");
  await report("11", ["2026-08-01", "2026-08-05"]);
  expect(await complete()).toBe("2026-08-01 | true");
  // requested, and without an answer for longer than a week
  await report("10", ["2026-06-01", "2026-06-10"]);
  expect(await complete()).toBe("2026-08-01 | true");
  await report("10", ["2026-06-10", "2026-08-05"], "failed");
  expect(await complete()).toBe("2026-08-01 | false");
});

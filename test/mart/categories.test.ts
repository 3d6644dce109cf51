import { beforeAll, expect, test } from "vitest";
import type { Row } from "../../src/load/table.ts";
import { openMartStage } from "../support/mart-stage.ts";
import { forTests } from "../support/for-tests.ts";

const mart = forTests(openMartStage);

function observed(date: string, rank: number | null, resolution = "daily", more: Row = {}): Row {
  return {
    app_key: "ios:1",
    country_key: "US",
    device_key: "IPHONE",
    category_code: "6007",
    category_name: "Productivity",
    chart: "FREE",
    chart_version: "v1",
    date_day: date,
    ranked_at: `${date}T00:00:00`,
    resolution,
    rank,
    ...more,
  };
}

beforeAll(async () => {
  await mart.fill("core.fact_category_rank", [
    observed("2026-08-01", 7.5),
    observed("2026-08-01", 1, "hourly", { ranked_at: "2026-08-01T06:00:00" }),
    observed("2026-08-01", 90, "last_day"),
    observed("2026-08-01", 8, "daily", { chart_version: "v2" }),
    observed("2026-08-01", 40, "daily", { device_key: "IPAD" }),
    observed("2026-08-01", 3, "daily", { chart: "GROSSING" }),
    observed("2026-08-02", 4, "hourly", { ranked_at: "2026-08-02T06:00:00" }),
    observed("2026-08-02", 9, "hourly", { ranked_at: "2026-08-02T18:00:00" }),
    observed("2026-08-02", null, "hourly", { ranked_at: "2026-08-02T20:00:00" }),
    observed("2026-08-02", 60, "last_day"),
    observed("2026-08-03", null),
    observed("2026-08-01", 2, "daily", {
      app_key: "android:a",
      device_key: "ALL",
      category_code: "PRODUCTIVITY",
      chart_version: "",
    }),
    observed("2026-08-01", 70, "daily", { country_key: "JP" }),
  ]);
  await mart.name({ "ios:1": "Ours", "android:a": "Other store" });
});

test("a day has one place a chart, from the best source: the day's average, its crawls, or the last day", async () => {
  const rows = await mart.ask(`
    select app_name, country_code, device_code, chart, chart_version, date_day, rank_resolution, category_rank, best_category_rank, worst_category_rank, observation_count
    from   mart.category_rank_daily order by 1, 2, 3, 4, 5, 6`);
  expect(rows).toEqual([
    "Other store | US | ALL | FREE |  | 2026-08-01 | daily | 2 | 2 | 2 | 1",
    "Ours | JP | IPHONE | FREE | v1 | 2026-08-01 | daily | 70 | 70 | 70 | 1",
    "Ours | US | IPAD | FREE | v1 | 2026-08-01 | daily | 40 | 40 | 40 | 1",
    "Ours | US | IPHONE | FREE | v1 | 2026-08-01 | daily | 7.5 | 7.5 | 7.5 | 1",
    "Ours | US | IPHONE | FREE | v1 | 2026-08-02 | hourly | 6.5 | 4 | 9 | 2",
    "Ours | US | IPHONE | FREE | v1 | 2026-08-03 | daily | - | - | - | 0",
    "Ours | US | IPHONE | FREE | v2 | 2026-08-01 | daily | 8 | 8 | 8 | 1",
    "Ours | US | IPHONE | GROSSING | v1 | 2026-08-01 | daily | 3 | 3 | 3 | 1",
  ]);
});

test("the best place of a day in the overview is the best of these", async () => {
  const best = ["JP | 2026-08-01 | 70", "US | 2026-08-01 | 3", "US | 2026-08-02 | 4", "US | 2026-08-03 | -"];
  for (const view of ["app_overview_daily", "category_rank_daily"])
    expect(
      await mart.ask(`
        select country_code, date_day, min(best_category_rank) from mart.${view}
        where  track_id = '1' ${view.startsWith("app") ? "" : "and device_code = 'IPHONE'"} group by 1, 2 order by 1, 2`),
    ).toEqual(best);
});

test("downloads are joined once: all devices as reported, else their sum, and the country's own", async () => {
  const on = { app_key: "ios:1", country_key: "US" };
  await mart.fill("core.fact_download_revenue", [
    { ...on, date_day: "2026-08-01", device_key: "ALL", is_total: true, download_count: 100, revenue: 7 },
    { ...on, date_day: "2026-08-01", device_key: "IPHONE", is_total: false, download_count: 70, revenue: 6 },
    { ...on, date_day: "2026-08-02", device_key: "IPHONE", is_total: false, download_count: 60, revenue: null },
    { ...on, date_day: "2026-08-02", device_key: "IPAD", is_total: false, download_count: 5, revenue: null },
  ]);
  const sold = (country_key: string, context: string, units: number, more: Row = {}) => ({
    ...on,
    country_key,
    date_day: "2026-08-01",
    context,
    units,
    is_total: country_key === "ALL",
    is_device_total: false,
    ...more,
  });
  await mart.fill("core.fact_sales_metric", [
    sold("ALL", "DOWNLOAD", 900, { device_key: "ALL", is_device_total: true }),
    sold("US", "DOWNLOAD", 80, { device_key: "IPHONE" }),
    sold("US", "DOWNLOAD", 9, { device_key: "IPAD" }),
    sold("US", "REVENUE_TOTAL", 5, { device_key: "IPHONE" }),
    sold("US", "REVENUE_TOTAL", 6, { device_key: "ALL", is_device_total: true }),
    sold("US", "PAGE_VIEW", 1000, { device_key: "ALL", is_device_total: true }),
  ]);
  const rows = await mart.ask(`
    select country_code, date_day, category_rank, estimated_download_count, estimated_revenue, store_download_count, store_revenue
    from   mart.category_rank_vs_downloads_daily
    where  store = 'ios' and device_code = 'IPHONE' and chart = 'FREE' and chart_version = 'v1' order by 1, 2`);
  expect(rows).toEqual([
    "JP | 2026-08-01 | 70 | - | - | - | -",
    "US | 2026-08-01 | 7.5 | 100 | 7 | 89 | 6",
    "US | 2026-08-02 | 6.5 | 65 | - | - | -",
    "US | 2026-08-03 | - | - | - | - | -",
  ]);
});

import { beforeAll, expect, test } from "vitest";
import { day } from "../../src/core/day.ts";
import { daysOf } from "../../src/core/window.ts";
import { openMartStage } from "../support/mart-stage.ts";
import { forTests } from "../support/for-tests.ts";

const mart = forTests(openMartStage);

/** A slice of figures of the store of app 1, from a day up to another one, that day excluded. */
const slice = (context: string, days: readonly [string, string], state = "loaded") => {
  const scope = { store: "ios", app: "1", area: "all", device: "ALL", context };
  return mart.slice({ dataset: "sales_metric", scope, days, state });
};

const figures = (context: string, [start, end]: readonly [string, string], units: number) =>
  mart.fill(
    "core.fact_sales_metric",
    daysOf({ start: day(start), end: day(end) }).map((date_day) => ({
      app_key: "ios:1",
      country_key: "US",
      device_key: "ALL",
      is_total: false,
      is_device_total: true,
      date_day,
      context,
      units,
    })),
  );

beforeAll(async () => {
  await figures("DOWNLOAD", ["2026-06-01", "2026-08-01"], 10);
  await slice("DOWNLOAD", ["2026-06-01", "2026-08-01"]);
  // revenue from the 6th of July to the 23rd failed, and on the 30th of June there was none
  await figures("REVENUE_TOTAL", ["2026-06-01", "2026-06-30"], 100);
  await figures("REVENUE_TOTAL", ["2026-07-01", "2026-07-06"], 100);
  await figures("REVENUE_TOTAL", ["2026-07-24", "2026-08-01"], 100);
  await slice("REVENUE_TOTAL", ["2026-06-01", "2026-07-06"]);
  await slice("REVENUE_TOTAL", ["2026-07-06", "2026-07-24"], "failed");
  await slice("REVENUE_TOTAL", ["2026-07-24", "2026-08-01"]);
  await slice("PAGE_VIEW", ["2026-06-15", "2026-06-22"], "pending");
});

test("a week of which revenue or page views lack an answer is not complete, also where downloads have all of theirs", async () => {
  expect(
    await mart.ask(`
      select period_start, store_day_count, store_download_count, store_revenue_day_count, store_revenue, page_view_day_count, is_complete
      from   mart.app_overview_by_period where period_kind = 'week' and period_start between '2026-06-08' and '2026-07-20' order by 1`),
  ).toEqual([
    "2026-06-08 | 7 | 70 | 7 | 700 | 0 | true",
    "2026-06-15 | 7 | 70 | 7 | 700 | 0 | false",
    "2026-06-22 | 7 | 70 | 7 | 700 | 0 | true",
    "2026-06-29 | 7 | 70 | 7 | 600 | 0 | true",
    "2026-07-06 | 7 | 70 | 0 | - | 0 | false",
    "2026-07-13 | 7 | 70 | 0 | - | 0 | false",
    "2026-07-20 | 7 | 70 | 3 | 300 | 0 | false",
  ]);
});

test("revenue of a month of which days lack an answer is compared with no other month", async () => {
  const months = () =>
    mart.ask(`
      select month_start, store_download_count, store_revenue, store_download_change_share, store_revenue_change_share
      from   mart.download_revenue_monthly order by 1`);
  expect(await months()).toEqual(["2026-06-01 | 300 | 2900 | - | -", "2026-07-01 | 310 | 1300 | 0.0333 | -"]);
  await figures("REVENUE_TOTAL", ["2026-07-06", "2026-07-24"], 100);
  await slice("REVENUE_TOTAL", ["2026-07-06", "2026-07-24"]);
  // 3100 of 2900
  expect(await months()).toEqual(["2026-06-01 | 300 | 2900 | - | -", "2026-07-01 | 310 | 3100 | 0.0333 | 0.069"]);
});

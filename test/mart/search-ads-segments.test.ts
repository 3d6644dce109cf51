import { expect, test } from "vitest";
import { martShapes } from "../../src/postgres/mart-shapes.ts";
import { openMartStage } from "../support/mart-stage.ts";

test("rows of search ads that differ only by a field without a column are distinguished by it", async () => {
  await using mart = await openMartStage();
  const spent = (placement: string, spend: number) => ({
    org_id: "7",
    report_level: "CAMPAIGN",
    grain: "day",
    currency: "USD",
    attribution: "WITH",
    app_id: "1",
    campaign_id: "50",
    country_key: "US",
    period_start: "2026-08-01",
    period_end: "2026-08-01",
    date_day: "2026-08-01",
    segment: JSON.stringify({ placement }),
    spend,
  });
  await mart.fill("core.fact_search_ads_report", [spent("SEARCH_RESULTS", 2), spent("SEARCH_TAB", 3)]);
  expect(await mart.ask("select segment, spend from mart.search_ads_daily order by spend")).toEqual([
    '{"placement":"SEARCH_RESULTS"} | 2',
    '{"placement":"SEARCH_TAB"} | 3',
  ]);
  const key = martShapes["search_ads_daily"]?.key.join(", ") ?? "";
  expect(await mart.ask(`select count(*) from mart.search_ads_daily group by ${key} having count(*) > 1`)).toEqual([]);
  expect(await mart.ask("select spend from mart.search_ads_campaign_report")).toEqual(["5"]);
});

import { beforeAll, expect, test } from "vitest";
import type { Row } from "../../src/load/table.ts";
import { openMartStage } from "../support/mart-stage.ts";
import { forTests } from "../support/for-tests.ts";

const mart = forTests(openMartStage);

function paid(date: string, keyword: string, more: Row): Row {
  return {
    org_id: "7",
    report_level: "KEYWORD",
    grain: "day",
    currency: "USD",
    attribution: "WITH",
    org_name: "Org",
    period_start: date,
    period_end: date,
    date_day: date,
    app_id: "1",
    app_key: "ios:1",
    campaign_id: "50",
    country_key: "US",
    keyword_id: keyword,
    keyword_key: keyword,
    ...more,
  };
}

beforeAll(async () => {
  await mart.name({ "ios:1": "Ours" });
});

test("a bid where the app ranks 1 to 3 organically on that day, or for its own brand, is reported, in any case of letters; a bid elsewhere is not", async () => {
  const on = "2026-08-01";
  await mart.fill("core.fact_search_ads_report", [
    paid(on, "first", { spend: 10, tap_count: 5, install_count: 2 }),
    paid(on, "first", { ad_group_id: "2", keyword_id: "other", spend: 2, tap_count: 0, install_count: 0 }),
    paid(on, "first", { currency: "EUR", spend: 11, tap_count: 5, install_count: 2 }),
    paid(on, "first", { goal_id: "3", spend: 10, tap_count: 5, install_count: 2 }),
    paid(on, "first", { is_total: true, keyword_id: "", spend: 12 }),
    paid("2026-08-02", "first", { spend: 4 }),
    paid(on, "fourth", { spend: 4 }),
    paid(on, "brand", { spend: 3, tap_count: 1 }),
    paid(on, "both", { spend: 1 }),
    paid(on, "free", { spend: 0 }),
    // typed in other letters than the portfolio's keyword
    paid(on, 'It\'s A "First"', { keyword_id: "8", spend: 5 }),
    paid(on, "theirs", { spend: 6 }),
    paid(on, "first", { country_key: "JP", spend: 7 }),
  ]);
  const rank = (keyword_key: string, place: number | null, device_key = "IPHONE", date_day = on) => ({
    app_key: "ios:1",
    country_key: "US",
    keyword_key,
    rank: place,
    device_key,
    date_day,
  });
  await mart.fill("core.fact_keyword_rank", [
    rank("first", 9),
    rank("first", 3, "IPAD"),
    rank("first", 4, "IPHONE", "2026-08-02"),
    rank("fourth", 4),
    rank("brand", null),
    rank("both", 1),
    rank("free", 1),
    rank('it\'s a "first"', 2),
    rank('It\'s a "FIRST"', 7),
    { ...rank("theirs", 1), app_key: "ios:2" },
  ]);
  const tracked = { app_key: "ios:1", country_key: "US", valid_from: "2026-08-01", is_current: true };
  await mart.fill("core.tracked_keyword", [
    { ...tracked, keyword_key: "both", brand_track_id: "1" },
    { ...tracked, keyword_key: "theirs", brand_track_id: "2" },
  ]);
  await mart.fill("core.fact_keyword_metadata", [
    { store: "ios", keyword_key: "brand", country_key: "US", date_day: on, brand_track_id: "1" },
  ]);
  const rows = await mart.ask(`
    select date_day, country_code, keyword, currency, organic_rank, is_own_brand, reason, bid_keyword_count, spend, cost_per_tap, cost_per_install
    from   mart.keyword_cannibalisation order by currency, keyword collate "C"`);
  expect(rows).toEqual([
    "2026-08-01 | US | first | EUR | 3 | false | rank | 1 | 11 | 2.2 | 5.5",
    '2026-08-01 | US | It\'s A "First" | USD | 2 | false | rank | 1 | 5 | - | -',
    "2026-08-01 | US | both | USD | 1 | true | rank and brand | 1 | 1 | - | -",
    "2026-08-01 | US | brand | USD | - | true | brand | 1 | 3 | 3 | -",
    "2026-08-01 | US | first | USD | 3 | false | rank | 2 | 12 | 2.4 | 6",
  ]);
});

test("spend of days whose ranks retention removed is not of complete days: what the app led then is not known any more", async () => {
  const brand = () =>
    mart.ask("select organic_rank, is_complete from mart.keyword_cannibalisation where keyword = 'brand'");
  expect(await brand()).toEqual(["- | true"]);
  // as retention does: sums of the month stay
  await mart.ask("delete from core.fact_keyword_rank where date_day < '2026-09-01'");
  expect(await brand()).toEqual(["- | false"]);
});

test("a change of a bid is between the 7 days before and the 7 days after, its own day in neither", async () => {
  const figures = (spend: number, taps: number, installs: number) => ({
    impression_count: 100,
    spend,
    tap_count: taps,
    install_count: installs,
  });
  await mart.fill("core.fact_search_ads_report", [
    paid("2026-09-02", "bid", figures(50, 50, 50)),
    paid("2026-09-03", "bid", figures(1, 2, 1)),
    paid("2026-09-09", "bid", figures(2, 4, 1)),
    paid("2026-09-10", "bid", figures(30, 30, 30)),
    paid("2026-09-11", "bid", figures(6, 6, 0)),
    paid("2026-09-17", "bid", { country_key: "JP", ...figures(3, 3, 0) }),
    paid("2026-09-18", "bid", figures(70, 70, 70)),
    paid("2026-09-11", "bid", { attribution: "WITHOUT", ...figures(6, 6, 0) }),
    paid("2026-09-11", "bid", { report_level: "NEGATIVE", ...figures(99, 99, 99) }),
    paid("2026-09-11", "other", figures(99, 99, 99)),
  ]);
  const change = (entity_id: string, more: Row = {}) => ({
    org_id: "7",
    date_day: "2026-09-10",
    entity_level: "KEYWORD",
    entity_id,
    changed_at: "2026-09-10T08:00:00",
    ordinal: 1,
    currency: "EUR",
    old_value: 2,
    new_value: 2.5,
    source: "RULE",
    rule_name: "Up",
    ...more,
  });
  await mart.fill("core.fact_bid_change", [
    change("bid"),
    change("silent", { old_value: 0 }),
    change("silent", { date_day: "2026-09-17", changed_at: "2026-09-17T08:00:00" }),
    change("silent", { date_day: "2026-09-25", changed_at: "2026-09-25T08:00:00" }),
  ]);
  const rows = await mart.ask(`
    select entity_id, date_day, keyword, country_code, bid_change_share, nearby_change_count, attribution, before_day_count, after_day_count,
           before_spend, after_spend, before_tap_count, after_tap_count, before_install_count, after_install_count, before_tap_through_share,
           before_cost_per_tap, after_cost_per_tap, before_cost_per_install, after_cost_per_install
    from   mart.bid_change_impact order by 1, 2, attribution`);
  expect(rows).toEqual([
    "bid | 2026-09-10 | bid | ALL | 0.25 | 0 | WITH | 2 | 2 | 3 | 9 | 6 | 9 | 2 | 0 | 0.03 | 0.5 | 1 | 1.5 | -",
    "bid | 2026-09-10 | bid | US | 0.25 | 0 | WITHOUT | 0 | 1 | - | 6 | - | 6 | - | 0 | - | - | 1 | - | -",
    "silent | 2026-09-10 | - | - | - | 1 | - | - | - | - | - | - | - | - | - | - | - | - | - | -",
    "silent | 2026-09-17 | - | - | 0.25 | 1 | - | - | - | - | - | - | - | - | - | - | - | - | - | -",
    "silent | 2026-09-25 | - | - | 0.25 | 0 | - | - | - | - | - | - | - | - | - | - | - | - | - | -",
  ]);
});

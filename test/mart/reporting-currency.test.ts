import { beforeAll, expect, test } from "vitest";
import { openMartStage } from "../support/mart-stage.ts";
import { forTests } from "../support/for-tests.ts";

const mart = forTests(openMartStage);

const spent = (org_id: string, date: string, spend: number, original: number | null) => ({
  org_id,
  report_level: "CAMPAIGN",
  grain: "day",
  currency: "USD",
  attribution: "WITH",
  campaign_id: `campaign of ${org_id}`,
  country_key: "US",
  period_start: date,
  period_end: date,
  date_day: date,
  spend,
  tap_count: 1,
  original: original === null ? null : JSON.stringify({ spend: original }),
});

beforeAll(async () => {
  const connected = { integration_id: "1", valid_from: "2026-01-01", is_current: true };
  await mart.fill("core.search_ads_integration", [
    { org_id: "7", ...connected, currency: "GBP" },
    { org_id: "8", ...connected, currency: "EUR" },
    // left, after its currency was another one
    { org_id: "10", ...connected, currency: "USD", valid_to: "2026-07-01", is_current: false },
    {
      org_id: "10",
      ...connected,
      currency: "EUR",
      valid_from: "2026-07-01",
      valid_to: "2026-08-01",
      is_current: false,
    },
  ]);
  await mart.fill("core.fact_search_ads_report", [
    spent("7", "2026-08-02", 12.6, 10),
    spent("7", "2026-09-20", 12.6, 10),
    spent("8", "2026-08-02", 11, 9),
    // the service reports nothing in the organisation's own currency
    spent("9", "2026-08-02", 22, null),
    spent("10", "2026-08-02", 11, 10),
    // only one of two segments is reported in the organisation's own currency
    { ...spent("8", "2026-08-03", 11, 9), device_class: "iPhone" },
    { ...spent("8", "2026-08-03", 22, null), device_class: "iPad" },
    // nobody knows the currency of the organisation
    spent("11", "2026-08-02", 10, 7),
  ]);
});

const money = () =>
  mart.ask(`
    select org_id, date_day, money_currency, money_spend, reporting_currency, reporting_spend from mart.search_ads_daily_reporting order by 1, 2`);

test("the own currency of an organisation that left is the last one, as the comment says", async () => {
  const own = "select distinct org_id, original_currency from mart.search_ads_daily";
  expect(await mart.ask(`${own} where org_id in ('10', '11') order by 1`)).toEqual(["10 | EUR", "11 | -"]);
  expect(
    await mart.ask(`
      select col_description(attrelid, attnum) from pg_attribute
      where  attrelid = 'mart.search_ads_daily'::regclass and attname = 'original_currency'`),
  ).toEqual(["The organisation's own currency as last seen, even if it has been disconnected since; null if unknown."]);
});

test("without rates there is no reporting currency, and nothing is converted", async () => {
  expect(await money()).toContain("7 | 2026-08-02 | GBP | 10 | - | -");
});

test("spend is converted by the newest rate that the user loaded for the day, from the organisation's own currency where it is known", async () => {
  const usd =
    "insert into core.reporting_rate (currency, date_day, reporting_currency, rate) values ('GBP', '2026-08-01', 'USD', 1.3)";
  await expect(mart.ask(usd)).rejects.toThrow("reporting_rate_reporting_currency_fkey");
  await mart.ask("insert into core.reporting_currency values ('EUR')");
  await expect(mart.ask("insert into core.reporting_currency values ('USD')")).rejects.toThrow(
    "reporting_currency_is_only_key",
  );
  await expect(mart.ask(usd)).rejects.toThrow("reporting_rate_reporting_currency_fkey");
  await mart.ask(`
    insert into core.reporting_rate (currency, date_day, reporting_currency, rate)
    values ('GBP', '2026-07-01', 'EUR', 1.5), ('GBP', '2026-08-01', 'EUR', 1.15), ('GBP', '2026-08-03', 'EUR', 9), ('USD', '2026-08-02', 'EUR', 0.9)`);
  expect(await money()).toEqual([
    "10 | 2026-08-02 | EUR | 10 | EUR | 10",
    "11 | 2026-08-02 | USD | 10 | EUR | 9",
    "7 | 2026-08-02 | GBP | 10 | EUR | 11.5",
    // the newest rate is too old
    "7 | 2026-09-20 | GBP | 10 | EUR | -",
    "8 | 2026-08-02 | EUR | 9 | EUR | 9",
    "8 | 2026-08-03 | USD | 33 | EUR | 29.7",
    "9 | 2026-08-02 | USD | 22 | EUR | 19.8",
  ]);
  expect(
    await mart.ask("select sum(reporting_spend) as spend from mart.search_ads_daily_reporting where is_converted"),
  ).toEqual(["89"]);
  expect(await mart.ask("select count(*) from mart.search_ads_daily_reporting where not is_converted")).toEqual(["1"]);
});

test("a day without the reports of an organisation is marked, and so are organisations that sums leave out", async () => {
  const reported = (org: string, days: readonly [string, string], state = "loaded") => {
    const scope = { org_id: org, report_level: "CAMPAIGN", grain: "day", currency: "USD", attribution: "WITH" };
    return mart.slice({ dataset: "search_ads_report", scope, days, state });
  };
  await reported("7", ["2026-08-01", "2026-08-05"]);
  await reported("8", ["2026-08-01", "2026-08-03"]);
  await reported("8", ["2026-08-03", "2026-08-05"], "failed");
  await mart.fill("core.fact_search_ads_report", [
    spent("7", "2026-08-03", 12.6, 10),
    { ...spent("12", "2026-08-02", 5, null), currency: "GBP" },
  ]);
  expect(
    await mart.ask(`
      select date_day, sum(reporting_spend) as spend, bool_and(is_converted) as is_converted, bool_and(is_complete) as is_complete, max(left_out_org_count) as left_out
      from   mart.search_ads_daily_reporting where date_day < '2026-08-05' group by 1 order by 1`),
  ).toEqual(["2026-08-02 | 59.3 | true | true | 1", "2026-08-03 | 119.7 | true | false | 1"]);
});

test("the overview has the same money for each app, and none where a part of it has no rate", async () => {
  await mart.fill("core.tracked_app", [{ app_key: "ios:1", valid_from: "2026-08-01", is_current: true }]);
  const of = (date: string, org: string, original: number | null) => ({
    ...spent(org, date, 20, original),
    campaign_id: `${org} ${date}`,
    app_key: "ios:1",
  });
  await mart.fill("core.fact_search_ads_report", [
    of("2026-08-10", "8", 9),
    of("2026-08-10", "9", null),
    of("2026-08-11", "8", 9),
    of("2026-10-20", "8", 9),
    of("2026-10-20", "9", null),
    // of organisations that left, and whose currency nobody knows
    of("2026-08-12", "10", 9),
    of("2026-08-12", "11", 9),
  ]);
  expect(
    await mart.ask(`
      select date_day, search_ads_spend, search_ads_currency, search_ads_reporting_spend, reporting_currency
      from   mart.app_overview_daily where track_id = '1' order by 1`),
  ).toEqual([
    // 9 euros and 20 dollars at 0.9
    "2026-08-10 | 40 | USD | 27 | EUR",
    "2026-08-11 | 20 | USD | 9 | EUR",
    // 9 euros, and 20 dollars at 0.9
    "2026-08-12 | 40 | USD | 27 | EUR",
    // no rate of the dollar any more
    "2026-10-20 | 40 | USD | - | EUR",
  ]);
});

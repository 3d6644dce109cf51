import { beforeAll, expect, test } from "vitest";
import { reportTable } from "../../src/datasets/shared/report-table.ts";
import type { Row } from "../../src/load/table.ts";
import { openMartStage } from "../support/mart-stage.ts";
import { forTests } from "../support/for-tests.ts";

const requested = { org_id: "7", grain: "day", currency: "USD", attribution: "WITH", goal_id: "" };
const day = (date: string) => ({ period_start: date, period_end: date, date_day: date });
const named = {
  app_id: "1",
  app_key: "ios:1",
  app_name: "Ours",
  campaign_id: "50",
  country_key: "US",
  is_total: false,
  org_name: "Org",
};

function row(level: string, date: string, more: Row): Row {
  return { ...requested, report_level: level, ...day(date), ...named, ...more };
}

const money = (spend: number | string, goalRevenue = 0) => JSON.stringify({ spend, goalRevenue });

const columns = Object.keys(reportTable.columns);
const whole = (one: Row): Row =>
  Object.fromEntries(columns.map((name) => [name, one[name] ?? (reportTable.key.includes(name) ? "" : null)]));

/** Loads the answer about a day. */
async function report(level: string, date: string, rows: readonly Row[], at: number, more: Row = {}): Promise<void> {
  await mart.load({
    table: reportTable,
    rows: rows.map((one) => whole(row(level, date, { ...more, ...one }))),
    day: date as never,
    scope: { ...requested, report_level: level, period_start: date, ...more },
    at,
  });
}

const mart = forTests(openMartStage);

beforeAll(async () => {
  const figures = (spend: number, impressions: number, taps: number, installs: number) => ({
    spend,
    impression_count: impressions,
    tap_count: taps,
    install_count: installs,
  });
  const campaign = { campaign_name: "Brand" };
  // reported on the first day, restated twice, once down and once up
  await report("CAMPAIGN", "2026-08-01", [{ ...campaign, ...figures(10, 1000, 20, 4), original: money(9) }], 1_000);
  await report("CAMPAIGN", "2026-08-01", [{ ...campaign, ...figures(10, 1000, 20, 3), original: money(9) }], 2_000);
  await report("CAMPAIGN", "2026-08-01", [{ ...campaign, ...figures(12, 1000, 20, 6), original: money(10.5) }], 3_000);
  // two campaigns of a day, of which the second is no longer reported
  const second = { campaign_id: "51", campaign_name: "Gone" };
  await report(
    "CAMPAIGN",
    "2026-08-02",
    [
      { ...campaign, ...figures(5, 0, 0, 0), original: money("n/a") },
      { ...second, ...figures(7, 70, 7, 1) },
    ],
    1_000,
  );
  await report("CAMPAIGN", "2026-08-02", [{ ...campaign, ...figures(5, 0, 0, 0), original: money("n/a") }], 2_000);
  // the same day in another currency, a total beside its part, a longer period
  await report("CAMPAIGN", "2026-08-01", [{ ...campaign, ...figures(11, 1000, 20, 6) }], 1_000, { currency: "EUR" });
  await report(
    "CAMPAIGN",
    "2026-08-03",
    [
      { ...campaign, ...figures(1, 10, 1, 1) },
      { campaign_id: "", is_total: true, ...figures(1, 10, 1, 1) },
    ],
    1_000,
  );
  await report(
    "CAMPAIGN",
    "2026-08-01",
    [{ ...campaign, period_end: "2026-08-07", date_day: null, ...figures(99, 99, 99, 99) }],
    1_000,
    { grain: "week" },
  );
  // segments of one ad group, keywords, search terms
  const group = { ad_group_id: "500", ad_group_name: "Group" };
  await report(
    "AD_GROUP",
    "2026-08-01",
    [
      { ...group, gender: "F", ...figures(4, 100, 10, 1) },
      { ...group, gender: "M", ...figures(8, 300, 10, 3) },
    ],
    1_000,
  );
  await report(
    "KEYWORD",
    "2026-08-01",
    [{ ...group, keyword_id: "900", keyword_key: "plan", match_type: "EXACT", ...figures(12, 400, 20, 0) }],
    1_000,
  );
  await report(
    "SEARCH_TERM",
    "2026-08-01",
    [
      { ...group, keyword_id: "900", keyword_key: "plan", search_term: "planner", ...figures(9, 300, 15, 0) },
      { ...group, keyword_id: "900", keyword_key: "plan", search_term: "", ...figures(3, 100, 5, 0) },
    ],
    1_000,
  );
  // ads and product pages of one group
  const ads = ["70", "71"].map((ad) => ({ ...group, ad_id: ad, ad_name: `Ad ${ad}`, ...figures(1, 10, 1, 0) }));
  await report("AD", "2026-08-01", ads, 1_000);
  const page = { product_page: "80", product_page_name: "Page" };
  await report("CPP", "2026-08-01", [{ ...group, ...page, ...figures(1, 10, 1, 0) }], 1_000);
  const goal = { goal_id: "3" };
  await report(
    "CAMPAIGN",
    "2026-08-01",
    [{ ...campaign, ...figures(12, 1000, 20, 6), goal_count: 4, goal_revenue: 30, original: money(10.5, 27) }],
    1_000,
    goal,
  );
  await mart.fill("core.search_ads_integration", [
    { org_id: "7", integration_id: "1", valid_from: "2026-01-01", is_current: true, currency: "GBP" },
    {
      org_id: "7",
      integration_id: "1",
      valid_from: "2025-01-01",
      valid_to: "2026-01-01",
      is_current: false,
      currency: "TRY",
    },
  ]);
});

const plain = "currency = 'USD' and attribution = 'WITH' and goal_id = ''";

test("a campaign's day is reported as now and as at first, and what went is kept with its values", async () => {
  const rows = await mart.ask(`
    select date_day, campaign_name, spend, install_count, first_spend, first_install_count, first_reported_at, last_changed_at, is_restated, is_withdrawn
    from   mart.search_ads_campaign_report where ${plain} order by 1, 2`);
  const at = (seconds: number) => `1970-01-01T00:00:0${seconds}.000Z`;
  expect(rows).toEqual([
    `2026-08-01 | Brand | 12 | 6 | 10 | 4 | ${at(1)} | ${at(3)} | true | false`,
    `2026-08-02 | Brand | 5 | 0 | 5 | 0 | ${at(1)} | ${at(1)} | false | false`,
    `2026-08-02 | Gone | - | - | 7 | 1 | ${at(1)} | ${at(2)} | true | true`,
    `2026-08-03 | Brand | 1 | 1 | 1 | 1 | ${at(1)} | ${at(1)} | false | false`,
  ]);
});

test("a renamed app has its newest name on all days, as in other marts", async () => {
  const names = "select distinct app_name from mart.search_ads_daily_default";
  expect(await mart.ask(names)).toEqual(["Ours"]);
  await mart.name({ "ios:1": "Ours: Planner" });
  expect(await mart.ask(names)).toEqual(["Ours: Planner"]);
});

test("totals, longer periods and other currencies are not added to a day", async () => {
  const rows = await mart.ask(`
    select currency, goal_id, count(*), sum(spend) as spend, sum(first_spend) as first_spend from mart.search_ads_campaign_report group by 1, 2 order by 1, 2`);
  expect(rows).toEqual(["EUR |  | 1 | 11 | 11", "USD |  | 4 | 18 | 23", "USD | 3 | 1 | 12 | 12"]);
});

test("money is given in the organisation's own currency as well, where the service reports it as a number", async () => {
  const rows = await mart.ask(`
    select date_day, goal_id, spend, original_currency, original_spend, original_goal_revenue
    from   mart.search_ads_campaign_report where currency = 'USD' and campaign_name = 'Brand' order by 1, 2`);
  expect(rows).toEqual([
    "2026-08-01 |  | 12 | GBP | 10.5 | 0",
    "2026-08-01 | 3 | 12 | GBP | 10.5 | 27",
    "2026-08-02 |  | 5 | GBP | - | 0",
    "2026-08-03 |  | 1 | GBP | - | -",
  ]);
});

test("ratios are sums over sums, and a ratio to nothing is none", async () => {
  const rows = await mart.ask(`
    select date_day, goal_id, tap_through_share, conversion_rate, cost_per_tap, cost_per_install, cost_per_goal, return_on_spend
    from   mart.search_ads_campaign_report where currency = 'USD' and campaign_name = 'Brand' order by 1, 2`);
  expect(rows).toEqual([
    "2026-08-01 |  | 0.02 | 0.3 | 0.6 | 2 | - | -",
    "2026-08-01 | 3 | 0.02 | 0.3 | 0.6 | 2 | 3 | 2.5",
    "2026-08-02 |  | - | - | - | - | - | -",
    "2026-08-03 |  | 0.1 | 1 | 1 | 1 | - | -",
  ]);
});

test("segments of an ad group are one row, keywords and search terms are rows of their own", async () => {
  expect(
    await mart.ask(
      "select ad_group_name, spend, tap_count, install_count, cost_per_install from mart.search_ads_ad_group_report",
    ),
  ).toEqual(["Group | 12 | 20 | 4 | 3"]);
  expect(
    await mart.ask(
      "select keyword, match_type, spend, install_count, cost_per_install from mart.search_ads_keyword_report",
    ),
  ).toEqual(["plan | EXACT | 12 | 0 | -"]);
  expect(
    await mart.ask("select keyword, search_term, spend from mart.search_ads_search_term_report order by 2"),
  ).toEqual(["plan |  | 3", "plan | planner | 9"]);
});

test("ads and product pages of one group are distinguished in the mart of all levels", async () => {
  const rows = await mart.ask(`
    select report_level, ad_group_id, ad_id, ad_name, product_page, product_page_name, spend
    from   mart.search_ads_daily where report_level in ('AD', 'CPP') order by 1, 3`);
  expect(rows).toEqual([
    "AD | 500 | 70 | Ad 70 |  | - | 1",
    "AD | 500 | 71 | Ad 71 |  | - | 1",
    "CPP | 500 |  | - | 80 | Page | 1",
  ]);
});

test("rows of a month that is kept no longer are neither withdrawn nor reported in part", async () => {
  const [first, second] = [
    { campaign_id: "70", campaign_name: "Left out once", spend: 7 },
    { campaign_id: "71", campaign_name: "Restated", spend: 8 },
  ];
  await report("CAMPAIGN", "2026-03-01", [first, second], 1_000);
  await report("CAMPAIGN", "2026-03-01", [{ ...second, spend: 9 }], 2_000);
  await report("CAMPAIGN", "2026-03-01", [first, { ...second, spend: 9 }], 3_000);
  const shown =
    "select campaign_name, spend, is_withdrawn from mart.search_ads_campaign_report where date_day < '2026-04-01' order by 1";
  const reported = `
    select r ->> 'campaign_name' as name, r ->> 'spend' as spend
    from   ops.reported_at('core.fact_search_ads_report', '1970-01-01 00:00:01Z') as r where r ->> 'period_start' < '2026-04-01' order by 1`;
  expect(await mart.ask(shown)).toEqual(["Left out once | 7 | false", "Restated | 9 | false"]);
  expect(await mart.ask(reported)).toEqual(["Left out once | 7", "Restated | 8"]);
  await mart.ask(`
    insert into ops.dropped_month (dataset, table_name, month_start, action, rows_gone, bytes_gone, dropped_by, dropped_at, is_done)
    values ('search_ads_report', 'core.fact_search_ads_report', '2026-03-01', 'drop', 2, 1, 'a', '2026-09-01Z', false)`);
  await mart.ask("select ops.remove_month('core.fact_search_ads_report', '2026-03-01', false)");
  await mart.ask("update ops.dropped_month set is_done = true");
  expect(await mart.ask(shown)).toEqual([]);
  expect(await mart.ask(reported)).toEqual([]);
});

test("one currency and attribution may be added up, over every organisation and everything else", async () => {
  const chosen = "select * from ops.search_ads_default";
  // USD and EUR have one organisation each, which has neither as its own
  expect(await mart.ask(chosen)).toEqual(["USD | WITH | 0"]);
  expect(
    await mart.ask(`
      select currency, is_primary_currency, is_default_attribution, sum(spend) from mart.search_ads_campaign_report
      where  goal_id = '' group by 1, 2, 3 order by 1`),
  ).toEqual(["EUR | false | true | 11", "USD | true | true | 18"]);
  // 12 + 5 + 1: no other currency, no goal, no other level, nothing that is withdrawn
  const all =
    "select count(*), sum(spend) as spend, sum(tap_count) as taps, sum(install_count) as installs from mart.search_ads_daily_default";
  expect(await mart.ask(all)).toEqual(["3 | 18 | 21 | 7"]);
  // a second organisation, in euros alone and for longer: now euros have most days, and all have them
  const keyword = { org_id: "8", currency: "EUR", campaign_id: "60", spend: 1 };
  await mart.fill("core.fact_search_ads_report", [
    row("KEYWORD", "2026-08-01", keyword),
    row("KEYWORD", "2026-08-05", keyword),
    row("CAMPAIGN", "2026-08-01", {
      org_id: "8",
      currency: "EUR",
      campaign_id: "60",
      spend: 100,
      tap_count: 1,
      install_count: 1,
    }),
    row("CAMPAIGN", "2026-08-01", {
      org_id: "8",
      currency: "EUR",
      attribution: "WITHOUT",
      campaign_id: "60",
      spend: 100,
    }),
  ]);
  expect(await mart.ask(chosen)).toEqual(["EUR | WITH | 0"]);
  expect(await mart.ask(all)).toEqual(["2 | 111 | 21 | 7"]);
  // a night of pounds, the first organisation's own, beside days of the others: it takes over nothing
  await mart.fill("core.fact_search_ads_report", [
    row("CAMPAIGN", "2026-08-03", { org_id: "8", currency: "USD", campaign_id: "60", spend: 1 }),
    row("CAMPAIGN", "2026-08-03", { org_id: "8", currency: "GBP", campaign_id: "60", spend: 1 }),
    row("CAMPAIGN", "2026-08-03", { currency: "GBP", campaign_id: "60", spend: 1 }),
    row("CAMPAIGN", "2026-08-01", { org_id: "9", currency: "JPY", campaign_id: "61", spend: 1 }),
  ]);
  // USD, EUR and GBP have two organisations each; the third one is left out
  expect(await mart.ask(chosen)).toEqual(["EUR | WITH | 1"]);
  expect(await mart.ask("select distinct currency, left_out_org_count from mart.search_ads_daily_default")).toEqual([
    "EUR | 1",
  ]);
  // a night of yen of every organisation takes over nothing from the months before it
  await mart.fill("core.fact_search_ads_report", [
    row("CAMPAIGN", "2026-05-01", { org_id: "8", currency: "USD", campaign_id: "60", spend: 1 }),
    ...["7", "8", "9"].map((org_id) =>
      row("CAMPAIGN", "2026-08-04", { org_id, currency: "JPY", campaign_id: "62", spend: 1 }),
    ),
  ]);
  expect(await mart.ask(chosen)).toEqual(["USD | WITH | 1"]);
});

test("what came back after an answer without it was last changed when it came back", async () => {
  const [back, kept] = [{ campaign_id: "80", campaign_name: "Back" }, { campaign_id: "81" }];
  await report("CAMPAIGN", "2026-02-01", [{ ...back, spend: 7 }, kept], 1_000);
  await report("CAMPAIGN", "2026-02-01", [kept], 2_000);
  await report("CAMPAIGN", "2026-02-01", [{ ...back, spend: 8 }, kept], 3_000);
  const shown =
    "select spend, first_spend, extract(epoch from last_changed_at)::int, is_withdrawn from mart.search_ads_campaign_report where campaign_id = '80'";
  expect(await mart.ask(shown)).toEqual(["8 | 7 | 3 | false"]);
});

test("a name or a state that changes restates nothing, a figure beside it does", async () => {
  const [renamed, moved] = [
    { campaign_id: "90", spend: 7 },
    { campaign_id: "91", spend: 7 },
  ];
  const changed = { org_name: "Org X", campaign_status: "PAUSED" };
  await report("CAMPAIGN", "2026-01-01", [renamed, moved], 1_000);
  await report(
    "CAMPAIGN",
    "2026-01-01",
    [renamed, moved].map((one) => ({ ...one, ...changed })),
    2_000,
  );
  await report(
    "CAMPAIGN",
    "2026-01-01",
    [
      { ...renamed, ...changed },
      { ...moved, ...changed, spend: 8 },
    ],
    3_000,
  );
  const shown = `
    select campaign_id, org_name, spend, first_spend, extract(epoch from first_reported_at)::int as first, extract(epoch from last_changed_at)::int as last, is_restated
    from   mart.search_ads_campaign_report where date_day = '2026-01-01' order by 1`;
  expect(await mart.ask(shown)).toEqual(["90 | Org X | 7 | 7 | 1 | 2 | false", "91 | Org X | 8 | 7 | 1 | 3 | true"]);
});

import { sql } from "../../src/postgres/sql.ts";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { projectRoot } from "../../src/config/config.ts";
import { readCollection } from "../../src/metabase/collection-file.ts";
import { withoutFilters } from "../../src/metabase/wanted-cards.ts";
import { openWarehouseStage } from "../support/warehouse-stage.ts";
import { forTests } from "../support/for-tests.ts";
import { handled, read, scans, used } from "../support/query-plan.ts";

/** Days of three months, and so many apps that a plan which reads all of them is seen. */
const apps = 45;
const days = 90;
/** Keywords with impressions: of fewer Postgres 15 reads all to look up some. */
const keywords = 12;
/** Reviews a day of an app of which only the plain list is loaded. */
const plainReviews = 40;
const week = "date_day between '2026-08-10' and '2026-08-16'";
const oneApp = "store = 'ios' and track_id = '7'";

const stage = forTests(openWarehouseStage);

beforeAll(async () => {
  const facts = [
    "category_rank",
    "app_rating",
    "download_revenue",
    "sales_metric",
    "visibility",
    "top_chart",
    "impression_share",
  ];
  await sql`
    select ops.make_partition(('core.fact_' || f)::regclass, m::date)
    from   unnest(${facts}::text[]) as f, unnest('{2026-06-01,2026-07-01,2026-08-01}'::date[]) as m`.execute(stage.db);
  await sql`insert into core.dim_app (store, track_id) select 'ios', n::text from generate_series(1, ${apps}::int) as n`.execute(
    stage.db,
  );
  await sql`insert into core.dim_keyword (keyword) select 'word ' || n from generate_series(1, ${keywords}::int) as n`.execute(
    stage.db,
  );
  const cell = sql`
    from core.dim_app as a, generate_series(timestamp '2026-06-01', timestamp '2026-06-01' + ${days - 1}::int * interval '1 day', interval '1 day') as d`;
  for (const statement of [
    sql`insert into core.fact_category_rank (app_key, date_day, country_key, device_key, category_code, chart, resolution, chart_version, ranked_at, rank, slice_id, fetched_at)
        select a.app_key, d, 840, 1, c, 'FREE', 'daily', 'v1', d, 5, 1, d ${cell}, unnest('{36,6007}'::text[]) as c`,
    sql`insert into core.fact_app_rating (app_key, date_day, country_key, language_code, rating, slice_id, fetched_at) select a.app_key, d, 840, '', 4, 1, d ${cell}`,
    sql`insert into core.fact_download_revenue (app_key, date_day, country_key, device_key, is_total, download_count, slice_id, fetched_at)
        select a.app_key, d, 840, 1, false, 9, 1, d ${cell}`,
    sql`insert into core.fact_sales_metric (app_key, date_day, country_key, device_key, context, requested_country_key, is_total, is_device_total, units, slice_id, fetched_at)
        select a.app_key, d, 840, 0, 'DOWNLOAD', 0, false, true, 9, 1, d ${cell}`,
    sql`insert into core.fact_visibility (app_key, date_day, country_key, kind, score, slice_id, fetched_at) select a.app_key, d, 840, 'history', 9, 1, d ${cell}`,
    sql`insert into core.fact_top_chart (app_key, date_day, country_key, device_key, category_code, chart, chart_version, rank, slice_id, fetched_at)
        select a.app_key, d, 840, 1, '36', 'FREE', 'v1', a.app_key, 1, d ${cell}`,
    sql`insert into core.fact_impression_share (keyword_key, date_day, country_key, store, device_key, share_day, app_key, impression_share, slice_id, fetched_at)
        select k.keyword_key, d, 840, 'ios', 1, d, a.app_key, a.app_key, 1, d ${cell}, core.dim_keyword as k where d >= '2026-08-01'`,
    sql`insert into core.fact_keyword_rank_summary select a.app_key, d, 840, 1, 9, 9, 0, 0, 9, 9, 45, 1800000000 ${cell}`,
    sql`insert into core.review (app_key, review_id, source, reviewed_at, country_key, language_code, rating, slice_id, fetched_at)
        select a.app_key, d::date::text, 'v2', d, 840, '', 5, 1, d ${cell} where a.track_id <> '9'`,
    sql`insert into core.review (app_key, review_id, source, reviewed_at, country_key, language_code, rating, slice_id, fetched_at)
        select a.app_key, d::date::text || n, 'plain', d, 840, '', 5, 1, d ${cell}, generate_series(1, ${plainReviews}::int) as n where a.track_id = '9'`,
    sql`insert into core.app_version (app_key, country_key, language_code, version_at, version, slice_id, fetched_at)
        select a.app_key, 840, '', d, to_char(d, 'MM.DD'), 1, d ${cell} where a.track_id::int < 16`,
  ])
    await statement.execute(stage.db);
  await sql`analyze`.execute(stage.db);
});

test("an app's week in the charts is read by key, and so are the downloads beside it", async () => {
  expect(await read(stage.db, `select * from mart.category_rank_daily where ${oneApp} and ${week}`)).toEqual({
    fact_category_rank: 14,
  });
  expect(
    await read(stage.db, `select * from mart.category_rank_vs_downloads_daily where ${oneApp} and ${week}`),
  ).toEqual({
    fact_category_rank: 14,
    // once for both charts
    fact_download_revenue: 7,
    fact_sales_metric: 7,
  });
});

test("a week of a chart reads its days and the one before, not all lists", async () => {
  const { fact_top_chart: listed = 0 } = await read(stage.db, `select * from mart.chart_movement_daily where ${week}`);
  // which lists there are, each of them, and the one before
  expect(listed).toBeGreaterThanOrEqual(3 * 7 * apps);
  expect(listed).toBeLessThanOrEqual(3 * 7 * apps + 7);
});

test("an overview of an app's week reads its own rows of these days", async () => {
  const facts = await read(stage.db, `select * from mart.app_overview_daily where ${oneApp} and ${week}`);
  expect(facts).toEqual({
    fact_keyword_rank_summary: 7,
    fact_visibility: 7,
    fact_category_rank: 14,
    fact_app_rating: 7,
    fact_download_revenue: 7,
    fact_sales_metric: 7,
    review: 7,
  });
  expect(await read(stage.db, `select * from mart.review_daily where ${oneApp} and ${week}`)).toMatchObject({
    review: 7,
  });
});

test("an app's share among the portfolio's apps reads the sums of the requested days", async () => {
  const query = `select date_day, portfolio_voice_share from mart.organic_share_of_voice_daily where ${oneApp} and ${week}`;
  expect(await read(stage.db, query)).toEqual({ fact_keyword_rank_summary: 7 + 7 * apps });
});

test("an app's releases and the reviews of its versions read no rows of other apps", async () => {
  const { app_version: releases, ...others } = await read(
    stage.db,
    `select * from mart.release_impact where ${oneApp}`,
  );
  // once for each of the two spans
  expect(releases).toBeLessThanOrEqual(2 * days);
  // both spans of each release, the longer of 29 days
  expect(Object.keys(others)).not.toEqual([]);
  for (const [table, rows] of Object.entries(others)) expect([table, rows <= 6 * 29 * days]).toEqual([table, true]);
  const { review, app_version: versions } = await read(
    stage.db,
    `select * from mart.review_by_version where ${oneApp}`,
  );
  expect({ review, versions }).toEqual({ review: days, versions: days });
});

test("whether v2 reports a day is not searched among the reviews of the plain list", async () => {
  const query = "select sum(review_count) from mart.review_daily where track_id = '9'";
  expect(await read(stage.db, query)).toEqual({ review: plainReviews * days });
});

test("who has the impressions of a keyword on a day is read from its list", async () => {
  const query = "select * from mart.keyword_impression_share where keyword = 'word 3' and date_day = '2026-08-10'";
  const { fact_impression_share: listed = 0 } = await read(stage.db, query);
  expect(listed).toBeGreaterThanOrEqual(apps);
  // the list, whether a newer day reports the same one, and of each app those before it
  expect(listed).toBeLessThanOrEqual(apps * (apps + 3));
});

test("a month of downloads reads its days and those of the month before", async () => {
  const query = `select * from mart.download_revenue_monthly where ${oneApp} and month_start = '2026-08-01'`;
  const { fact_download_revenue: estimates, fact_sales_metric: sales } = await read(stage.db, query);
  // the days from July on, and the first and the last of all
  const own = 31 + (days - 30 - 31) + 2;
  expect({ estimates, sales }).toEqual({ estimates: own, sales: own });
});

test("which days of months were requested is read once, not for each of them", async () => {
  expect(await scans(stage.db, "select * from mart.download_revenue_monthly", "slice")).toBeLessThanOrEqual(12);
});

test("which days have an answer is read once an app at most, not for each row", async () => {
  for (const mart of ["app_overview_daily", "category_rank_vs_downloads_daily"])
    expect([mart, (await scans(stage.db, `select * from mart.${mart}`, "slice")) <= 6 * apps]).toEqual([mart, true]);
});

test("the reviews of all apps are added up before names are put beside them", async () => {
  const { reviews, most } = await handled(stage.db, "select * from mart.review_daily");
  expect(most).toBeLessThanOrEqual(2 * reviews);
});

test("what a backfill has requested is counted once a query, not for each row beside which it stands", async () => {
  await sql`insert into ops.run (kind, as_of, datasets, started_at) values ('backfill', '2026-08-20', '{}', now())`.execute(
    stage.db,
  );
  await sql`insert into ops.batch (items, digest) values ('{plan,todo}', 'x')`.execute(stage.db);
  await sql`
    insert into ops.slice (dataset, operation, scope, batch_id, window_start, window_end, as_of, fingerprint, class, state, planned_requests, planned_credits, run_id, created_at)
    select 'keyword_rank', 'o', jsonb_build_object('store', 'ios', 'app', track_id, 'country', 'US'), batch_id, '2026-08-20', '2026-08-29', '2026-08-20', '', 'history', 'pending', 1, 3, run_id, now()
    from   core.dim_app, ops.run, ops.batch`.execute(stage.db);
  await sql`analyze`.execute(stage.db);
  for (const mart of ["release_impact", "organic_share_of_voice_daily", "keyword_group_daily"])
    expect([mart, (await scans(stage.db, `select * from mart.${mart}`, "slice")) <= 6 * apps]).toEqual([mart, true]);
});

test("days of an app without a review are found among its own reviews, and these are read once for all days", async () => {
  await sql`
    with run as (insert into ops.run (kind, as_of, datasets, started_at) values ('sync', '2026-08-20', '{}', now()) returning run_id)
    insert into ops.slice (dataset, operation, scope, window_start, window_end, as_of, fingerprint, class, state, planned_requests, planned_credits, run_id, created_at)
    select 'review', 'o', '{"store":"ios","app":"7","source":"v2","regions":"all"}', '2026-05-22', '2026-08-30', '2026-08-30', '', 'daily', 'loaded', 1, 5, run_id, now()
    from   run`.execute(stage.db);
  const query = `select * from mart.review_daily where ${oneApp}`;
  const { review = 0 } = await read(stage.db, query);
  expect(review).toBeGreaterThan(0);
  // those that are counted, those that show which days have some, and those that show in which countries there are any, twice
  expect(review).toBeLessThanOrEqual(4 * days);
  const { rows } = await sql<{ count: number }>`
    select count(*)::int from (${sql.raw(query)}) as d where review_count = 0`.execute(stage.db);
  expect(rows).toEqual([{ count: 10 }]);
});

test("whether the ranks of a paid keyword's day are complete is looked up for that day alone", async () => {
  await sql`select ops.make_partition(('core.fact_' || f)::regclass, '2026-08-01') from unnest('{search_ads_report,keyword_metadata}'::text[]) as f`.execute(
    stage.db,
  );
  await sql`
    insert into core.fact_search_ads_report (org_id, report_level, grain, currency, attribution, goal_id, period_start, period_end, is_total, app_id, campaign_id, ad_group_id,
                                             keyword_id, ad_id, product_page, search_term, match_type, country_key, gender, age, device_class, customer_type, segment,
                                             date_day, app_key, keyword_key, spend, slice_id, fetched_at)
    select '1', 'KEYWORD', 'day', 'USD', 'WITH', '', d, d, false, a.track_id, '', '', k.keyword, '', '', '', '', 840, '', '', '', '', '', d, a.app_key, k.keyword_key, 1, 1, d
    from   core.dim_app as a, core.dim_keyword as k, generate_series(timestamp '2026-08-01', '2026-08-28', interval '1 day') as d`.execute(
    stage.db,
  );
  // the app's own brand, so that each keyword and day is one row
  await sql`
    insert into core.fact_keyword_metadata (keyword_key, date_day, country_key, store, brand_track_id, slice_id, fetched_at)
    select keyword_key, '2026-08-01', 840, 'ios', '7', 1, now() from core.dim_keyword`.execute(stage.db);
  await sql`analyze`.execute(stage.db);
  const query = `select count(*) filter (where is_complete is not null) as known from mart.keyword_cannibalisation where ${oneApp} and ${week}`;
  const { fact_keyword_rank_summary: sums = 0 } = await read(stage.db, query);
  expect(sums).toBeGreaterThanOrEqual(7 * keywords);
  expect(sums).toBeLessThan(apps * days);
  expect(await scans(stage.db, "select * from mart.keyword_cannibalisation", "slice")).toBeLessThan(apps);
});

test("on which days reports of search ads are complete is read once, not for each week", async () => {
  // slices of ranks of each app that wait, and those without data, once for weeks and once for months
  expect(await scans(stage.db, "select * from mart.app_overview_by_period", "slice")).toBeLessThan(5 * apps);
});

test("of a month of all apps the rows of other days are left before they are added up", async () => {
  const query = "select * from mart.app_overview_by_period where period_kind = 'month' and period_start = '2026-08-01'";
  const { fact_download_revenue: estimates, fact_visibility: scores } = await used(stage.db, query);
  // what the first two months leave of all days
  const own = apps * (days - 30 - 31);
  expect({ estimates, scores }).toEqual({ estimates: own, scores: own });
});

test("cards about reviews read the ledger once, not for each day that they show", async () => {
  const { dashboards } = readCollection(path.join(projectRoot, "config", "metabase"));
  const { cards = {} } = dashboards.find(({ name }) => name === "Reviews") ?? {};
  expect(cards).toHaveProperty("stars");
  for (const [card, { sql: text }] of Object.entries(cards))
    expect([card, (await scans(stage.db, withoutFilters(text), "slice")) < days / 3]).toEqual([card, true]);
});

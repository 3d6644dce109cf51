import { expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import { datasetNamed } from "../../src/datasets/shared/all.ts";
import { replay } from "../../src/archive/replay.ts";
import { createDimensions } from "../../src/load/dimensions.ts";
import { createPartitions } from "../../src/load/partitions.ts";
import { planned as plannedBackfill } from "../support/backfill-stage.ts";
import { openProxy } from "../support/ingest-proxy.ts";
import { openStage, today } from "../support/ingest-stage.ts";
import { long } from "../support/long.ts";
import { chosen, figures, market, names, reports } from "../support/search-ads.ts";

/** Each level is a report of its own, and what is tried here is the same at each. */
const oneLevel = { levels: ["KEYWORD"] };

test("an account without search ads costs one request that says so; once it has some, everything is fetched", async () => {
  await using stage = await openStage({ market, connected: false });
  const first = await stage.sync(chosen(oneLevel));
  expect(first.outcome).toBe("loaded");
  const planned = () =>
    stage.query("select distinct dataset from ops.slice where dataset = any ($1) order by 1", [names]);
  expect(await planned()).toEqual([{ dataset: "search_ads_goal" }, { dataset: "search_ads_integration" }]);
  stage.sandbox.set({ connected: true, today: addDays(today, 1) });
  await stage.sync({ ...chosen(oneLevel), request: { datasets: names, today: addDays(today, 1) } });
  expect((await planned()).length).toBe(4);
  stage.sandbox.set({ connected: false, today: addDays(today, 2) });
  await stage.sync({ ...chosen(oneLevel), request: { datasets: names, today: addDays(today, 2) } });
  expect(await stage.query("select from core.search_ads_integration where is_current")).toEqual([]);
  const gone = await stage.query("select distinct valid_to::text from core.search_ads_integration");
  expect(gone).toEqual([{ valid_to: "2026-08-22" }]);
});

test("calendar months and weeks are kept as periods beside the days, and add up to what the days say", async () => {
  await using stage = await openStage({ market });
  const levels = long ? ["CAMPAIGN", "ACCOUNT"] : ["CAMPAIGN"];
  const options = { levels, reports: ["week", "month"], summaries: ["month"] };
  await stage.sync({
    settings: { datasets: { search_ads_report: { history_days: 51, lookback_days: 0, options } } },
    request: { datasets: names },
  });
  const july = "period_start >= '2026-07-01' and period_end <= '2026-07-31'";
  const sums = await stage.query(
    `select report_level, report_type, grain, is_total, count(distinct period_start)::int as periods, sum(tap_count)::int as taps
     from   core.fact_search_ads_report where ${july} group by 1, 2, 3, 4 order by 1, 2, 3`,
  );
  const taps = sums.find(({ grain }) => grain === "month")?.["taps"] as number;
  expect(taps).toBeGreaterThan(0);
  const rows = (level: string, weeks: number) => [
    { report_level: level, report_type: "DAILY", grain: "day", is_total: false, periods: 31, taps },
    { report_level: level, report_type: "REPORT", grain: "month", is_total: false, periods: 1, taps },
    {
      report_level: level,
      report_type: "REPORT",
      grain: "week",
      is_total: false,
      periods: weeks,
      taps: weeksOf(sums, level),
    },
    { report_level: level, report_type: "SUMMARY", grain: "month_summary", is_total: true, periods: 1, taps },
  ];
  expect(sums).toEqual(levels.toSorted().flatMap((level) => rows(level, 3)));
});

function weeksOf(sums: readonly Record<string, unknown>[], level: string): number {
  return sums.find((sum) => sum["report_level"] === level && sum["grain"] === "week")?.["taps"] as number;
}

test("restated figures can be requested as they were reported, and a replay changes neither them nor the rows", async () => {
  await using stage = await openStage({ market });
  await stage.sync(chosen(oneLevel));
  const reported = await figures(stage);
  const [{ at } = { at: null }] = await stage.query<{ at: Date }>(
    "select max(fetched_at) as at from core.fact_search_ads_report",
  );
  stage.sandbox.set({ today: addDays(today, 3) });
  await stage.sync({ ...chosen(oneLevel), request: { datasets: names, today: addDays(today, 3) } });
  const now = await figures(stage);
  const known = now.filter(({ date_day: date }) => date < today);
  expect(known).toHaveLength(reported.length);
  expect(known).not.toEqual(reported);
  const then = await stage.query(
    `select report_level, date_day::text, campaign_id, ad_group_id, keyword_id, gender, spend::float8, tap_count::int, install_count::int
     from   jsonb_populate_recordset(null::core.fact_search_ads_report,
              (select jsonb_agg(r) from ops.reported_at('core.fact_search_ads_report', $1) as r)) order by 1, 2, 3, 4, 5, 6`,
    [at],
  );
  expect(then).toEqual(reported);

  const all = async () => [
    await stage.query("select t::text from core.fact_search_ads_report as t order by 1"),
    await stage.query("select t::text from ops.restated_value as t order by 1"),
  ];
  const before = await all();
  expect(before[1]?.length).toBeGreaterThan(0);
  await using app = await stage.open();
  const { db } = app.warehouse;
  const parts = { db, clock: app.clock, dimensions: createDimensions(db), partitions: createPartitions(db) };
  const report = datasetNamed("search_ads_report");
  await replay(parts, report, { within: {}, keepPruned: false });
  expect(await all()).toEqual(before);
  await replay(parts, report, { within: { start: addDays(today, -4), end: addDays(today, -3) }, keepPruned: false });
  expect(await all()).toEqual(before);
});

test("keywords that the report showed in the last two months say which top apps are requested", async () => {
  await using stage = await openStage({ market });
  const settings = { datasets: { search_ads_report: { history_days: 2, lookback_days: 0 } } };
  await stage.sync({ settings, request: { datasets: ["search_ads_report"] } });
  await stage.query(`
    select ops.make_partition('core.fact_search_ads_report', date_trunc('month', '${addDays(today, -63)}'::date)::date);
    create temporary table former as select * from core.fact_search_ads_report where report_level = 'KEYWORD' limit 1;
    update former set keyword_id = '99', period_start = '${addDays(today, -63)}', period_end = '${addDays(today, -63)}', date_day = '${addDays(today, -63)}';
    insert into core.fact_search_ads_report select * from former`);
  await stage.sync({ settings, request: { datasets: ["search_ads_top_app"] } });
  const months = await stage.query(
    "select distinct period_start::text, period_end::text from core.fact_search_ads_top_app",
  );
  expect(months).toEqual([{ period_start: "2026-07-01", period_end: "2026-07-31" }]);
  const [bid] = await stage.query<{ keywords: number }>(
    "select count(distinct keyword_id)::int as keywords from core.fact_search_ads_report where report_level = 'KEYWORD' and keyword_id <> '99'",
  );
  const requested = stage.requested().filter(({ operation }) => operation === "search-ads.top-apps-report");
  expect(bid?.keywords).toBeGreaterThan(1);
  expect(requested.flatMap(({ params }) => params["keywordList"])).toHaveLength(bid?.keywords ?? 0);
});

test("a report is requested by rows where the service takes the number of a page for that of a row", async () => {
  await using stage = await openStage({ market });
  const rows = Array.from({ length: 33 }, (_, id) => ({ campaignId: 9000 + id, date: addDays(today, -1), taps: id }));
  await using proxy = await openProxy(stage.sandbox, (passing) => {
    const { pathname, searchParams } = new URL(passing.target, stage.sandbox.url);
    if (!pathname.endsWith("/searchads/reports")) return;
    const offset = Number(searchParams.get("page") ?? 0);
    const page = {
      pagination: { totalRowCount: 33, limit: 10, offset },
      tableData: rows.slice(offset, offset + 10),
    };
    passing.body = JSON.stringify({ success: true, data: [page] });
  });
  const environment = { API_BASE_URL: proxy.url };
  expect(await stage.sync({ ...chosen({ levels: ["CAMPAIGN"] }), environment })).toMatchObject({ outcome: "loaded" });
  expect(reports(stage).map(({ page }) => page)).toEqual([0, 1, 11, 21, 31]);
  const loaded = await stage.query(
    "select count(*)::int as count, sum(tap_count)::int as taps from core.fact_search_ads_report where org_id = '4100001'",
  );
  expect(loaded).toEqual([{ count: 33, taps: (32 * 33) / 2 }]);
});

test("reports are backfilled for an account that tracks no app", async () => {
  await using stage = await openStage({ market });
  await stage.sync({ ...chosen(oneLevel), request: { datasets: ["search_ads_integration"] } });
  await stage.query("delete from core.tracked_app");
  const bounds = { start: addDays(today, -3), end: today };
  const { credits } = await plannedBackfill(stage, { datasets: ["search_ads_report"], bounds }, chosen(oneLevel));
  expect(credits).toBeGreaterThan(0);
  const mixed = { datasets: ["search_ads_report", "keyword_rank"], bounds };
  await expect(plannedBackfill(stage, mixed, chosen(oneLevel))).rejects.toThrow("portfolio_empty");
});

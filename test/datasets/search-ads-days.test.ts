import { beforeAll, describe, expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import { count } from "../../src/core/words.ts";
import { fallbackPrices, otherWays } from "../../src/planner/fallback-price.ts";
import type { SyncResult } from "../../src/runs/run-parts.ts";
import { runCommand } from "../support/command.ts";
import { planned as plannedBy } from "../support/ingest-planned.ts";
import { openStage, today, type Stage } from "../support/ingest-stage.ts";
import { long } from "../support/long.ts";
import { chosen, days, daysOfSpan, figures, market, names, reports } from "../support/search-ads.ts";
import { forTests } from "../support/for-tests.ts";

/** Levels at which what is compared with the usual stage is reported: each is a report of its own, so the long run alone has all. */
const levels = long ? ["CAMPAIGN", "AD_GROUP", "KEYWORD"] : ["KEYWORD"];

describe("days of reports", () => {
  /** A night in which the service does as it is documented. */
  const usual = forTests(() => openStage({ market }));
  let first: SyncResult;
  let reported: Awaited<ReturnType<typeof figures>>;
  beforeAll(async () => {
    first = await usual.sync(chosen({ levels }));
    reported = await figures(usual);
  });

  test("come from few calls, each day once, whether the end is inclusive or not", async () => {
    expect(first.outcome).toBe("loaded");
    expect(new Set(reported.map(({ date_day: date }) => date)).size).toBe(days);
    expect(new Set(reports(usual).map(({ reportType }) => reportType))).toEqual(new Set(["DAILY"]));
    await using other = await openStage({ market, openEnd: "exclusive" });
    await other.sync(chosen({ levels }));
    expect(await figures(other)).toEqual(reported);
    expect(reported.length).toBeGreaterThan(0);
  });

  test("come from a report each where reports by day have none", async () => {
    await using stage = await openStage({ market, dailyReports: "undated" });
    const result = await stage.sync(chosen({ levels }));
    expect(result.outcome).toBe("loaded");
    expect(await figures(stage)).toEqual(reported);
    const types = Map.groupBy(reports(stage), ({ reportType }) => reportType);
    const spans = types.get("REPORT")?.map(({ startDate: from, endDate: to }) => daysOfSpan(from, to));
    expect(new Set(spans)).toEqual(new Set([1, 7]));
    // what was imported on the way is kept as what it is
    const kept = await stage.query(
      "select distinct grain, is_total, date_day is null as is_undated from core.fact_search_ads_report where report_type = 'DAILY'",
    );
    expect(kept).toEqual([{ grain: "window", is_total: false, is_undated: true }]);
    stage.sandbox.clearLog();
    stage.sandbox.set({ today: addDays(today, 1) });
    await stage.sync({ ...chosen({ levels }), request: { datasets: names, today: addDays(today, 1) } });
    expect(new Set(reports(stage).map(({ reportType }) => reportType))).toEqual(new Set(["REPORT"]));
  });

  /** Where reports by day have none: its first night is forecast by one test, and the next ones by the test after it. */
  const undated = forTests(() => openStage({ market, dailyReports: "undated" }));
  const byCampaign = { settings: { datasets: { search_ads_report: { options: { levels: ["CAMPAIGN"] } } } } };

  test("that may have to be requested one by one are forecast: what the plan says and, at most, what the other way costs", async () => {
    const [of, stage] = [byCampaign, undated];
    const datasets = ["search_ads_report"];
    await stage.sync({ ...of, request: { datasets: names.slice(0, 3) } });
    await using app = await stage.open(of);
    const request = { datasets, bounds: {}, today };
    const chunks = await plannedBy(app, request, true);
    const credits = chunks.flatMap(({ slices }) => slices).reduce((sum, slice) => sum + slice.credits, 0);
    expect(await otherWays(app.warehouse.db, request, app.config.settings)).toEqual([]);
    const fallbacks = () => fallbackPrices(app.warehouse.db, request, app.config.settings);
    const [fallback] = await fallbacks();
    const ended = await runCommand(stage, ["plan", "--as-of", today, "--dataset", ...datasets], of);
    expect(ended.code).toBe(0);
    const most = credits + (fallback?.credits ?? 0);
    expect(ended.stdout).toContain(
      `${count(most)} credits or more if search_ads_report uses its fallback: ${count(fallback?.credits ?? 0)} more where its DAILY reports name no day`,
    );
    stage.sandbox.clearLog();
    await stage.sync({ ...of, request: { datasets } });
    // of an organisation without campaigns nothing comes, so that nothing is known of its reports
    const charged = stage.requested().reduce((sum, one) => sum + one.charged, 0);
    const other = await fallbacks();
    expect(charged).toBe(most - (other[0]?.credits ?? 0));
    expect(charged).toBeGreaterThan(credits);
  });

  test("that are requested one by one cost a night what was forecast: the last week, the sums of others, and the days of a week that moved", async () => {
    const stage = undated;
    const lines = { ...byCampaign, request: { datasets: names } };
    const nightOf = async (one: Stage, night: number) => {
      const date = addDays(today, night);
      const run = { ...lines, request: { datasets: names, today: date } };
      one.sandbox.set({ today: date });
      one.sandbox.clearLog();
      await using app = await one.open(run);
      const chunks = await plannedBy(app, { datasets: names, bounds: {}, today: date }, true);
      const forecastCost = chunks.flatMap(({ slices }) => slices).reduce((sum, { credits }) => sum + credits, 0);
      await one.sync(run);
      const charged = one.requested().reduce((sum, request) => sum + request.charged, 0);
      return {
        forecastCost,
        charged,
        days: reports(one).map(({ startDate, endDate }) => daysOfSpan(startDate, endDate)),
      };
    };
    const spansOf = (spans: readonly number[]) => [
      spans.filter((span) => span === 1).length,
      spans.filter((span) => span === 7).length,
    ];
    await using app = await stage.open(lines);
    const request = { datasets: names, bounds: {}, today: addDays(today, 1) };
    expect(await otherWays(app.warehouse.db, request, app.config.settings)).toEqual([
      {
        dataset: "search_ads_report",
        how: "its DAILY reports name no day, so each day is requested as a separate report: every night the days since the last whole week began, and older days only if the sums of their week have changed",
      },
    ]);
    const quiet = await nightOf(stage, 1);
    expect(spansOf(quiet.days)).toEqual([11, 4]);
    expect(quiet.charged).toBe(quiet.forecastCost);
    // as if the service had said something else of a week of which it says nothing new
    await stage.query(
      "update ops.search_ads_report_week set digest = 'another' where period_start = '2026-07-27' and org_id = '4100001'",
    );
    const moved = await nightOf(stage, 2);
    expect(spansOf(moved.days)).toEqual([12 + 7, 4]);
    // until the next whole week, and against reports by day, in the long run
    if (!long) return;
    expect(spansOf((await nightOf(stage, 3)).days)).toEqual([13 + 7, 4]);
    const last = await nightOf(stage, 4);
    expect(spansOf(last.days)).toEqual([14, 5]);
    expect(last.charged).toBe(last.forecastCost);
    const fifth = addDays(today, 4);
    await using daily = await openStage({ market });
    daily.sandbox.set({ today: fifth });
    await daily.sync({ ...lines, request: { datasets: names, today: fifth } });
    const kept = async (one: Stage) =>
      (await figures(one)).filter((row) => String(row["date_day"]) >= addDays(today, -28));
    expect(await kept(stage)).toEqual(await kept(daily));
  });

  test("go on to come by day after a window of totals alone, which are kept as totals", async () => {
    await using stage = await openStage({ market, dailyReports: "totals" });
    await stage.sync(chosen({ levels }));
    expect(new Set(reports(stage).map(({ reportType }) => reportType))).toEqual(new Set(["DAILY"]));
    expect(await stage.query("select distinct grain, is_total from core.fact_search_ads_report")).toEqual([
      { grain: "day", is_total: true },
    ]);
  });

  test("are held once, as the newest report has them, from any kind of report", async () => {
    const load = async (stage: Stage, night: number, way: string) => {
      const date = addDays(today, night);
      stage.sandbox.set({ today: date });
      await stage.sync({ ...chosen({ by_day: way, levels }), request: { datasets: names, today: date } });
    };
    const held = async (stage: Stage) => {
      const spent = await stage.query(
        `select report_level, date_day::text, sum(spend)::float8 as spend, count(*)::int as rows
         from   mart.search_ads_daily where date_day >= $1 group by 1, 2 order by 1, 2`,
        [addDays(today, -2)],
      );
      const types = await stage.query(
        "select distinct report_type from core.fact_search_ads_report where date_day >= $1 order by 1",
        [addDays(today, -2)],
      );
      return { spent, types };
    };
    await using daily = await openStage({ market });
    await load(daily, 2, "daily");
    const { spent } = await held(daily);
    expect(spent.length).toBeGreaterThan(0);
    await using turned = await openStage({ market });
    await load(turned, 0, "daily");
    await load(turned, 2, "report");
    expect(await held(turned)).toEqual({ spent, types: [{ report_type: "REPORT" }] });
    // and back again
    if (!long) return;
    await load(turned, 3, "daily");
    await load(daily, 3, "daily");
    expect((await held(turned)).spent).toEqual((await held(daily)).spent);
  });

  test("stay where an answer reports nothing at all, which is noted, and are requested again the next night", async () => {
    const stage = usual;
    // the account's connection breaks after it reported its organisations
    const tonight = addDays(today, 1);
    stage.sandbox.set({ today: tonight });
    const at = async () => {
      const listed = await stage.query(
        "select from ops.slice where dataset in ('search_ads_integration', 'search_ads_goal') and as_of = $1 and state in ('loaded', 'empty')",
        [tonight],
      );
      if (listed.length === 2) stage.sandbox.set({ connected: false });
    };
    const result = await stage.sync({
      ...chosen({ levels }),
      crashPoint: at,
      request: { datasets: names, today: tonight },
    });
    expect(result.outcome).toBe("loaded");
    expect(await figures(stage)).toEqual(reported);
    const noted = await stage.query(
      `select s.state, count(*)::int > 0 as is_noted, bool_and((r.item ->> 'rows')::int > 0) as names_rows
       from   ops.reject as r join ops.slice as s using (slice_id) where r.dataset = 'search_ads_report' group by 1`,
    );
    expect(noted).toEqual([{ state: "empty", is_noted: true, names_rows: true }]);
    const next = addDays(today, 2);
    stage.sandbox.set({ connected: true, today: next });
    stage.sandbox.clearLog();
    await stage.sync({ ...chosen({ levels }), request: { datasets: names, today: next } });
    expect(reports(stage).some(({ startDate }) => String(startDate) <= addDays(tonight, -5))).toBe(true);
    expect((await figures(stage)).filter(({ date_day: date }) => date === today).length).toBeGreaterThan(0);
  });

  test("are held with all their pages before they are requested, once it is known how many there are", async () => {
    await using stage = await openStage({ market: { ...market, keywordsPerApp: 12 } });
    const settings = {
      datasets: { search_ads_report: { history_days: 14, lookback_days: 13, options: { levels: ["KEYWORD"] } } },
    };
    await stage.sync({ settings, request: { datasets: names } });
    stage.sandbox.set({ today: addDays(today, 1) });
    await stage.sync({ settings, request: { datasets: names, today: addDays(today, 1) } });
    const slices = await stage.query<{ planned: number; requested: number }>(
      `select planned_credits as planned, (select sum(cost)::int from ops.request as r where r.slice_id = s.slice_id) as requested
       from   ops.slice as s where dataset = 'search_ads_report' and scope ->> 'report_level' = 'KEYWORD'`,
    );
    expect(slices.some(({ requested }) => requested > 20)).toBe(true);
    expect(slices.map(({ planned }) => planned)).toEqual(slices.map(({ requested }) => requested));
  });
});

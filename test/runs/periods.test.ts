import { expect, test } from "vitest";
import { addDays, day } from "../../src/core/day.ts";
import { periodOf } from "../../src/core/period.ts";
import { daysOf, lastDay, type Window } from "../../src/core/window.ts";
import { datasetNamed } from "../../src/datasets/shared/all.ts";
import { broughtSlice } from "../../src/archive/slice-of-file.ts";
import { replay } from "../../src/archive/replay.ts";
import { createDimensions } from "../../src/load/dimensions.ts";
import { createPartitions } from "../../src/load/partitions.ts";
import { openStage, today, type Stage } from "../support/ingest-stage.ts";

const dataset = "paid_keyword";
const grid = { days: 14 };
const market = { apps: 1, countries: ["US"] };
/** The newest period that is over, and the one before it. */
const newest = periodOf(grid, addDays(periodOf(grid, today).start, -1));
const before = periodOf(grid, addDays(newest.start, -1));

const sync = (stage: Stage, bounds: Partial<Window> = {}) => stage.sync({ request: { datasets: [dataset], bounds } });
const rowsOf = async (stage: Stage, { start }: Window) =>
  (
    await stage.query<{ row: string }>(
      "select t::text as row from core.fact_paid_keyword as t where period_start = $1 order by 1",
      [start],
    )
  ).map(({ row }) => row);

async function rebuild(stage: Stage, within: Partial<Window>): Promise<void> {
  await using app = await stage.open();
  const { db } = app.warehouse;
  const parts = { db, clock: app.clock, dimensions: createDimensions(db), partitions: createPartitions(db) };
  await replay(parts, datasetNamed(dataset), { within, keepPruned: false });
}

test("the newest period that is over is asked for, whole, both of its ends counted in; the one at hand is not", async () => {
  await using stage = await openStage({ market });
  await sync(stage);
  const asked = stage.asked().filter(({ operation }) => operation === "search-ads-insight.paid-keywords");
  expect(asked.map(({ params }) => [params["startDate"], params["endDate"]])).toEqual([
    [newest.start, lastDay(newest)],
  ]);
  const rows = await stage.query<{ first: string; last: string }>(
    "select distinct period_start::text as first, period_end::text as last from core.fact_paid_keyword",
  );
  expect(rows).toEqual([{ first: newest.start, last: lastDay(newest) }]);
  stage.sandbox.clearLog();
  await sync(stage);
  expect(stage.asked()).toEqual([]);
});

test("days asked for by hand bring the periods that hold them, and none twice", async () => {
  await using stage = await openStage({ market });
  const middle = addDays(before.start, 5);
  await sync(stage, { start: middle, end: addDays(middle, 1) });
  const windows = () =>
    stage.query(
      `select window_start::text as start, window_end::text as "end" from ops.slice where dataset = '${dataset}' order by 1`,
    );
  expect(await windows()).toEqual([before]);
  await sync(stage, { start: middle });
  expect(await windows()).toEqual([before, newest]);
});

test("coverage counts every day of a period, and no day of the one at hand", async () => {
  await using stage = await openStage({ market });
  await sync(stage);
  const days = await stage.query<{ day: string; loaded: number }>(
    `select date_day::text as day, loaded_count::int as loaded from ops.coverage_daily where dataset = '${dataset}' order by 1`,
  );
  expect(days).toEqual(daysOf(newest).map((one) => ({ day: one, loaded: 1 })));
});

test("replay of some days rebuilds the periods that hold them and leaves the others as they are", async () => {
  await using stage = await openStage({ market });
  await sync(stage, { start: before.start });
  const [first, second] = [await rowsOf(stage, before), await rowsOf(stage, newest)];
  expect(Math.min(first.length, second.length)).toBeGreaterThan(0);
  await stage.query("update core.fact_paid_keyword set app_share = 9");
  const spoilt = await rowsOf(stage, before);
  await rebuild(stage, { start: addDays(newest.start, 3), end: addDays(newest.start, 4) });
  expect(await rowsOf(stage, newest)).toEqual(second);
  expect(await rowsOf(stage, before)).toEqual(spoilt);
  await rebuild(stage, {});
  expect(await rowsOf(stage, before)).toEqual(first);
});

test("replay takes rows away that no answer tells of any more", async () => {
  await using stage = await openStage({ market });
  await sync(stage, { start: before.start });
  const told = await rowsOf(stage, newest);
  await stage.query(
    "with gone as (insert into core.dim_keyword (keyword) values ('nobody asks for this') returning keyword_key) update core.fact_paid_keyword set keyword_key = (select keyword_key from gone) where ctid = (select min(ctid) from core.fact_paid_keyword where period_start = $1) and period_start = $1",
    [newest.start],
  );
  expect(await rowsOf(stage, newest)).not.toEqual(told);
  await rebuild(stage, { start: lastDay(newest), end: newest.end });
  expect(await rowsOf(stage, newest)).toEqual(told);
});

test("an answer that is brought as a file is one of a whole period", () => {
  const file = (from: string, to: string) => ({
    format: "storehouse-answer-1",
    dataset,
    scope: { store: "ios", app: "1", country: "US" },
    window: { from: day(from), to: day(to) },
    pages: [],
  });
  const pages = [{ body: Buffer.from("{}"), fetchedAt: Date.parse("2026-08-20T06:00:00Z") }];
  const now = Date.parse("2026-08-20T12:00:00Z");
  const brought = (from: string, to: string) =>
    broughtSlice(datasetNamed(dataset), file(from, to) as never, { pages, now });
  expect(brought(newest.start, lastDay(newest)).window).toEqual(newest);
  expect(() => brought(addDays(newest.start, 1), lastDay(newest))).toThrow(/whole/);
  expect(() => brought(newest.start, addDays(newest.start, 6))).toThrow(/whole/);
});

test("an answer that options narrowed can be brought as a file as well", () => {
  const window = periodOf({ days: 30 }, addDays(periodOf({ days: 30 }, today).start, -1));
  const pages = [{ body: Buffer.from("{}"), fetchedAt: Date.parse("2026-08-20T06:00:00Z") }];
  const brought = (name: string, scope: Readonly<Record<string, string>>) =>
    broughtSlice(
      datasetNamed(name),
      { dataset: name, scope, window: { from: window.start, to: lastDay(window) }, pages: [] },
      { pages, now: Date.parse("2026-08-20T12:00:00Z") },
    ).scope;
  const place = { area: "each", country: "US" };
  const scopes = {
    ad_creative: { store: "ios", app: "1", ...place, network: "AdMob", media_type: "2", most_pages: "4" },
    ad_distribution: { store: "ios", app: "1", ...place, kind: "type", media_type: "impressions", network: "AdMob" },
    top_advertiser: { store: "android", ...place, category: "Games", network: "AdMob", most_pages: "1" },
  };
  for (const [name, scope] of Object.entries(scopes)) expect(brought(name, scope)).toEqual(scope);
  expect(() => brought("ad_creative", { ...scopes.ad_creative, colour: "red" })).toThrow(/told apart by/);
});

test("calls that options narrow are answered and stand beside those that nothing narrows", async () => {
  await using stage = await openStage({ market: { apps: 2, countries: ["US"] } });
  const networks = ["AdMob", "Unity Ads"];
  await stage.sync({
    request: { datasets: ["ad_creative", "ad_distribution", "top_advertiser"] },
    settings: {
      datasets: {
        ad_creative: { options: { areas: ["all", "each"], networks, media_types: [1] } },
        ad_distribution: { options: { areas: ["all", "each"], networks, media_types: ["creatives", "impressions"] } },
        top_advertiser: { options: { areas: ["all", "each"], categories: ["Games"] } },
      },
    },
  });
  const asked = stage.asked().filter(({ operation }) => operation?.startsWith("ad-intelligence."));
  expect(new Set(asked.map(({ status }) => status))).toEqual(new Set([200]));
  const states = await stage.query(
    "select distinct state from ops.slice where dataset like '%ad%' and state not in ('loaded', 'empty')",
  );
  expect(states).toEqual([]);
  const cells = async (table: string, columns: string) =>
    (await stage.query(`select distinct ${columns} from core.${table}`)).length;
  expect(await cells("ad_creative", "country_key, network, media_type")).toBe(2 * 2);
  expect(await cells("fact_ad_distribution", "country_key, media_type, network")).toBeGreaterThanOrEqual(2 * 2 * 2);
  expect(await cells("fact_top_advertiser", "store, country_key, category")).toBe(2 * 2);
});

test("a report of an organisation, level, goal and month can be brought as a file", () => {
  const scope = {
    org_id: "77",
    report_level: "APP",
    report_type: "SUMMARY",
    grain: "month_summary",
    attribution: "ONLY",
    currency: "EUR",
    goal_id: "5",
    goal_app: "42",
  };
  const pages = [{ body: Buffer.from("{}"), fetchedAt: Date.parse("2026-08-20T06:00:00Z") }];
  const brought = (more: object = {}) =>
    broughtSlice(
      datasetNamed("search_ads_report"),
      {
        dataset: "search_ads_report",
        scope: { ...scope, ...more },
        window: { from: day("2026-07-01"), to: day("2026-07-31") },
        pages: [],
      },
      { pages, now: Date.parse("2026-08-20T12:00:00Z") },
    ).scope;
  expect(brought()).toEqual(scope);
  expect(() => brought({ grain: "year" })).toThrow(/told apart by/);
});

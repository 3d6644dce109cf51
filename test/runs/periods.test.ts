import { expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import { periodOf } from "../../src/core/period.ts";
import { daysOf, lastDay, type Window } from "../../src/core/window.ts";
import { datasetNamed } from "../../src/datasets/shared/all.ts";
import { replay } from "../../src/archive/replay.ts";
import { createDimensions } from "../../src/load/dimensions.ts";
import { createPartitions } from "../../src/load/partitions.ts";
import { openStage, today, type Stage } from "../support/ingest-stage.ts";
import { openWithPortfolio } from "../support/backfill-stage.ts";
import { openSynced } from "../support/synced-stage.ts";

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

test("the newest period that is over is requested, whole, both of its ends inclusive, and coverage counts each of its days; the current one is not", async () => {
  await using stage = await openWithPortfolio({ market });
  await sync(stage);
  const requested = stage.requested().filter(({ operation }) => operation === "search-ads-insight.paid-keywords");
  expect(requested.map(({ params }) => [params["startDate"], params["endDate"]])).toEqual([
    [newest.start, lastDay(newest)],
  ]);
  const rows = await stage.query<{ first: string; last: string }>(
    "select distinct period_start::text as first, period_end::text as last from core.fact_paid_keyword",
  );
  expect(rows).toEqual([{ first: newest.start, last: lastDay(newest) }]);
  const days = await stage.query<{ day: string; loaded: number }>(
    `select date_day::text as day, loaded_count::int as loaded from ops.coverage_daily where dataset = '${dataset}' order by 1`,
  );
  expect(days).toEqual(daysOf(newest).map((one) => ({ day: one, loaded: 1 })));
  stage.sandbox.clearLog();
  await sync(stage);
  expect(stage.requested()).toEqual([]);
});

test("requested days take the periods that hold them, and none twice", async () => {
  await using stage = await openWithPortfolio({ market });
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

test("replay of some days rebuilds the periods that hold them and leaves the others as they are", async () => {
  await using stage = await openSynced(
    { market },
    { request: { datasets: [dataset], bounds: { start: before.start } } },
  );
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

test("replay removes rows that no answer reports any more", async () => {
  await using stage = await openSynced(
    { market },
    { request: { datasets: [dataset], bounds: { start: before.start } } },
  );
  const reported = await rowsOf(stage, newest);
  await stage.query(
    "with gone as (insert into core.dim_keyword (keyword) values ('nobody asks for this') returning keyword_key) update core.fact_paid_keyword set keyword_key = (select keyword_key from gone) where ctid = (select min(ctid) from core.fact_paid_keyword where period_start = $1) and period_start = $1",
    [newest.start],
  );
  expect(await rowsOf(stage, newest)).not.toEqual(reported);
  await rebuild(stage, { start: lastDay(newest), end: newest.end });
  expect(await rowsOf(stage, newest)).toEqual(reported);
});

test("calls that options narrow are answered and kept beside those that nothing narrows", async () => {
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
  const requested = stage.requested().filter(({ operation }) => operation?.startsWith("ad-intelligence."));
  expect(new Set(requested.map(({ status }) => status))).toEqual(new Set([200]));
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

import { expect, test } from "vitest";
import { addDays, dayOf, type Day } from "../../src/core/day.ts";
import { datasetNamed } from "../../src/datasets/shared/all.ts";
import { readScopeCoverage } from "../../src/planner/gaps.ts";
import { replay } from "../../src/archive/replay.ts";
import { sumOfCells } from "../../src/plan/cell-states.ts";
import { createDimensions } from "../../src/load/dimensions.ts";
import { createPartitions } from "../../src/load/partitions.ts";
import { planned } from "../support/ingest-planned.ts";
import { openProxy, type Passing } from "../support/ingest-proxy.ts";
import { openStage, today, type RunOptions, type Stage } from "../support/ingest-stage.ts";
import { factsOf } from "../support/ingest-tables.ts";
import { exportFrom, importInto } from "../support/raw-stage.ts";
import { openSynced } from "../support/synced-stage.ts";
import { long } from "../support/long.ts";
import { temporaryFolder } from "../support/folder.ts";

const market = { apps: 2, countries: ["US"], keywordsPerApp: 2 } as const;
const back = (days: number) => addDays(today, -days);

/** An answer without what it says of this day and later ones. */
function cut(value: unknown, from: Day): unknown {
  if (Array.isArray(value)) return value.filter((item) => !isFrom(item, from)).map((item) => cut(item, from));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, own]) => [name, cut(own, from)]));
}

function isFrom(item: unknown, from: Day): boolean {
  if (typeof item !== "object" || item === null || !("date" in item)) return false;
  const { date } = item;
  return (typeof date === "number" ? dayOf(date) : String(date)) >= from;
}

const isData = ({ target, status }: Passing) =>
  status === 200 && /visibility-score-history|rankings|androidstore-category|estimation/.test(target);

/** A service that publishes days late: before `from` all is reported, later nothing. */
function late(stage: Stage, from: Day, alter: (answer: unknown) => unknown = (answer) => answer) {
  return openProxy(stage.sandbox, (passing) => {
    if (isData(passing)) passing.body = JSON.stringify(alter(cut(JSON.parse(passing.body), from)));
  });
}

async function cells(stage: Stage, dataset: string, run: RunOptions): Promise<Record<string, unknown>> {
  await using app = await stage.open(run);
  const request = { datasets: [dataset], bounds: {}, today };
  const all = await readScopeCoverage(app.warehouse.db, { request, settings: app.config.settings });
  const days = Map.groupBy(
    all.flatMap((scope) => [...scope.days]),
    ([day]) => day,
  );
  return Object.fromEntries([...days].map(([day, counts]) => [day, sumOfCells(counts.map(([, count]) => count))]));
}

const price = (chunks: Awaited<ReturnType<typeof planned>>) =>
  chunks.flatMap(({ slices }) => slices).reduce((sum, { credits }) => sum + credits, 0);

const booking = `
  select sum(planned_credits)::int as planned,
         sum((select coalesce(sum(q.cost), 0) from ops.request as q where q.slice_id = s.slice_id))::int as charged
  from   ops.slice as s where dataset = $1`;

const lists = { request: { datasets: ["tracked_app", "tracked_country", "tracked_keyword"] } };

/** Each day one that is packed and settles later; in the long run all that may be late. */
const lateDatasets = [
  { dataset: "visibility", settings: {}, settle: 1, wait: 1 },
  { dataset: "category_rank", settings: { pack_days: 1 }, settle: 1, wait: 3 },
  { dataset: "download_revenue", settings: { pack_days: 1 }, settle: 3, wait: 3 },
  {
    dataset: "keyword_estimate",
    settings: { pack_days: 1, options: { kinds: ["history" as const] } },
    settle: 1,
    wait: 3,
  },
].filter(({ dataset }) => long || dataset === "download_revenue");

test.each(lateDatasets)(
  "days that $dataset reports late are empty, and requested again",
  async ({ dataset, settings, settle, wait }) => {
    await using stage = await openSynced({ market, today: addDays(today, 3) }, lists);
    const run = {
      settings: { datasets: { [dataset]: { on: true, history_days: 5, ...settings } } },
      request: { datasets: [dataset] },
    };
    const expected = async (on: Day) => {
      await using app = await stage.open(run);
      const chunks = await planned(app, { ...run.request, bounds: {}, today: on }, true);
      return price(chunks.filter((chunk) => chunk.dataset === dataset));
    };
    const newest = back(settle);
    const from = addDays(newest, -1);
    const first = await expected(today);
    {
      await using proxy = await late(stage, from);
      await stage.sync({ ...run, environment: { API_BASE_URL: proxy.url } });
      // on the same day nothing new is to be had
      await stage.sync({ ...run, environment: { API_BASE_URL: proxy.url } });
    }
    const seen = await cells(stage, dataset, run);
    const [some] = Object.values(seen).map((states) => (states as { loaded?: number }).loaded);
    expect(some).toBeGreaterThan(0);
    expect(Object.keys(seen)).toHaveLength(5);
    for (const [day, states] of Object.entries(seen))
      expect(states).toEqual({ [day < from ? "loaded" : "empty"]: some });
    const booked = async () => {
      const [sums] = await stage.query(booking, [dataset]);
      return sums;
    };
    expect(await booked()).toEqual({ planned: first, charged: first });

    const later = addDays(today, wait);
    const second = await expected(later);
    expect(second).toBeGreaterThan(0);
    await stage.sync({ ...run, request: { ...run.request, today: later } });
    expect(await booked()).toEqual({ planned: first + second, charged: first + second });
    const whole = Object.fromEntries(Object.keys(seen).map((day) => [day, { loaded: some }]));
    expect(await cells(stage, dataset, run)).toMatchObject(whole);
    const table = `core.fact_${dataset}`;
    const reported = await stage.query<{ day: Day }>(`select distinct date_day::text as day from ${table} order by 1`);
    expect(reported.map(({ day }) => day)).toEqual(expect.arrayContaining([from, newest]));
  },
);

test("an app that a list of scores leaves out is not claimed, and requested again", async () => {
  await using stage = await openStage({ market: { ...market, apps: 3 }, today: addDays(today, 1) });
  const run = {
    settings: { datasets: { visibility: { on: true, history_days: 5, options: { competitors: false } } } },
    request: { datasets: ["visibility"] },
  };
  const isFirst = (_: unknown, index: number) => index === 0;
  await using proxy = await late(stage, back(-9), (answer) =>
    Array.isArray(answer) ? answer.filter(isFirst) : answer,
  );
  await stage.sync({ ...run, environment: { API_BASE_URL: proxy.url } });
  expect(await cells(stage, "visibility", run)).toMatchObject({ [back(5)]: { loaded: 2, skipped: 1 } });
  await stage.sync({ ...run, request: { ...run.request, today: addDays(today, 1) } });
  expect(await cells(stage, "visibility", run)).toMatchObject({ [back(4)]: { loaded: 3 }, [back(1)]: { loaded: 3 } });
});

test("an answer whose last days were unreported is replayed and imported as a file like any other", async () => {
  await using stage = await openStage({ market });
  const datasets = ["visibility"];
  const run = { settings: { datasets: { visibility: { on: true, history_days: 5 } } }, request: { datasets } };
  await using proxy = await late(stage, back(2));
  await stage.sync({ ...run, environment: { API_BASE_URL: proxy.url } });
  const ledger = () =>
    stage.query(
      "select slice_id, state, window_start, window_end, rows_loaded, error_code from ops.slice where dataset = 'visibility' order by 1",
    );
  const before = { facts: await factsOf(stage, []), ledger: await ledger() };
  {
    await using app = await stage.open(run);
    const { db } = app.warehouse;
    const parts = { db, clock: app.clock, dimensions: createDimensions(db), partitions: createPartitions(db) };
    const done = await replay(parts, datasetNamed("visibility"), { within: {}, keepPruned: false });
    expect(done).toMatchObject({ invalid: 0, kept: 0 });
  }
  expect({ facts: await factsOf(stage, []), ledger: await ledger() }).toEqual(before);

  using out = temporaryFolder();
  await exportFrom(stage, out.path, { datasets });
  await using target = await openStage({ market });
  expect(await importInto(target, [out.path])).toMatchObject({ refused: 0, known: 0 });
  const fact = "core.fact_visibility";
  expect((await factsOf(target))[fact]).toEqual((await factsOf(stage))[fact]);
  // as it was requested when the answer was saved: cut here as well, and known the second time
  await stage.query("delete from ops.slice where dataset = 'visibility' and state = 'empty'");
  await stage.query("update ops.slice set window_end = $1 where dataset = 'visibility'", [today]);
  using requested = temporaryFolder();
  await exportFrom(stage, requested.path, { datasets });
  await using other = await openStage({ market });
  const { loaded } = await importInto(other, [requested.path]);
  const states = "select distinct state, window_end::text as until from ops.slice order by 1";
  expect(await other.query(states)).toEqual([
    { state: "empty", until: today },
    { state: "loaded", until: back(2) },
  ]);
  expect(await importInto(other, [requested.path])).toMatchObject({ loaded: 0, known: loaded });
});

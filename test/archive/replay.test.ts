import { zstdCompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { addDays, type Day } from "../../src/core/day.ts";
import { datasets } from "../../src/datasets/shared/all.ts";
import { replay, type ReplayRequest } from "../../src/archive/replay.ts";
import { createDimensions } from "../../src/load/dimensions.ts";
import { createPartitions } from "../../src/load/partitions.ts";
import { openStage, today, type Stage } from "../support/ingest-stage.ts";

const all = datasets.map(({ name }) => name);

/** Rebuilds datasets without a server: the sandbox refuses every request, and its log is checked afterwards. */
async function rebuild(stage: Stage, names: readonly string[] = all, request: Partial<ReplayRequest> = {}) {
  await using app = await stage.open();
  const { db } = app.warehouse;
  const parts = { db, clock: app.clock, dimensions: createDimensions(db), partitions: createPartitions(db) };
  const done = [];
  for (const dataset of datasets.filter(({ name }) => names.includes(name)))
    done.push(await replay(parts, dataset, { within: {}, keepPruned: false, ...request }));
  return done;
}

/** Every row of every table that datasets own, with surrogate keys, slices and times of receipt, as text. */
async function everything(stage: Stage): Promise<Record<string, unknown>> {
  const tables = new Set(datasets.flatMap((dataset) => dataset.tables.map(({ name }) => name)));
  const found: Record<string, unknown> = {};
  for (const name of tables)
    found[name] = (await stage.query(`select t::text as row from ${name} as t order by 1`)).map(({ row }) => row);
  return found;
}

/** Takes away the answers of the slices of ranks of just one day, as a prune does. */
async function pruneDay(stage: Stage, day: Day): Promise<void> {
  await stage.query(
    `delete from raw.answer where slice_id in (
       select slice_id from ops.slice where dataset = 'keyword_rank' and window_start = $1 and window_end = $1::date + 1)`,
    [day],
  );
}

test("rebuilds the named days and leaves the others as they are", async () => {
  await using stage = await openStage();
  await stage.sync();
  const before = await everything(stage);
  const yesterday = addDays(today, -1);
  await stage.query("delete from core.fact_keyword_rank where date_day = $1", [yesterday]);
  await stage.query("update core.fact_keyword_rank set rank = 999 where date_day = $1", [addDays(today, -2)]);
  await rebuild(stage, ["keyword_rank"], { within: { start: yesterday, end: today } });
  await stage.query("update core.fact_keyword_rank set rank = 999 where date_day = $1", [yesterday]);
  expect(await everything(stage)).not.toEqual(before);
  await rebuild(stage, ["keyword_rank"]);
  expect(await everything(stage)).toEqual(before);
});

test("leaves rows as they are that stand for a named day and came with the answer of another one", async () => {
  await using stage = await openStage({ market: { apps: 1 } });
  await stage.sync({ settings: { datasets: { category_rank: { on: true, options: { resolutions: ["last_day"] } } } } });
  const before = await everything(stage);
  const yesterday = addDays(today, -1);
  expect(await stage.query("select distinct date_day::text from core.fact_category_rank")).toEqual([
    { date_day: yesterday },
  ]);
  await rebuild(stage, ["category_rank"], { within: { start: yesterday, end: today } });
  expect(await everything(stage)).toEqual(before);
  await stage.query("update core.fact_category_rank set rank = 999");
  await rebuild(stage, ["category_rank"], { within: { start: today } });
  expect(await everything(stage)).toEqual(before);
});

test("leaves the old tables when it breaks in the middle", async () => {
  await using stage = await openStage();
  await stage.sync();
  const before = await everything(stage);
  await stage.query("update raw.answer set body = '\\x00' where answer_id = (select max(answer_id) from raw.answer)");
  await expect(rebuild(stage)).rejects.toThrow();
  expect(await everything(stage)).toEqual(before);
});

test("refuses to rebuild what it has no answers for, and changes nothing", async () => {
  await using stage = await openStage({ market: { apps: 1 } });
  await stage.sync();
  const before = await everything(stage);
  const yesterday = addDays(today, -1);
  await pruneDay(stage, yesterday);
  await expect(rebuild(stage, ["keyword_rank"])).rejects.toMatchObject({
    code: "answer_pruned",
    context: { dataset: "keyword_rank", from: yesterday, to: yesterday, slices: expect.any(Number) },
  });
  await expect(rebuild(stage, ["keyword_rank"], { within: { start: yesterday } })).rejects.toMatchObject({
    code: "answer_pruned",
  });
  expect(await everything(stage)).toEqual(before);
  // the days beside it have theirs
  const done = await rebuild(stage, ["keyword_rank"], { within: { end: yesterday } });
  expect(done).toMatchObject([{ kept: 0, invalid: 0 }]);
  expect(await everything(stage)).toEqual(before);
});

test("leaves rows without answers as they are when the option says so, and rebuilds the others", async () => {
  await using stage = await openStage({ market: { apps: 1 } });
  await stage.sync({ request: { datasets: all } });
  await stage.sync({ request: { datasets: all, today: addDays(today, 1) } });
  const before = await everything(stage);
  const yesterday = addDays(today, -1);
  await pruneDay(stage, yesterday);
  await stage.query("delete from raw.answer where slice_id in (select min(slice_id) from ops.slice group by dataset)");
  await stage.query("update core.fact_keyword_rank set rank = 999 where slice_id in (select slice_id from raw.answer)");
  await stage.query("delete from core.fact_top_keyword where slice_id in (select slice_id from raw.answer)");
  const done = await rebuild(stage, all, { keepPruned: true });
  expect(done.every(({ kept }) => kept > 0)).toBe(true);
  expect(await everything(stage)).toEqual(before);
});

test("fails a loaded slice whose answer does not fit any more, since its rows are gone", async () => {
  await using stage = await openStage({ market: { apps: 1 } });
  await stage.sync();
  const [broken] = await stage.query<{ slice_id: string }>(
    "select slice_id from ops.slice where dataset = 'keyword_rank' and rows_loaded > 0 order by 1 limit 1",
  );
  await stage.query("update raw.answer set body = $2 where slice_id = $1", [
    broken?.slice_id,
    zstdCompressSync(Buffer.from('{"another":"shape"}')),
  ]);
  expect(await rebuild(stage, ["keyword_rank"])).toMatchObject([{ invalid: 1 }]);
  const ended = await stage.query("select state, error_code, rows_loaded from ops.slice where slice_id = $1", [
    broken?.slice_id,
  ]);
  expect(ended).toEqual([{ state: "failed", error_code: "unknown_shape", rows_loaded: 0 }]);
  expect(await stage.query("select from core.fact_keyword_rank where slice_id = $1", [broken?.slice_id])).toEqual([]);
});

test("leaves a slice failed of whose answer nothing fits", async () => {
  await using stage = await openStage({ market: { apps: 1 } });
  await stage.sync({ request: { datasets: ["tracked_country"] } });
  const [slice] = await stage.query<{ slice_id: string }>(
    "update ops.slice set state = 'failed' where slice_id = (select max(slice_id) from ops.slice where dataset = 'tracked_country') returning slice_id",
  );
  const strange = zstdCompressSync(Buffer.from(JSON.stringify({ data: { Utopia: 3 }, success: true })));
  await stage.query("update raw.answer set body = $2 where slice_id = $1", [slice?.slice_id, strange]);
  expect(await rebuild(stage, ["tracked_country"])).toMatchObject([{ invalid: 1 }]);
  const [ended] = await stage.query("select state, error_code, rows_rejected from ops.slice where slice_id = $1", [
    slice?.slice_id,
  ]);
  expect(ended).toEqual({ state: "failed", error_code: "unknown_shape", rows_rejected: 1 });
});

test("loads the answer of a snapshot that could not be read until its day was lost, and not one that came before the day that it stands for", async () => {
  await using stage = await openStage({ market: { apps: 1, countries: ["US"] }, today: addDays(today, 1) });
  const settings = { datasets: { app_rating: { on: true }, keyword_rank: { on: false } } };
  await stage.sync({ settings });
  const rating = "from core.fact_app_rating where date_day = $1";
  const before = await stage.query(`select rating, slice_id ${rating}`, [today]);
  expect(before).toHaveLength(1);
  // what a program leaves behind that breaks at the answer
  await stage.query(`delete ${rating}`, [today]);
  await stage.query("update ops.slice set state = 'failed', error_code = 'unexpected' where dataset = 'app_rating'");
  await stage.sync({ settings, request: { today: addDays(today, 1) } });
  const states = () =>
    stage.query("select state, error_code from ops.slice where dataset = 'app_rating' order by slice_id");
  expect(await states()).toEqual([
    { state: "lost", error_code: "unexpected" },
    { state: "loaded", error_code: null },
  ]);
  await stage.query("update raw.answer set fetched_at = $1", [addDays(today, -1)]);
  await rebuild(stage, ["app_rating"]);
  expect(await stage.query(`select ${rating}`, [today])).toEqual([]);
  await stage.query("update raw.answer set fetched_at = $1", [today]);
  await rebuild(stage, ["app_rating"]);
  expect(await stage.query(`select rating, slice_id ${rating}`, [today])).toEqual(before);
  expect((await states())[0]).toEqual({ state: "loaded", error_code: null });
});

test("keeps a day lost of whose answer nothing fits", async () => {
  await using stage = await openStage({ market: { apps: 1, countries: ["US"] } });
  await stage.sync({ settings: { datasets: { app_rating: { on: true }, keyword_rank: { on: false } } } });
  await stage.query("update ops.slice set state = 'lost' where dataset = 'app_rating'");
  await stage.query(
    "update raw.answer set body = $1 where slice_id = (select slice_id from ops.slice where dataset = 'app_rating')",
    [zstdCompressSync(Buffer.from('{"another":"shape"}'))],
  );
  expect(await rebuild(stage, ["app_rating"])).toMatchObject([{ invalid: 1 }]);
  expect(await stage.query("select state from ops.slice where dataset = 'app_rating'")).toEqual([{ state: "lost" }]);
});

test("loads an answer that was landed and not loaded without another request", async () => {
  await using stage = await openStage({ market: { apps: 1 } });
  await stage.sync();
  const before = await everything(stage);
  // what a kill between landing and loading leaves behind
  await stage.query("delete from core.fact_keyword_rank");
  await stage.query("update ops.slice set state = 'pending' where dataset = 'keyword_rank'");
  stage.sandbox.clearLog();
  expect(await stage.sync()).toMatchObject({ outcome: "loaded" });
  expect(stage.asked()).toEqual([]);
  expect(await everything(stage)).toEqual(before);
});

describe("a replay that breaks in the middle", () => {
  const first = "2026-08-01" as Day;
  const ofAugust = `slice_id in (select slice_id from ops.slice where dataset = 'keyword_rank' and window_start >= '${first}')`;
  const datasetsOfRanks = ["tracked_app", "tracked_country", "tracked_keyword", "keyword_rank"];

  /** Three nights, each of which brings one day: the last one of July and two of August. */
  async function fetchNights(stage: Stage): Promise<void> {
    for (const night of [first, addDays(first, 1), addDays(first, 2)]) {
      stage.sandbox.set({ today: night });
      const settings = { datasets: { keyword_rank: { history_days: 1 } } };
      await stage.sync({ settings, request: { datasets: datasetsOfRanks, today: night } });
    }
  }

  const monthsWhere = (stage: Stage, condition: string) =>
    stage.query(`select distinct to_char(date_day, 'YYYY-MM') as month from core.fact_keyword_rank where ${condition}`);

  test("leaves the months before as they were rebuilt and goes on behind them", async () => {
    await using stage = await openStage({ market: { apps: 2 } });
    await fetchNights(stage);
    const before = await everything(stage);
    expect(await monthsWhere(stage, "true")).toHaveLength(2);
    const bodies = await stage.query<{ id: string; body: Buffer }>(
      `select answer_id as id, body from raw.answer where ${ofAugust}`,
    );
    await stage.query(`update raw.answer set body = '\\x00' where ${ofAugust}`);
    await stage.query("update core.fact_keyword_rank set rank = 998");
    await expect(rebuild(stage, ["keyword_rank"], { program: "this one" })).rejects.toThrow();
    expect(await monthsWhere(stage, "rank = 998")).toEqual([{ month: "2026-08" }]);
    for (const { id, body } of bodies)
      await stage.query("update raw.answer set body = $2 where answer_id = $1", [id, body]);
    // what was rebuilt is not rebuilt again
    await stage.query("update core.fact_keyword_rank set rank = 999");
    const again = await rebuild(stage, ["keyword_rank"], { program: "this one" });
    expect(again).toMatchObject([{ from: first, invalid: 0 }]);
    expect(await monthsWhere(stage, "rank = 999")).toEqual([{ month: "2026-07" }]);
    // another program may read the answers in another way
    expect(await rebuild(stage, ["keyword_rank"], { program: "another one" })).toMatchObject([{ invalid: 0 }]);
    expect(await everything(stage)).toEqual(before);
  });
});

test("leaves a slice as it failed whose answer was never stored whole, and its later try", async () => {
  const list = "dashboard.daily-keyword-rankings";
  const accounts = [{ token: "sandbox-token", total: 100_000, periodHours: 24, costs: { [list]: 1 } }];
  await using stage = await openStage({ accounts, market: { apps: 1, countries: ["US"] } });
  await stage.sync({ request: { datasets: ["tracked_keyword"] } });
  stage.sandbox.set({ faults: [{ kind: "status", status: 500, operation: list, contains: "ipad", times: 1_000 }] });
  await stage.sync();
  const failed = () =>
    stage.query(
      "select slice_id, state, error_code, error_message, due_at from ops.slice where state = 'failed' order by 1",
    );
  const before = await failed();
  expect(before.length).toBeGreaterThan(0);
  expect(before.every(({ due_at: at }) => at !== null)).toBe(true);
  expect(await rebuild(stage, ["keyword_rank"])).toMatchObject([{ invalid: before.length }]);
  expect(await failed()).toEqual(before);
});

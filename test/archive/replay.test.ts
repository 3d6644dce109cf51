import { zstdCompressSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import { addDays, type Day } from "../../src/core/day.ts";
import { datasets } from "../../src/datasets/shared/all.ts";
import { openStage, today, type Stage } from "../support/ingest-stage.ts";
import { eachWay, everything, rebuild } from "../support/replay-stage.ts";
import { long } from "../support/long.ts";
import { forTests } from "../support/for-tests.ts";

const all = datasets.map(({ name }) => name);

/** Takes away the answers of the slices of ranks of just one day, as a prune does. */
async function pruneDay(stage: Stage, day: Day): Promise<void> {
  await stage.query(
    `delete from raw.answer where slice_id in (
       select slice_id from ops.slice where dataset = 'keyword_rank' and window_start = $1 and window_end = $1::date + 1)`,
    [day],
  );
}

describe("of a warehouse that is left as it was found", () => {
  const settings = { datasets: { category_rank: { on: true, options: { resolutions: ["last_day"] } } } };
  const stage = forTests(() => openStage({ market: { apps: 1, keywordsPerApp: 4 } }));
  let before: Awaited<ReturnType<typeof everything>>;

  beforeAll(async () => {
    await stage.sync({ settings });
    before = await everything(stage);
  });

  /** Gives a slice another answer while the work is done, and rebuilds its rows from its own one afterwards. */
  async function withAnswer(
    slice: { id: string; dataset: string },
    body: Buffer,
    work: () => Promise<void>,
  ): Promise<void> {
    const stored = await stage.query<{ answer_id: string; body: Buffer }>(
      "select answer_id, body from raw.answer where slice_id = $1",
      [slice.id],
    );
    await stage.query("update raw.answer set body = $2 where slice_id = $1", [slice.id, body]);
    await work();
    for (const { answer_id: id, body: own } of stored)
      await stage.query("update raw.answer set body = $2 where answer_id = $1", [id, own]);
    expect(await rebuild(stage, [slice.dataset])).toMatchObject([{ invalid: 0 }]);
    expect(await everything(stage)).toEqual(before);
  }

  /** The last slice of a dataset that brought rows. */
  async function sliceOf(dataset: string): Promise<{ id: string; dataset: string }> {
    const [slice] = await stage.query<{ id: string; dataset: string }>(
      "select slice_id as id, dataset from ops.slice where dataset = $1 and rows_loaded > 0 order by slice_id desc limit 1",
      [dataset],
    );
    return slice ?? { id: "", dataset };
  }

  const endOf = async (slice: { id: string }) =>
    stage.query("select state, error_code, rows_loaded, rows_rejected from ops.slice where slice_id = $1", [slice.id]);

  test("rebuilds the named days and leaves the others as they are", async () => {
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
    await withAnswer(await sliceOf("keyword_rank"), Buffer.of(0), async () => {
      await expect(rebuild(stage, all)).rejects.toThrow();
      expect(await everything(stage)).toEqual(before);
    });
  });

  test("fails a loaded slice whose answer does not fit any more, since its rows are gone", async () => {
    const broken = await sliceOf("keyword_rank");
    await withAnswer(broken, zstdCompressSync(Buffer.from('{"another":"shape"}')), async () => {
      expect(await rebuild(stage, ["keyword_rank"])).toMatchObject([{ invalid: 1 }]);
      expect(await endOf(broken)).toMatchObject([{ state: "failed", error_code: "unknown_shape", rows_loaded: 0 }]);
      expect(await stage.query("select from core.fact_keyword_rank where slice_id = $1", [broken.id])).toEqual([]);
    });
    expect(await endOf(broken)).toMatchObject([{ state: "loaded", error_code: null }]);
  });

  test("leaves a slice failed of whose answer nothing fits", async () => {
    const slice = await sliceOf("tracked_country");
    await stage.query("update ops.slice set state = 'failed' where slice_id = $1", [slice.id]);
    const strange = zstdCompressSync(Buffer.from(JSON.stringify({ data: { Utopia: 3 }, success: true })));
    await withAnswer(slice, strange, async () => {
      expect(await rebuild(stage, ["tracked_country"])).toMatchObject([{ invalid: 1 }]);
      expect(await endOf(slice)).toMatchObject([{ state: "failed", error_code: "unknown_shape", rows_rejected: 1 }]);
    });
  });

  test("loads an answer that was landed and not loaded without another request", async () => {
    // what a kill between landing and loading leaves behind
    await stage.query("delete from core.fact_keyword_rank");
    await stage.query("update ops.slice set state = 'pending' where dataset = 'keyword_rank'");
    stage.sandbox.clearLog();
    expect(await stage.sync({ settings })).toMatchObject({ outcome: "loaded" });
    expect(stage.requested()).toEqual([]);
    expect(await everything(stage)).toEqual(before);
  });

  // takes answers away for good, so it comes last
  test("refuses to rebuild what it has no answers for, and changes nothing", async () => {
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
});

/** Whole days and rows of a shared dimension, beside what they are planned from; in the long run each way of loading. */
const some = long ? eachWay : ["tracked_app", "tracked_country", "tracked_keyword", "keyword_rank", "top_keyword"];

test("leaves rows without answers as they are when the option says so, and rebuilds the others", async () => {
  await using stage = await openStage({ market: { apps: 1, countries: ["US"], keywordsPerApp: 4 } });
  await stage.sync({ request: { datasets: some } });
  await stage.sync({ request: { datasets: some, today: addDays(today, 1) } });
  const before = await everything(stage);
  const yesterday = addDays(today, -1);
  await pruneDay(stage, yesterday);
  await stage.query("delete from raw.answer where slice_id in (select min(slice_id) from ops.slice group by dataset)");
  await stage.query("update core.fact_keyword_rank set rank = 999 where slice_id in (select slice_id from raw.answer)");
  await stage.query("delete from core.fact_top_keyword where slice_id in (select slice_id from raw.answer)");
  const done = await rebuild(stage, some, { keepPruned: true });
  expect(done.every(({ kept }) => kept > 0)).toBe(true);
  expect(await everything(stage)).toEqual(before);
});

describe("a replay that breaks in the middle", () => {
  const first = "2026-08-01" as Day;
  const ofAugust = `slice_id in (select slice_id from ops.slice where dataset = 'keyword_rank' and window_start >= '${first}')`;
  const datasetsOfRanks = ["tracked_app", "tracked_country", "tracked_keyword", "keyword_rank"];

  /** Two nights, each of which brings one day: the last one of July and the first one of August. */
  async function fetchNights(stage: Stage): Promise<void> {
    for (const night of [first, addDays(first, 1)]) {
      stage.sandbox.set({ today: night });
      const settings = { datasets: { keyword_rank: { history_days: 1 } } };
      await stage.sync({ settings, request: { datasets: datasetsOfRanks, today: night } });
    }
  }

  const monthsWhere = (stage: Stage, condition: string) =>
    stage.query(`select distinct to_char(date_day, 'YYYY-MM') as month from core.fact_keyword_rank where ${condition}`);

  test("leaves the months before as they were rebuilt and goes on behind them", async () => {
    await using stage = await openStage({ market: { apps: 1, countries: ["US"], keywordsPerApp: 4 } });
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

import { expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import type { Window } from "../../src/core/window.ts";
import { datasets } from "../../src/datasets/all.ts";
import { replay } from "../../src/ingest/replay.ts";
import { createDimensions } from "../../src/warehouse/dimensions.ts";
import { createPartitions } from "../../src/warehouse/partitions.ts";
import { openStage, today, type Stage } from "../support/ingest-stage.ts";

const all = datasets.map(({ name }) => name);

/** Rebuilds datasets with no server to ask: the sandbox is told to refuse, and its log is looked at afterwards. */
async function rebuild(stage: Stage, names: readonly string[] = all, within: Partial<Window> = {}) {
  await using app = await stage.open();
  const { db } = app.warehouse;
  const parts = { db, clock: app.clock, dimensions: createDimensions(db), partitions: createPartitions(db) };
  const done = [];
  for (const dataset of datasets.filter(({ name }) => names.includes(name)))
    done.push(await replay(parts, dataset, within));
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

test("rebuilds every table to the byte, asks nothing and spends nothing", async () => {
  await using stage = await openStage();
  await stage.sync({ request: { datasets: all } });
  await stage.sync({ request: { datasets: all, today: addDays(today, 1) } });
  const before = await everything(stage);
  stage.sandbox.clearLog();
  await stage.query("truncate core.fact_keyword_rank, core.fact_top_keyword, core.tracked_keyword");
  await stage.query("update core.dim_app set app_name = 'somebody wrote here'");
  const done = await rebuild(stage);
  expect(await everything(stage)).toEqual(before);
  expect(done.every(({ slices, unfit }) => slices > 0 && unfit === 0)).toBe(true);
  expect(stage.sandbox.log()).toEqual([]);
});

test("rebuilds the days it is told to and leaves the others as they are", async () => {
  await using stage = await openStage();
  await stage.sync();
  const before = await everything(stage);
  const yesterday = addDays(today, -1);
  await stage.query("delete from core.fact_keyword_rank where date_day = $1", [yesterday]);
  await stage.query("update core.fact_keyword_rank set rank = 999 where date_day = $1", [addDays(today, -2)]);
  await rebuild(stage, ["keyword_rank"], { start: yesterday, end: today });
  await stage.query("update core.fact_keyword_rank set rank = 999 where date_day = $1", [yesterday]);
  expect(await everything(stage)).not.toEqual(before);
  await rebuild(stage, ["keyword_rank"]);
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

test("loads an answer that was landed and not loaded without asking for it again", async () => {
  await using stage = await openStage();
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

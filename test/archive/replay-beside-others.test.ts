import pg from "pg";
import { describe, expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import { replay } from "../../src/archive/replay.ts";
import { datasetNamed } from "../../src/datasets/shared/all.ts";
import { createDimensions } from "../../src/load/dimensions.ts";
import { createPartitions } from "../../src/load/partitions.ts";
import type { Database } from "../../src/postgres/database.ts";
import { pruneRaw } from "../../src/raw/prune.ts";
import { callText, openStage, today, until, type Stage } from "../support/ingest-stage.ts";
import { temporaryFolder } from "../support/folder.ts";
import { forTests } from "../support/for-tests.ts";
import { holdWrites, type HeldWrites } from "../support/hold-writes.ts";
import { must } from "../support/must.ts";
import { exportFrom, importInto } from "../support/raw-stage.ts";
import { openSynced } from "../support/synced-stage.ts";
import { everything, rebuild } from "../support/replay-stage.ts";

const market = { apps: 1, countries: ["US"], keywordsPerApp: 4 };

/** Locks every row of a table, so that a replay waits when it clears them. */
async function lockRows(stage: Stage, table: string) {
  const client = new pg.Client({ connectionString: stage.databaseUrl });
  client.on("error", () => undefined);
  await client.connect();
  await client.query("begin");
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  await client.query(`select from ${table} for update`);
  const waits = "select from pg_stat_activity where $1 = any (pg_blocking_pids(pid))";
  return {
    isAwaited: async () => (await stage.query(waits, [rows[0]?.pid ?? 0])).length > 0,
    release: () => client.query("rollback"),
    [Symbol.asyncDispose]: () => client.end(),
  };
}

/** A slice, and whether its answer is stored. */
type Loading = { readonly state: string; readonly code: string | null; readonly isStored: boolean };

/** The slices of a dataset that were requested on a day. */
function slicesOf(stage: Stage, dataset: string, day: string): Promise<readonly Loading[]> {
  return stage.query<Loading>(
    `select state, error_code as code, exists (select from raw.answer as a where a.slice_id = s.slice_id) as "isStored"
     from   ops.slice as s where dataset = $1 and as_of = $2 and state <> 'lost'`,
    [dataset, day],
  );
}

/** True for a slice whose stored answer is loaded after a replay. */
function isGivenBack({ code, isStored }: Loading): boolean {
  return code === "being_replayed" && isStored;
}

/** True if a session of the database waits for an advisory lock. */
async function isLockAwaited(stage: Stage): Promise<boolean> {
  const waiting = await stage.query(
    `select from pg_locks where locktype = 'advisory' and not granted
     and    database = (select oid from pg_database where datname = current_database())`,
  );
  return waiting.length > 0;
}

test("a prune waits for a replay that has cleared rows and not read their answers yet, and no row is lost", async () => {
  await using stage = await openSynced({ market });
  const before = await everything(stage);
  await using app = await stage.open();
  await using held = await lockRows(stage, "core.fact_keyword_rank");
  const replaying = rebuild(stage, ["keyword_rank"], { within: { start: addDays(today, -1) } });
  await until(held.isAwaited);
  let isPruned = false;
  const pruning = pruneRaw(app.warehouse.db, Date.UTC(2100, 0)).finally(() => (isPruned = true));
  await until(async () => isPruned || (await isLockAwaited(stage)));
  await held.release();
  expect(await replaying).toMatchObject([{ slices: expect.any(Number), invalid: 0 }]);
  expect(await everything(stage)).toEqual(before);
  expect((await pruning).answers).toBeGreaterThan(0);
  await expect(rebuild(stage, ["keyword_rank"])).rejects.toMatchObject({ code: "answer_pruned" });
});

test("leaves the rows of an answer that is deleted by hand before it is read", async () => {
  await using stage = await openSynced({ market });
  const before = await everything(stage);
  await using app = await stage.open();
  const { db } = app.warehouse;
  const deleting: Database = {
    ...db,
    run: async (text, values) => {
      if (text.includes("from   raw.answer as a")) await stage.query("delete from raw.answer");
      return db.run(text, values);
    },
  };
  const parts = { db: deleting, clock: app.clock, dimensions: createDimensions(db), partitions: createPartitions(db) };
  const replaying = replay(parts, datasetNamed("keyword_rank"), { within: {}, keepPruned: false });
  await expect(replaying).rejects.toMatchObject({ code: "answer_pruned" });
  expect(await everything(stage)).toEqual(before);
});

test("answers of other datasets are loaded while one is rebuilt, whose answers are stored, and loaded when that is over", async () => {
  const next = addDays(today, 1);
  await using stage = await openStage({ market: { apps: 2, countries: ["US"], keywordsPerApp: 4 } });
  await stage.sync();
  stage.sandbox.set({ today: next });
  const before = stage.requested().length;
  const attempts = async () => {
    const [row] = await stage.query<{ most: number }>("select max(attempt) as most from ops.slice");
    return row?.most ?? 0;
  };
  // slow enough for all commits of the process to go one after the other
  const run = {
    request: { today: next },
    settings: { api: { requests_per_second: 80 }, datasets: { keyword_metadata: { on: true } } },
  };
  const stop = new AbortController();
  const both: Promise<unknown>[] = [];
  {
    await using held = await holdWrites(stage, "core.fact_keyword_rank", "insert");
    both.push(rebuild(stage, ["keyword_rank"]));
    await until(async () => (await held.waiting()).length > 0);
    const stopped = stage.sync({ ...run, stop: stop.signal });
    await until(async () => {
      const others = await slicesOf(stage, "keyword_metadata", next);
      return others.length > 0 && others.every(({ state }) => state === "loaded");
    });
    await until(async () => (await slicesOf(stage, "keyword_rank", next)).every(isGivenBack));
    // a stop does not wait for the replay
    stop.abort();
    expect(await stopped).toMatchObject({ outcome: "interrupted" });
    const ended = await attempts();
    both.push(stage.sync(run));
    await until(async () => (await attempts()) > ended);
  }
  expect((await Promise.all(both))[1]).toMatchObject({ outcome: "loaded", progress: { open: 0, failed: 0 } });
  const calls = stage.requested().slice(before).map(callText);
  expect(new Set(calls).size).toBe(calls.length);
  const after = await everything(stage);
  await rebuild(stage, ["keyword_rank"]);
  expect(await everything(stage)).toEqual(after);
});

describe("an answer that is loaded while the rows of its dataset are rebuilt", () => {
  const lists = ["tracked_app", "tracked_country", "tracked_keyword"];
  const next = addDays(today, 1);
  const stage = forTests(() => openStage({ market }));
  let left: { app: string; keyword: string };

  const isCurrent = async () => {
    const [row] = await stage.query(
      `select is_current, valid_to::text from core.tracked_keyword join core.dim_app using (app_key) join core.dim_keyword using (keyword_key)
       where  track_id = $1 and keyword = $2`,
      [left.app, left.keyword],
    );
    return row;
  };

  /**
   * Loads while a replay has cleared the rows and not rebuilt them yet, until that waits, and replays all once more.
   */
  async function besideReplay(
    load: () => Promise<unknown>,
    waits: (held: HeldWrites) => Promise<boolean> = async (held) => (await held.waitingBehind()).length > 0,
  ): Promise<void> {
    const both: Promise<unknown>[] = [];
    {
      await using held = await holdWrites(stage, "core.tracked_keyword", "insert");
      both.push(rebuild(stage, ["tracked_keyword"]));
      await until(async () => (await held.waiting()).length > 0);
      both.push(load());
      await until(() => waits(held));
    }
    const [replayed] = await Promise.all(both);
    expect(replayed).toMatchObject([{ invalid: 0 }]);
    const after = await everything(stage);
    await rebuild(stage, lists);
    expect(await everything(stage)).toEqual(after);
  }

  test("closes a member that left, though the replay restores it from older answers", async () => {
    await stage.sync({ request: { datasets: lists } });
    const tracked = await stage.query<typeof left>(
      `select track_id as app, keyword from core.tracked_keyword join core.dim_app using (app_key) join core.dim_keyword using (keyword_key)
       where  store = 'ios' order by keyword limit 1`,
    );
    left = must(tracked[0]);
    const { url, token } = stage.sandbox;
    await fetch(`${url}/gateway/account/app/${left.app}/keywords/US?token=${token}`, {
      method: "DELETE",
      headers: { "content-type": "application/json" },
      body: JSON.stringify([left.keyword]),
    });
    stage.sandbox.set({ today: next });
    await besideReplay(
      () => stage.sync({ request: { datasets: lists, today: next } }),
      async () => (await slicesOf(stage, "tracked_keyword", next)).some(isGivenBack),
    );
    expect(await isCurrent()).toEqual({ is_current: false, valid_to: next });
  });

  test("closes it also if it comes from a file", async () => {
    using folder = temporaryFolder();
    await exportFrom(stage, folder.path, { datasets: ["tracked_keyword"] });
    const ofNext = "dataset = 'tracked_keyword' and as_of = $1";
    await stage.query(`delete from raw.answer where slice_id in (select slice_id from ops.slice where ${ofNext})`, [
      next,
    ]);
    await stage.query(`delete from ops.slice where ${ofNext}`, [next]);
    await rebuild(stage, ["tracked_keyword"]);
    expect(await isCurrent()).toEqual({ is_current: true, valid_to: null });
    await besideReplay(() => importInto(stage, [folder.path]));
    expect(await isCurrent()).toEqual({ is_current: false, valid_to: next });
  });
});

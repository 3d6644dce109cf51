import pg from "pg";
import { expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import { replay } from "../../src/archive/replay.ts";
import { datasetNamed } from "../../src/datasets/shared/all.ts";
import { createDimensions } from "../../src/load/dimensions.ts";
import { createPartitions } from "../../src/load/partitions.ts";
import type { Database } from "../../src/postgres/database.ts";
import { pruneRaw } from "../../src/raw/prune.ts";
import { openStage, today, until, type Stage } from "../support/ingest-stage.ts";
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

/** True if a session of the database waits for an advisory lock. */
async function isLockAwaited(stage: Stage): Promise<boolean> {
  const waiting = await stage.query(
    `select from pg_locks where locktype = 'advisory' and not granted
     and    database = (select oid from pg_database where datname = current_database())`,
  );
  return waiting.length > 0;
}

test("a prune waits for a replay that has cleared rows and not read their answers yet, and no row is lost", async () => {
  await using stage = await openStage({ market });
  await stage.sync();
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
  await using stage = await openStage({ market });
  await stage.sync();
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

import pg from "pg";
import { beforeAll, expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import { openWithPortfolio } from "../support/backfill-stage.ts";
import { openStage, today, until, callText, type Stage } from "../support/ingest-stage.ts";
import { factsOf, statesOf } from "../support/ingest-tables.ts";
import { calmRun, torn, type Calm } from "../support/ingest-witness.ts";

const market = { apps: 2, countries: ["US"] };

/** The tables after a run that nothing disturbed. */
let calm: Calm["facts"];

beforeAll(async () => {
  calm = (await calmRun({ market })).facts;
});

test("records no slice as loaded whose rows a broken table did not take, and loads it once that is mended", async () => {
  await using stage = await openWithPortfolio({ market });
  await stage.query("alter table core.fact_keyword_rank rename column observed_at to seen_at");
  const result = await stage.sync();
  expect(result).toMatchObject({ outcome: "failed", progress: { failed: result.progress.total } });
  expect(await stage.query("select from core.fact_keyword_rank")).toEqual([]);
  expect(
    await stage.query("select distinct state, error_code, rows_loaded from ops.slice where dataset = 'keyword_rank'"),
  ).toEqual([{ state: "failed", error_code: "unexpected", rows_loaded: 0 }]);
  await stage.query("alter table core.fact_keyword_rank rename column seen_at to observed_at");
  expect(await stage.retry()).toMatchObject({ outcome: "loaded" });
  expect(await torn(stage)).toEqual([]);
  expect(await factsOf(stage)).toEqual(calm);
});

test("leaves neither rows nor outcome when the connection is cut in the middle of a load, and loads without another request", async () => {
  await using stage = await openStage({ market });
  await stage.sync({ request: { bounds: { start: addDays(today, -2) } } });
  await using holder = await lockedRow(stage);
  const running = stage.sync();
  const blocked = () =>
    stage.query<{ pid: number }>("select pid from pg_stat_activity where $1 = any (pg_blocking_pids(pid))", [
      holder.pid,
    ]);
  await until(async () => (await blocked()).length > 0);
  // in the middle of its load: the slice is locked, rows may be written, nothing is to be seen
  expect(await torn(stage)).toEqual([]);
  for (const { pid } of await blocked()) await stage.query("select pg_terminate_backend($1)", [pid]);
  await until(async () => (await blocked()).length > 0);
  expect(await torn(stage)).toEqual([]);
  await holder.release();
  expect(await running).toMatchObject({ outcome: "loaded", progress: { failed: 0 } });
  expect(await torn(stage)).toEqual([]);
  expect(await factsOf(stage)).toEqual(calm);
  const callTexts = stage.requested().map(callText);
  expect(callTexts.length).toBe(new Set(callTexts).size);
  expect(Object.keys(await statesOf(stage))).toEqual(["loaded"]);
});

/** Another session that keeps every keyword's row to itself, so that loads have to wait for it. */
async function lockedRow(stage: Stage): Promise<{ pid: number; release: () => Promise<void> } & AsyncDisposable> {
  const client = new pg.Client({ connectionString: stage.databaseUrl });
  client.on("error", () => undefined);
  await client.connect();
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  await client.query("begin");
  await client.query("lock table core.fact_keyword_rank in exclusive mode");
  let held = true;
  const release = async () => {
    if (held) await client.query("rollback");
    held = false;
  };
  return { pid: rows[0]?.pid ?? 0, release, [Symbol.asyncDispose]: () => client.end() };
}

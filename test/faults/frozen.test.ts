import { beforeAll, expect, test } from "vitest";
import { reconcile } from "../../src/ledger/reconcile.ts";
import type { Intervals } from "../../src/runs/heartbeat.ts";
import { besideWorker } from "../support/beside-worker.ts";
import { startDoomed } from "../support/ingest-child.ts";
import { gateAfter, openStage, until, type Stage } from "../support/ingest-stage.ts";
import { statesOf } from "../support/ingest-tables.ts";
import { calmRun, expectCalm, torn, type Calm } from "../support/ingest-witness.ts";
import { long } from "../support/long.ts";

const concurrency = 2;
const settings = { api: { concurrency } };
const market = { apps: 2, countries: ["US"] };
/** A tenth and less of the usual, so that a test need not wait for a minute. */
const intervals: Intervals = { beatMs: 200, deadAfterMs: 3_000, firstCheckMs: 100, longestCheckMs: 400 };
const variables = { TEST_INTERVALS: JSON.stringify(intervals), LOG_LEVEL: "warn" };

let calm: Calm;

beforeAll(async () => {
  calm = await calmRun({ market });
});

async function allIsLoaded(stage: Stage): Promise<boolean> {
  const states = await statesOf(stage);
  const [row] = await stage.query<{ count: number }>("select count(*)::int as count from core.fact_keyword_rank");
  return (
    row?.count === calm.facts["core.fact_keyword_rank"]?.length &&
    Object.keys(states).every((state) => state === "loaded")
  );
}

const entriesOf = (stage: Stage, pid: number | undefined) =>
  stage.query<{ stopped: boolean }>(
    "select stopped_at is not null as stopped from ops.worker where pid = $1 order by worker_id",
    [pid],
  );

/** The other worker has found that one is gone, and freed the credits that it held. */
async function isTakenOver(stage: Stage, pid: number | undefined): Promise<boolean> {
  if ((await entriesOf(stage, pid))[0]?.stopped !== true) return false;
  const holds = await stage.query(
    "select from ops.credit_hold as h join ops.worker as w using (worker_id) where w.stopped_at is not null",
  );
  return holds.length === 0;
}

// two workers of which one is killed are in tests of their own every day
test.runIf(long)(
  "another worker takes over from one that is killed, at no attempt, and requests again no more than was under way",
  async () => {
    const gate = gateAfter(9);
    await using stage = await openStage({ market, clock: gate.clock, latencyMs: gate.latencyMs });
    await using child = startDoomed(stage, "worker", { settings, variables });
    await until(() => gate.held() === concurrency);
    child.process.kill("SIGKILL");
    await besideWorker(stage, { settings, intervals }, async () => {
      await until(() => isTakenOver(stage, child.process.pid));
      gate.open();
      await until(() => allIsLoaded(stage));
    });
    expect(await torn(stage)).toEqual([]);
    expect(await stage.query("select from ops.slice where failures > 0")).toEqual([]);
    await expectCalm(stage, calm, concurrency);
  },
);

test("another worker takes over from one that is frozen; where that wakes up beside it, it commits nothing over it, sends nothing new and re-registers", async () => {
  const gate = gateAfter(9);
  await using stage = await openStage({ market, clock: gate.clock, latencyMs: gate.latencyMs });
  await using child = startDoomed(stage, "worker", { settings, variables });
  await until(() => gate.held() === concurrency);
  child.process.kill("SIGSTOP");
  await besideWorker(stage, { settings, intervals }, async () => {
    await until(() => isTakenOver(stage, child.process.pid));
    // the successor has requested the same by now, and neither has its answer
    await until(() => gate.held() > concurrency);
    child.process.kill("SIGCONT");
    gate.open();
    await until(() => allIsLoaded(stage));
  });
  await until(async () => (await entriesOf(stage, child.process.pid)).some(({ stopped }) => !stopped));
  child.process.kill("SIGTERM");
  expect(await child.ended).toBe(0);
  expect(child.output().stderr).toMatch(/worker\.re_registered/);
  expect(await torn(stage)).toEqual([]);
  expect(await stage.query("select from ops.slice where failures > 0")).toEqual([]);
  await expectCalm(stage, calm, concurrency);
});

// what a worker takes over is shown above, and of a sync that is gone in tests of the runs
test("a sync that was frozen for too long says so when it wakes up, and the next one has what it left", async () => {
  const gate = gateAfter(9);
  await using stage = await openStage({ market, clock: gate.clock, latencyMs: gate.latencyMs });
  await using child = startDoomed(stage, "sync", { settings, variables });
  await until(() => gate.held() === concurrency);
  child.process.kill("SIGSTOP");
  await using app = await stage.open({ settings });
  await until(async () => {
    await reconcile(app.warehouse.db, { deadAfterMs: intervals.deadAfterMs });
    return (await entriesOf(stage, child.process.pid))[0]?.stopped === true;
  });
  child.process.kill("SIGCONT");
  expect(await child.ended).toBe(2);
  gate.open();
  expect(await stage.sync({ settings })).toMatchObject({ outcome: "loaded" });
  await expectCalm(stage, calm, concurrency);
});

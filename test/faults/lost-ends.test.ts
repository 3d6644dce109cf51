import { expect, test } from "vitest";
import { createLog } from "../../src/core/log.ts";
import { systemClock } from "../../src/core/clock.ts";
import { runWorker } from "../support/agreed-worker.ts";
import { besideWorker } from "../support/beside-worker.ts";
import { gateAfter, openStage, until, type Stage } from "../support/ingest-stage.ts";
import { statesOf } from "../support/ingest-tables.ts";

/** Longer than the time between two comparisons. */
const laterMs = 150_000;

/** Leaves the newest loaded slice as a failover does that loses its end: running, in the name of the worker that has ended it. */
async function loseEnd(stage: Stage): Promise<string> {
  const [lost] = await stage.query<{ id: string }>(`
    update ops.slice set state = 'running', ended_at = null, rows_loaded = 0, answer_digest = null
    where  slice_id = (select max(slice_id) from ops.slice where state = 'loaded')
    returning slice_id as id`);
  await stage.query("delete from raw.answer where slice_id = $1", [lost?.id]);
  return lost?.id ?? "";
}

const attemptsOf = (stage: Stage) =>
  stage.query<{ id: string; attempt: number; state: string }>(
    "select slice_id as id, attempt, state from ops.slice order by slice_id",
  );

test("a worker requests again what runs under its number and not in it, as after a failover that lost its last transactions, and leaves alone calls that take longer than it waits between two comparisons", async () => {
  const gate = gateAfter(4);
  await using stage = await openStage({ market: { apps: 1, countries: ["US"] }, ...gate });
  const lines: string[] = [];
  let ahead = 0;
  await using app = await stage.open();
  await besideWorker(
    stage,
    {
      clock: { ...app.clock, now: () => app.clock.now() + ahead },
      log: createLog({ level: "warn", secrets: [], to: { write: (line: string) => lines.push(line) } }),
    },
    async () => {
      await until(() => gate.held() > 0);
      await until(async () => ((await statesOf(stage))["loaded"] ?? 0) > 0);
      const lost = await loseEnd(stage);
      ahead = laterMs;
      await until(async () => (await attemptsOf(stage)).some(({ id, attempt }) => id === lost && attempt === 2));
      expect(gate.held()).toBeGreaterThan(0);
      gate.open();
      await until(async () => Object.keys(await statesOf(stage)).join() === "loaded");
      expect((await attemptsOf(stage)).filter(({ attempt }) => attempt > 1)).toEqual([
        { id: lost, attempt: 2, state: "loaded" },
      ]);
    },
  );
  const found = lines.map((line) => JSON.parse(line) as { msg: string; slices?: number });
  expect(found.filter(({ msg }) => msg.startsWith("queue."))).toMatchObject([{ msg: "queue.ends_lost", slices: 1 }]);
});

test("an attempt of which the end is noted after its slice was claimed again does not end the second one", async () => {
  const [answers, reply] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let [isHeld, ahead, comparisons] = [false, 0, 0];
  await using stage = await openStage({
    market: { apps: 1, countries: ["US"] },
    faults: [{ operation: "dashboard.apps", times: 1, kind: "status", status: 500 }],
    latencyMs: 1,
    clock: { ...systemClock(), sleep: () => (isHeld ? answers.promise : Promise.resolve()) },
  });
  await using opened = await stage.open();
  const { clock, warehouse } = opened;
  const run: typeof warehouse.db.run = async (text, values) => {
    const result = await warehouse.db.run(text, values);
    if (text.includes("not slice_id = any")) comparisons += 1;
    if (isHeld || !text.includes("state = e.state, error_code")) return result;
    // the first end is written, and this process does not know it yet
    isHeld = true;
    await reply.promise;
    return result;
  };
  const app = {
    ...opened,
    clock: { ...clock, now: () => clock.now() + ahead },
    warehouse: { ...warehouse, db: { ...warehouse.db, run } },
  };
  const stop = new AbortController();
  const running = runWorker(app, stop.signal);
  const again = async () => (await attemptsOf(stage)).filter(({ attempt }) => attempt > 1);
  await until(async () => (await again()).length > 0);
  reply.resolve();
  for (const later of [1, 2]) {
    const before = comparisons;
    ahead = later * laterMs;
    await until(() => comparisons > before);
  }
  expect(await again()).toMatchObject([{ attempt: 2, state: "running" }]);
  answers.resolve();
  await until(async () => Object.keys(await statesOf(stage)).join() === "loaded");
  expect(await again()).toMatchObject([{ attempt: 2, state: "loaded" }]);
  stop.abort();
  expect(await running).toBeNull();
});

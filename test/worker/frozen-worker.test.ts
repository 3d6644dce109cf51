import { expect, test } from "vitest";
import { reconcile } from "../../src/ledger/reconcile.ts";
import type { Intervals } from "../../src/runs/heartbeat.ts";
import { startDoomed, type Child } from "../support/ingest-child.ts";
import { openStage, until, type Stage } from "../support/ingest-stage.ts";
import { statesOf } from "../support/ingest-tables.ts";
import { long } from "../support/long.ts";

/** A tenth and less of the usual, so that a test need not wait for a minute. */
const intervals: Intervals = { beatMs: 200, deadAfterMs: 1_000, firstCheckMs: 100, longestCheckMs: 400 };
const variables = { TEST_INTERVALS: JSON.stringify(intervals), LOG_LEVEL: "info" };
const outages = long ? [1, 2] : [1];
const away = { kind: "status", status: 503, times: 1_000_000 } as const;

function said(child: Child, event: string): number {
  return child.output().stderr.split(`"msg":"${event}"`).length - 1;
}

const entries = (stage: Stage) =>
  stage.query<{ ended: string | null }>("select ended_as as ended from ops.worker order by worker_id");

/** Freezes the worker until another process has declared it dead, then wakes it. */
async function freeze(stage: Stage, child: Child): Promise<void> {
  await using app = await stage.open();
  const before = (await entries(stage)).length;
  child.process.kill("SIGSTOP");
  await until(async () => {
    await reconcile(app.warehouse.db, { deadAfterMs: intervals.deadAfterMs });
    return (await entries(stage))[before - 1]?.ended === "died";
  });
  child.process.kill("SIGCONT");
  await until(async () => (await entries(stage)).length > before);
}

test("a worker that is frozen while the API is unavailable registers again, in the long run each of two times, and loads everything once the API is back", async () => {
  await using stage = await openStage({ faults: [away], market: { apps: 1, countries: ["US"], keywordsPerApp: 2 } });
  await using child = startDoomed(stage, "worker", { variables });
  for (const outage of outages) {
    await until(() => said(child, "api.unavailable") === outage);
    await freeze(stage, child);
  }
  stage.sandbox.set({ faults: [] });
  await until(async () => {
    const states = Object.keys(await statesOf(stage));
    return said(child, "worker.started") > 0 && states.length === 1 && states[0] === "loaded";
  });
  child.process.kill("SIGTERM");
  expect(await child.ended).toBe(0);
  const ended = (await entries(stage)).map((entry) => entry.ended);
  // where the machine is busy, it may be taken for dead once more than it was frozen
  const deaths = ended.slice(0, -1);
  expect(deaths.length).toBeGreaterThanOrEqual(outages.length);
  expect([new Set(deaths), ended.at(-1)]).toEqual([new Set(["died"]), "stopped"]);
  expect([said(child, "worker.re_registered"), said(child, "worker.session_failed")]).toEqual([deaths.length, 0]);
});

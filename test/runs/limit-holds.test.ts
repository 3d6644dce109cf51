import { expect, test } from "vitest";
import { openIngest } from "../../src/open-ingest.ts";
import { createRunLimit } from "../../src/credits/run-limit.ts";
import { scheduled } from "../../src/planner/scheduled-datasets.ts";
import { planDue } from "../../src/runs/scheduled-run.ts";
import { addDays } from "../../src/core/day.ts";
import { today } from "../support/ingest-stage.ts";
import { openWithPortfolio } from "../support/backfill-stage.ts";
import { statesOf } from "../support/ingest-tables.ts";

test("what a run with --max-credits could not pay for is not done by workers unless it is due, and is not kept from being planned", async () => {
  await using stage = await openWithPortfolio({ market: { apps: 1, countries: ["US"], keywordsPerApp: 4 } });
  // paid for and spoilt: the plan fitted the limit, what is requested again does not
  stage.sandbox.set({ faults: [{ operation: "ios.keyword-ranking", times: 2, kind: "half" }] });
  const limited = await stage.sync({ maxCredits: 12 });
  // what is cancelled waits for nothing
  expect(limited).toMatchObject({ outcome: "deferred", progress: { deferred: 0 } });
  expect(limited.leftOut).toBeGreaterThan(0);
  expect(await statesOf(stage)).not.toHaveProperty("deferred");

  const trigger = async (on: boolean) => {
    await using app = await stage.open({ settings: { datasets: { keyword_rank: { on, history_days: 4 } } } });
    await using ingest = await openIngest(app, "worker", createRunLimit(null));
    await planDue(ingest.parts, app.config.settings, scheduled([], app.config.settings));
    const { deferred = 0, pending = 0 } = await statesOf(stage);
    return { deferred, pending };
  };
  expect(await trigger(false)).toEqual({ deferred: 0, pending: 0 });
  expect((await trigger(true)).pending).toBeGreaterThan(0);
  expect(await stage.sync()).toMatchObject({ outcome: "loaded" });
});

test("what a run with --max-credits left is not made good by a sync of some days", async () => {
  await using stage = await openWithPortfolio({ market: { apps: 1, countries: ["US"], keywordsPerApp: 4 } });
  const unfinished = () => stage.query("select ended_as from ops.unfinished_sync");
  expect(await stage.sync({ maxCredits: 4 })).toMatchObject({ outcome: "deferred" });
  const yesterday = { start: addDays(today, -1), end: today };
  expect(await stage.sync({ request: { bounds: yesterday } })).toMatchObject({ outcome: "loaded" });
  expect(await unfinished()).toEqual([{ ended_as: "limited" }]);
  expect(await stage.sync()).toMatchObject({ outcome: "loaded" });
  expect(await unfinished()).toEqual([]);
});

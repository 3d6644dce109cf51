import { expect, test } from "vitest";
import { readStatus } from "../../src/ledger/status.ts";
import { openFollowed, planned, runPlanned, standingOf } from "../support/backfill-stage.ts";

test("what failed and was loaded by another plan since is a failure no more", async () => {
  await using stage = await openFollowed();
  const first = await planned(stage);
  const broken = ["ios.keyword-ranking", "ios.keyword-history"].map((operation) => ({
    operation,
    times: 1_000,
    kind: "status" as const,
    status: 418,
  }));
  stage.sandbox.set({ faults: broken });
  expect(await runPlanned(stage, first.planId)).toMatchObject({ outcome: "failed" });
  expect((await standingOf(stage, first.planId)).failed).toBeGreaterThan(0);
  expect((await stage.sync()).left.failedBefore).toBeGreaterThan(0);
  stage.sandbox.set({ faults: [] });
  const again = await planned(stage, { reprocess: "failed" });
  expect(await runPlanned(stage, again.planId)).toMatchObject({ outcome: "loaded" });
  expect(await standingOf(stage, first.planId)).toMatchObject({ failed: 0 });
  expect(await stage.sync()).toMatchObject({ outcome: "loaded", left: { failedBefore: 0 } });
  stage.sandbox.clearLog();
  expect(await stage.retry()).toMatchObject({ outcome: "loaded", progress: { total: 0 } });
  expect(stage.asked()).toEqual([]);
  await using app = await stage.open();
  const status = await readStatus(app.warehouse.db);
  expect(status.datasets.filter(({ failed }) => failed > 0)).toEqual([]);
  expect(status.troubles.filter(({ state }) => state === "failed")).toEqual([]);
});

import { expect, test } from "vitest";
import { readStatus } from "../../src/ledger/status.ts";
import { addDays } from "../../src/core/day.ts";
import { today } from "../support/ingest-stage.ts";
import { runCommand } from "../support/command.ts";
import { openWithPortfolio, planned, runPlanned, progressOf } from "../support/backfill-stage.ts";

const market = { apps: 1, countries: ["US"], keywordsPerApp: 3 } as const;

test("what failed and was loaded by another plan since is a failure no more", async () => {
  await using stage = await openWithPortfolio({ market });
  const first = await planned(stage);
  const broken = ["ios.keyword-ranking", "ios.keyword-history"].map((operation) => ({
    operation,
    times: 1_000,
    kind: "status" as const,
    status: 418,
  }));
  stage.sandbox.set({ faults: broken });
  expect(await runPlanned(stage, first.planId)).toMatchObject({ outcome: "failed" });
  expect((await progressOf(stage, first.planId)).failed).toBeGreaterThan(0);
  expect((await stage.sync()).left.failedBefore).toBeGreaterThan(0);
  stage.sandbox.set({ faults: [] });
  const again = await planned(stage, { reprocess: "failed" });
  expect(await runPlanned(stage, again.planId)).toMatchObject({ outcome: "loaded" });
  expect(await progressOf(stage, first.planId)).toMatchObject({ failed: 0 });
  expect(await stage.sync()).toMatchObject({ outcome: "loaded", left: { failedBefore: 0 } });
  stage.sandbox.clearLog();
  expect(await stage.retry()).toMatchObject({ outcome: "loaded", progress: { total: 0 } });
  expect(stage.requested()).toEqual([]);
  await using app = await stage.open();
  const status = await readStatus(app.warehouse.db);
  expect(status.datasets.filter(({ failed }) => failed > 0)).toEqual([]);
  expect(status.troubles.filter(({ state }) => state === "failed")).toEqual([]);
});

test("a retry of named slices ends as they do, even where others failed before; one of everything does not", async () => {
  await using stage = await openWithPortfolio({ market });
  const failing = (days: readonly number[]) =>
    days.map((ago) => ({
      operation: "ios.keyword-ranking",
      contains: addDays(today, -ago),
      times: 1_000,
      kind: "status" as const,
      status: 418,
    }));
  stage.sandbox.set({ faults: failing([1, 2]) });
  await stage.sync();
  const failed = await stage.query<{ slice_id: string }>("select slice_id from ops.failed_slice order by window_start");
  expect(failed).toHaveLength(2);
  stage.sandbox.set({ faults: failing([1]) });
  const which = { slices: failed.slice(0, 1).map(({ slice_id: id }) => id) };
  expect(await stage.retry({ which })).toMatchObject({ outcome: "loaded", progress: { total: 1, failed: 0 } });
  expect(await stage.retry()).toMatchObject({ outcome: "failed", progress: { total: 1, failed: 1 } });
});

test("what was skipped and nothing else is neither all that was requested nor a dataset that is loaded", async () => {
  await using stage = await openWithPortfolio({ market: { ...market, keywordsPerApp: 12 } });
  // of a keyword with a comma
  stage.sandbox.set({ faults: [{ operation: "ios.keyword-history", times: 1_000, kind: "status", status: 404 }] });
  const { planId } = await planned(stage);
  await runPlanned(stage, planId);
  await stage.query("delete from ops.slice where state <> 'skipped'");
  expect(await runCommand(stage, ["retry"])).toMatchObject({
    code: 0,
    stdout: "Nothing to retry; no credits spent.\n",
  });
  const { stdout } = await runCommand(stage, ["status"]);
  expect(stdout.split("\n")[0]).toBe("Needs attention: no requested data is available.");
});

import { expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import { openStage, today } from "../support/ingest-stage.ts";

test("a snapshot that failed on two days of its week is requested once by a retry", async () => {
  await using stage = await openStage({ today: addDays(today, 1), market: { apps: 1, countries: ["US"] } });
  const settings = { datasets: { keyword_spot: { on: true }, keyword_rank: { on: false } } };
  const on = (days: number) => ({ settings, request: { today: addDays(today, days) } });
  stage.sandbox.set({ faults: [{ operation: "dashboard.keyword-spot", times: 1_000, kind: "status", status: 418 }] });
  await stage.sync(on(0));
  await stage.sync(on(1));
  expect(await stage.query("select from ops.failed_slice")).toHaveLength(2);
  stage.sandbox.set({ faults: [] });
  stage.sandbox.clearLog();
  expect(await stage.retry(on(1))).toMatchObject({ outcome: "loaded", progress: { total: 1 } });
  expect(stage.asked()).toHaveLength(1);
  expect(await stage.query("select from ops.failed_slice")).toEqual([]);
});

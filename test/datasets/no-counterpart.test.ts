import { expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import { openStage, today } from "../support/ingest-stage.ts";
import { long } from "../support/long.ts";

test("an App Match of 200 without a body says that there is no counterpart, and is requested once", async () => {
  await using stage = await openStage({ market: { apps: 2, countries: ["US"], keywordsPerApp: 2 } });
  stage.sandbox.set({
    faults: [{ operation: "market.app-match", times: 99, kind: "status", status: 200, body: "", charge: true }],
  });
  const run = (days: number) => ({
    settings: { datasets: { app_match: { on: true } } },
    request: { datasets: ["app_match"], today: addDays(today, days) },
  });
  expect(await stage.sync(run(0))).toMatchObject({ outcome: "loaded" });
  const requested = stage.requested().filter(({ operation }) => operation === "market.app-match");
  expect(requested.map(({ status }) => status)).toEqual([200, 200]);
  const slices = () =>
    stage.query("select state, error_code, count(*)::int from ops.slice where dataset = 'app_match' group by 1, 2");
  expect(await slices()).toEqual([{ state: "empty", error_code: null, count: 2 }]);
  expect(await stage.query("select from ops.reject")).toEqual([]);
  for (const days of long ? [1, 7, 40] : [40]) await stage.sync(run(days));
  expect(await slices()).toEqual([{ state: "empty", error_code: null, count: 2 }]);
});

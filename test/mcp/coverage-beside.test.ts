import { afterAll, beforeAll, expect, test } from "vitest";
import type { App } from "../../src/app.ts";
import { addDays } from "../../src/core/day.ts";
import { readCoverageBeside } from "../../src/mcp/coverage-beside.ts";
import { openStage, today, type RunOptions, type Stage } from "../support/ingest-stage.ts";

const run: RunOptions = {
  settings: { datasets: { app_rating: { on: true }, visibility: { on: true, history_days: 4 } } },
};
let stage: Stage;
let app: App;

beforeAll(async () => {
  stage = await openStage({ market: { apps: 2, countries: ["US"], keywordsPerApp: 4, organicKeywords: 4 } });
  await stage.sync(run);
  app = await stage.open(run);
});
afterAll(async () => {
  await app?.[Symbol.asyncDispose]();
  await stage?.[Symbol.asyncDispose]();
});

test("the days of an app that is named are complete also of datasets that request several apps together", async () => {
  const [own] = await stage.query<{ id: string }>(
    "select min(track_id) as id from core.fact_app_rating join core.dim_app using (app_key)",
  );
  const coverageOf = (dataset: string, apps: readonly string[], start = addDays(today, -1)) =>
    readCoverageBeside(app.warehouse.db, {
      datasets: [dataset],
      window: { start, end: addDays(start, 1) },
      guessed: null,
      named: { apps, countries: [] },
      settings: app.config.settings,
      today,
    });
  const named = [own?.id ?? ""];
  expect(await coverageOf("app_rating", named, today)).toMatchObject({ is_complete: true });
  expect(await coverageOf("visibility", named)).toMatchObject({ is_complete: true });
  expect(await coverageOf("keyword_rank", named)).toMatchObject({ is_complete: true });
  await stage.query("update ops.slice set state = 'failed' where dataset in ('visibility', 'keyword_rank')");
  expect(await coverageOf("visibility", named)).toMatchObject({ is_complete: false });
  expect(await coverageOf("keyword_rank", named)).toMatchObject({ is_complete: false });
});

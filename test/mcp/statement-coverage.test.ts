import { afterAll, beforeAll, expect, test } from "vitest";
import type { App } from "../../src/app.ts";
import { addDays, type Day } from "../../src/core/day.ts";
import { readStatementCoverage } from "../../src/mcp/statement-coverage.ts";
import { readRelationDatasets } from "../../src/planner/relation-datasets.ts";
import { openStage, today, type RunOptions, type Stage } from "../support/ingest-stage.ts";

const run: RunOptions = {
  settings: {
    datasets: {
      app_rating: { on: true },
      visibility: { on: true, history_days: 4 },
      app_match: { on: true },
      search_ads_integration: { on: true },
      search_ads_report: { on: true, history_days: 6, lookback_days: 5, options: { levels: ["CAMPAIGN"] } },
    },
  },
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

const coverageIn = (dataset: string, apps: readonly string[], days: readonly [Day, Day]) =>
  coverageOfAll([dataset], apps, days);

const coverageOfAll = (datasets: readonly string[], apps: readonly string[], [start, end]: readonly [Day, Day]) =>
  readStatementCoverage(app.warehouse.db, {
    datasets,
    window: { start, end },
    guessed: null,
    isCut: false,
    named: { apps, countries: [] },
    settings: app.config.settings,
    today,
  });

test.each(["mart.visibility_daily", "mart.search_ads_daily_default"])(
  "days of %s before the first night are complete with their history alone",
  async (mart) => {
    const datasets = (await readRelationDatasets(app.warehouse.db)).get(mart) ?? [];
    const { is_complete, says } = await coverageOfAll(datasets, [], [addDays(today, -4), addDays(today, -1)]);
    expect({ is_complete, says }).toEqual({
      is_complete: true,
      says: "Every cell of these days has its answer: a missing row means that there is none.",
    });
  },
);

test("days in which one app has a list that is not of each day, and another has none, are not complete", async () => {
  const days = [addDays(today, -3), today] as const;
  const moved = (back: number, where: string) =>
    stage.query(`
      update ops.slice set window_start = date '${today}' - ${back}, window_end = date '${today}' - ${back - 1}
      where  dataset = 'app_match' and ${where}`);
  await moved(2, "true");
  expect(await coverageIn("app_match", [], days)).toMatchObject({ is_complete: true });
  await moved(30, "slice_id = (select max(slice_id) from ops.slice where dataset = 'app_match')");
  const { is_complete, says, datasets } = await coverageIn("app_match", [], days);
  expect(is_complete).toBe(false);
  expect(says).toMatch(/^Days are missing for app_match: a missing row is unknown, not zero\./);
  expect(datasets[0]?.days_without_cells).toEqual({ from: days[0], to: addDays(today, -1) });
});

test("the days of an app that is named are complete also of datasets that request several apps together", async () => {
  const [own] = await stage.query<{ id: string }>(
    "select min(track_id) as id from core.fact_app_rating join core.dim_app using (app_key)",
  );
  const coverageOf = (dataset: string, apps: readonly string[], start = addDays(today, -1)) =>
    coverageIn(dataset, apps, [start, addDays(start, 1)]);
  const named = [own?.id ?? ""];
  expect(await coverageOf("app_rating", named, today)).toMatchObject({ is_complete: true });
  expect(await coverageOf("visibility", named)).toMatchObject({ is_complete: true });
  expect(await coverageOf("keyword_rank", named)).toMatchObject({ is_complete: true });
  await stage.query(
    "update ops.slice set state = 'failed' where dataset = 'visibility' and scope ->> 'store' = 'android'",
  );
  expect(await coverageOf("visibility", named)).toMatchObject({ is_complete: true });
  expect(await coverageOf("visibility", [])).toMatchObject({ is_complete: false });
  await stage.query("update ops.slice set state = 'failed' where dataset in ('visibility', 'keyword_rank')");
  expect(await coverageOf("visibility", named)).toMatchObject({ is_complete: false });
  expect(await coverageOf("keyword_rank", named)).toMatchObject({ is_complete: false });
});

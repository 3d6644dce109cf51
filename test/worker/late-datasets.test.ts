import { writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { App } from "../../src/app.ts";
import type { Environment } from "../../src/config/env.ts";
import { addDays, day, dayMs } from "../../src/core/day.ts";
import { periodOf } from "../../src/core/period.ts";
import { onceDays } from "../../src/core/timing.ts";
import { datasets } from "../../src/datasets/shared/all.ts";
import { freshnessLimit } from "../../src/incidents/lateness.ts";
import { lineOf } from "../../src/planner/record-settings.ts";
import { readLateDatasets } from "../../src/worker/late-datasets.ts";
import { temporaryFolder } from "../support/folder.ts";
import { clockAt } from "../support/watch-stage.ts";
import { openStage, today, type SettingsInput, type Stage } from "../support/ingest-stage.ts";

let stage: Stage;
let app: App;
beforeAll(async () => {
  stage = await openStage();
  app = await stage.open();
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await stage[Symbol.asyncDispose]();
});

/** The last night and a missed one. */
const marginMs = 30 * 3_600_000;

/** A day on which days that wait for each other are complete: packs are counted from here. */
const packStart = day("2007-01-01");

test("a dataset is late a night and a day after its next day is due by `ops.freshness`", async () => {
  const timings = datasets.filter(({ timing }) => timing.kind !== "snapshot" || timing.refreshDays < onceDays);
  expect(timings.length).toBeGreaterThan(20);
  for (const { name, timing } of timings) {
    const pack = timing.kind === "series" ? (timing.packDays ?? 1) : 1;
    // of periods one of the longest month
    const newest =
      timing.kind === "period"
        ? periodOf(timing.grid, day("2026-07-10"))
        : { start: addDays(packStart, 256 * pack - 1), end: addDays(packStart, 256 * pack) };
    const lateFrom = (freshnessLimit(timing) ?? 0) - marginMs;
    const isDueAfter = async (days: number) => {
      const [row] = await stage.query<{ due: boolean }>(
        `select ops.due_end(jsonb_populate_record(null::ops.dataset_timing, $1), $2, $3, $4) > $3::date as due`,
        [JSON.stringify(lineOf(name, null, timing, {})), newest.start, newest.end, addDays(newest.end, days)],
      );
      return row?.due;
    };
    expect([name, await isDueAfter(lateFrom / dayMs - 1), await isDueAfter(lateFrom / dayMs)]).toEqual([
      name,
      false,
      true,
    ]);
  }
});

test("pages find late what a worker's checks find: by the settings, the crontab and the timings of now", async () => {
  const end = Date.parse(today);
  const late = (hours: number, chosen: SettingsInput["datasets"] = {}, environment: Partial<Environment> = {}) =>
    readLateDatasets(
      app.warehouse.db,
      [
        { dataset: "keyword_rank", lastDay: addDays(today, -1) },
        { dataset: "app_match", lastDay: "2020-01-01" },
        { dataset: "review", lastDay: null },
        { dataset: "ad_badge", lastDay: "2020-01-01" },
      ],
      {
        config: stage.config({ settings: { datasets: chosen }, environment }),
        clock: clockAt(end + hours * 3_600_000),
      },
    );
  expect(await late(54)).toEqual([]);
  expect(await late(55)).toEqual(["keyword_rank"]);
  expect(await late(55, { keyword_rank: { fresh_hours: 100 } })).toEqual([]);
  expect(await late(55, { keyword_rank: { settle_days: 2 } })).toEqual([]);
  expect(await late(55, { keyword_rank: { on: false } })).toEqual([]);
  // no worker starts with a crontab that cannot be read, and so its datasets become late
  const unreadable = { STOREHOUSE_CRONTAB: "/nowhere/crontab" };
  expect(await late(54, {}, unreadable)).toEqual([]);
  expect(await late(55, {}, unreadable)).toEqual(["keyword_rank"]);
  // a sync of cron loads what no line of the crontab runs; what is off and was run once by name is nobody's to load
  using folder = temporaryFolder();
  const crontab = path.join(folder.path, "crontab");
  await writeFile(crontab, '15 * * * * plan_due ?id=hourly&jobKey=plan_hourly {"datasets":["tracked_app"]}\n');
  expect(await late(55, {}, { STOREHOUSE_CRONTAB: crontab })).toEqual(["keyword_rank"]);
});

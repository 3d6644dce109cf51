import { sql } from "../../src/postgres/sql.ts";
import { readCompleteDays } from "../../src/ledger/complete-days.ts";
import { addDays, day } from "../../src/core/day.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openMartStage, type MartStage } from "../support/mart-stage.ts";

let mart: MartStage;
beforeAll(async () => (mart = await openMartStage()));
afterAll(() => mart[Symbol.asyncDispose]());

const today = "2026-08-20";

/** Slices of one dataset whose items are apps: country, list, day, state; in the order in which they were planned. */
const slices: readonly (readonly [string | null, readonly string[], string, string])[] = [
  // an app of two lists: the newer one failed, and of the other app nothing did
  ["KR", ["1", "2"], "2026-08-19", "loaded"],
  ["KR", ["1"], today, "failed"],
  // another list has answered since
  ["SE", ["1"], today, "failed"],
  ["SE", ["1", "2"], today, "loaded"],
  // two slices of a list and one of another wait
  ["FR", ["1", "2"], "2026-08-19", "running"],
  ["FR", ["1", "2"], today, "pending"],
  ["FR", ["1"], today, "deferred"],
  // the newest says that nothing is due of one of them
  ["GB", ["1", "2"], "2026-08-17", "loaded"],
  ["GB", ["1"], today, "skipped"],
  // the items name countries, or there is no list
  [null, ["DE:1", "JP:1"], "2026-08-19", "empty"],
  ["ES", [], "2026-08-18", "loaded"],
];

test("an app of several lists is as fresh as they are together", async () => {
  for (const row of [
    `ops.dataset (dataset, stage, is_on, items_are_apps) values ('app_rating', 'market', true, true)`,
    "ops.dataset_timing (dataset, scope, is_default, kind, refresh_days) values ('app_rating', 'null', true, 'snapshot', 1)",
  ])
    await mart.ask(`insert into ${row}`);
  for (const [country, items, on, state] of slices)
    await mart.slice({
      dataset: "app_rating",
      scope: { store: "ios", ...(country === null ? {} : { country }) },
      days: [on, addDays(day(on), 1)],
      asOf: on,
      class: "snapshot",
      state,
      items: items.length === 0 ? undefined : items,
    });
  expect(
    await mart.ask(
      `select country_code, track_id, newest_day, freshness_state, last_loaded_at::date, open_count from ops.freshness order by country_code, track_id`,
      today,
    ),
  ).toEqual([
    "DE | 1 | 2026-08-19 | nothing due | 2026-08-19 | 0",
    "ES | - | 2026-08-18 | stopped | 2026-08-18 | 0",
    "FR | 1 | - | late | - | 3",
    "FR | 2 | - | late | - | 2",
    "GB | 1 | 2026-08-17 | nothing due | 2026-08-17 | 0",
    "GB | 2 | 2026-08-17 | stopped | 2026-08-17 | 0",
    "JP | 1 | 2026-08-19 | nothing due | 2026-08-19 | 0",
    "KR | 1 | 2026-08-19 | late | 2026-08-19 | 0",
    "KR | 2 | 2026-08-19 | on time | 2026-08-19 | 0",
    "SE | 1 | 2026-08-20 | on time | 2026-08-20 | 0",
    "SE | 2 | 2026-08-20 | on time | 2026-08-20 | 0",
  ]);
});

/** A place in a chart, but whose and of which day. */
const place = {
  country_key: "US",
  device_key: "IPHONE",
  category_code: "36",
  chart: "FREE",
  ranked_at: "2026-08-18T00:00:00",
  resolution: "last_day",
  rank: 3,
};

test("charts that are requested without a day are as new as their rows, and fresh by the day of the request", async () => {
  const scope = { store: "ios", app: "5", device: "IPHONE", resolution: "last_day" };
  for (const row of [
    "ops.dataset (dataset, stage, is_on) values ('category_rank', 'market', true)",
    "ops.dataset_timing (dataset, scope, is_default, kind, settle_days, lookback_days) values ('category_rank', 'null', true, 'series', 1, 0)",
    `ops.dataset_timing (dataset, scope, is_default, kind, refresh_days) values ('category_rank', '${JSON.stringify(scope)}', false, 'snapshot', 1)`,
  ])
    await mart.ask(`insert into ${row}`);
  await mart.fill("core.fact_category_rank", [{ ...place, app_key: "ios:5", date_day: "2026-08-18" }]);
  await mart.slice({
    dataset: "category_rank",
    scope,
    days: [today, addDays(day(today), 1)],
    asOf: today,
    class: "snapshot",
    state: "loaded",
  });
  expect(
    await mart.ask(
      "select country_code, newest_day, due_day, days_behind, freshness_state from mart.data_freshness where dataset = 'category_rank'",
      today,
    ),
  ).toEqual(["- | 2026-08-18 | - | - | on time"]);
});

test("an app that is in no chart of all countries any more keeps no other from being complete", async () => {
  const scope = { store: "ios", app: "8", device: "IPHONE", resolution: "last_day" };
  await mart.ask(
    `insert into ops.dataset_timing (dataset, scope, is_default, kind, refresh_days) values ('category_rank', '${JSON.stringify(scope)}', false, 'snapshot', 1)`,
  );
  for (const [on, state] of [
    ["2026-07-01", "loaded"],
    [today, "empty"],
  ] as const)
    await mart.slice({
      dataset: "category_rank",
      scope,
      days: [on, addDays(day(on), 1)],
      asOf: on,
      class: "snapshot",
      state,
    });
  const completeTo = () =>
    mart.db.transaction().execute(async (transaction) => {
      await sql`select set_config('storehouse.today', ${today}, true)`.execute(transaction);
      const all = await readCompleteDays(transaction);
      return all.filter(({ dataset }) => dataset === "category_rank").map((one) => [one.completeTo, one.places]);
    });
  // as after retention, which has dropped its rows
  expect(await completeTo()).toEqual([["2026-08-18", 2]]);
  await mart.fill("core.fact_category_rank", [{ ...place, app_key: "ios:8", date_day: "2026-07-01" }]);
  expect(await completeTo()).toEqual([["2026-08-18", 2]]);
});

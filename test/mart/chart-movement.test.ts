import { beforeAll, expect, test } from "vitest";
import { openMartStage } from "../support/mart-stage.ts";
import { forTests } from "../support/for-tests.ts";

const mart = forTests(openMartStage);

const chart = (date_day: string, apps: readonly string[], more: object = {}) =>
  apps.map((app_key, index) => ({
    app_key,
    date_day,
    country_key: "US",
    device_key: "IPHONE",
    category_code: "6007",
    chart: "FREE",
    chart_version: "v1",
    rank: index + 1,
    category_name: "Productivity",
    ...more,
  }));

beforeAll(async () => {
  await mart.fill("core.fact_top_chart", [
    ...chart("2026-08-01", ["ios:1", "ios:2", "ios:3"]),
    // the 2nd was not loaded
    ...chart("2026-08-03", ["ios:3", "ios:2", "ios:4"]),
    // another chart has lists of its own
    ...chart("2026-08-03", ["ios:1"], { chart: "PAID" }),
  ]);
  await mart.fill("core.tracked_app", [{ app_key: "ios:1", valid_from: "2026-08-01", is_current: true }]);
  const card = { country_key: "US", category_code: "36" };
  await mart.fill("core.fact_featuring", [
    {
      app_key: "ios:1",
      date_day: "2026-08-01",
      ...card,
      card_number: 1,
      title: "Apps we love",
      position: 3,
      listed_count: 12,
    },
    { app_key: "ios:1", date_day: "2026-08-01", ...card, card_number: 2, title: "Today", label: "APP OF THE DAY" },
  ]);
  await mart.name({ "ios:1": "Ours", "ios:2": "Second", "ios:3": "Third" });
});

test("who entered, left and moved in a chart is reported against the list before, and a first list moves nobody", async () => {
  expect(
    await mart.ask(`
      select chart, date_day, previous_day, app_name, is_portfolio_app, chart_rank, previous_chart_rank, places_gained, movement
      from   mart.chart_movement_daily order by 1, 2, chart_rank, 4`),
  ).toEqual([
    "FREE | 2026-08-01 | - | Ours | true | 1 | - | - | first list",
    "FREE | 2026-08-01 | - | Second | false | 2 | - | - | first list",
    "FREE | 2026-08-01 | - | Third | false | 3 | - | - | first list",
    "FREE | 2026-08-03 | 2026-08-01 | Third | false | 1 | 3 | 2 | gained",
    "FREE | 2026-08-03 | 2026-08-01 | Second | false | 2 | 2 | 0 | same",
    "FREE | 2026-08-03 | 2026-08-01 | 4 | false | 3 | - | - | entered",
    "FREE | 2026-08-03 | 2026-08-01 | Ours | true | - | 1 | - | left",
    "PAID | 2026-08-03 | - | Ours | true | 1 | - | - | first list",
  ]);
});

test("an empty list is one: of the day all have left, and those of the next one entered", async () => {
  await mart.fill("core.fact_top_chart", [
    ...chart("2026-08-01", ["ios:1", "ios:2"], { chart: "GROSSING" }),
    ...chart("2026-08-04", ["ios:2"], { chart: "GROSSING" }),
    // of another device there was a list
    ...chart("2026-08-01", ["ios:1"], { chart: "GROSSING", device_key: "IPAD" }),
    ...chart("2026-08-04", ["ios:1"], { chart: "GROSSING", device_key: "IPAD" }),
  ]);
  await mart.ask(`
    with run as (insert into ops.run (kind, as_of, datasets, started_at) values ('sync', '2026-08-08', '{}', '2026-08-08Z') returning run_id)
    insert into ops.slice (dataset, operation, scope, window_start, window_end, as_of, fingerprint, class, state, planned_requests, planned_credits, run_id, created_at)
    select 'top_chart', 'o', jsonb_build_object('store', 'ios', 'country', 'US', 'chart', s.chart, 'device', s.device, 'category_code', '6007', 'chart_version', 'v1'),
           s.first_day, s.end_day, s.end_day, '', 'daily', s.state, 1, 10, run_id, s.end_day
    from   run, (values
      -- one slice of two days, as folded ones are
      ('GROSSING', 'IPHONE', date '2026-08-02', date '2026-08-04', 'empty'),
      -- once empty and loaded later
      ('GROSSING', 'IPHONE', '2026-08-04', '2026-08-05', 'empty'),
      ('GROSSING', 'IPAD', '2026-08-03', '2026-08-04', 'failed'),
      -- of a chart that never had an app
      ('PAID', 'IPAD', '2026-08-03', '2026-08-04', 'empty')) as s (chart, device, first_day, end_day, state)`);
  expect(
    await mart.ask(`
      select device_code, date_day, previous_day, app_name, category_name, chart_rank, previous_chart_rank, movement
      from   mart.chart_movement_daily where chart = 'GROSSING' order by 1 desc, 2, chart_rank, 4`),
  ).toEqual([
    "IPHONE | 2026-08-01 | - | Ours | Productivity | 1 | - | first list",
    "IPHONE | 2026-08-01 | - | Second | Productivity | 2 | - | first list",
    "IPHONE | 2026-08-02 | 2026-08-01 | Ours | Productivity | - | 1 | left",
    "IPHONE | 2026-08-02 | 2026-08-01 | Second | Productivity | - | 2 | left",
    "IPHONE | 2026-08-04 | 2026-08-03 | Second | Productivity | 1 | - | entered",
    "IPAD | 2026-08-01 | - | Ours | Productivity | 1 | - | first list",
    "IPAD | 2026-08-04 | 2026-08-01 | Ours | Productivity | 1 | 1 | same",
  ]);
});

test("cards on which the store featured an app are rows with names", async () => {
  expect(
    await mart.ask(`
      select app_name, country_name, category_code, date_day, card_number, label, title, card_rank, listed_app_count from mart.featuring_daily order by card_number`),
  ).toEqual([
    "Ours | United States | 36 | 2026-08-01 | 1 | - | Apps we love | 3 | 12",
    "Ours | United States | 36 | 2026-08-01 | 2 | APP OF THE DAY | Today | - | -",
  ]);
});

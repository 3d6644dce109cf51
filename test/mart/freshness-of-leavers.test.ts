import { addDays, day } from "../../src/core/day.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openMartStage, type MartStage } from "../support/mart-stage.ts";

let mart: MartStage;
beforeAll(async () => (mart = await openMartStage()));
afterAll(() => mart[Symbol.asyncDispose]());

const today = "2026-08-20";
/** The day on which all was requested for the last time, and read from the account once more. */
const last = day("2026-08-12");

test("of an app, a country or a competitor that left the portfolio on the day of its last request nothing is due", async () => {
  for (const row of [
    `ops.dataset (dataset, stage, is_on, items_are_apps) values ('keyword_rank', 'market', true, false), ('visibility', 'market', true, true)`,
    "ops.dataset_timing (dataset, scope, is_default, kind, settle_days) values ('keyword_rank', 'null', true, 'series', 1), ('visibility', 'null', true, 'series', 1)",
  ])
    await mart.ask(`insert into ${row}`);
  const slice = (dataset: string, scope: object, items?: readonly string[]) =>
    mart.slice({ dataset, scope: { store: "ios", ...scope }, days: [addDays(last, -1), last], items });
  for (const [app, country] of ["1 US", "1 JP", "2 US", "3 US", "4 US", "4 JP"].map((place) => place.split(" ")))
    await slice("keyword_rank", { app, country });
  await slice("visibility", { kind: "history" }, ["US:7", "US:8", "US:9", "JP:9"]);
  const left = { valid_from: "2026-07-01", valid_to: last, is_current: false };
  const stays = { valid_from: "2026-07-01", is_current: true };
  await mart.fill("core.tracked_app", [
    { app_key: "ios:1", ...stays },
    { app_key: "ios:2", ...left },
    { app_key: "ios:3", ...left },
    { app_key: "ios:7", ...left, valid_to: "2026-07-20" },
  ]);
  await mart.fill("core.tracked_country", [
    // another number of keywords, and none
    { app_key: "ios:1", country_key: "US", keyword_count: 4, ...left },
    { app_key: "ios:1", country_key: "US", keyword_count: 5, ...stays, valid_from: last },
    { app_key: "ios:1", country_key: "JP", keyword_count: 4, ...left },
  ]);
  await mart.fill("core.tracked_competitor", [
    // once an app of the account
    { app_key: "ios:1", competitor_app_key: "ios:7", ...left },
    { app_key: "ios:1", competitor_app_key: "ios:8", ...left },
    { app_key: "ios:1", competitor_app_key: "ios:9", ...stays },
  ]);
  // the configuration keeps the third app, and has the fourth in one country only
  await mart.ask(`
    insert into core.configured_portfolio (store, track_id, part, member, valid_from, valid_to)
    values ('ios', '3', 'app', '', '2026-07-01', null), ('ios', '4', 'app', '', '2026-07-01', null), ('ios', '4', 'country', 'US', '2026-07-01', null),
           ('ios', '4', 'country', 'JP', '2026-07-01', '${last}')`);
  const states = () =>
    mart.ask(
      "select dataset, track_id, country_code, due_day, freshness_state from ops.freshness order by 1, 2, 3",
      today,
    );
  expect(await states()).toEqual([
    "keyword_rank | 1 | JP | - | nothing due",
    "keyword_rank | 1 | US | 2026-08-19 | stopped",
    "keyword_rank | 2 | US | - | nothing due",
    "keyword_rank | 3 | US | 2026-08-19 | stopped",
    "keyword_rank | 4 | JP | - | nothing due",
    "keyword_rank | 4 | US | 2026-08-19 | stopped",
    "visibility | 7 | US | - | nothing due",
    "visibility | 8 | US | - | nothing due",
    // in a country that its app has left
    "visibility | 9 | JP | - | nothing due",
    "visibility | 9 | US | 2026-08-19 | stopped",
  ]);
  await mart.ask(`update core.configured_portfolio set valid_to = '${last}' where track_id = '4'`);
  expect((await states())[5]).toBe("keyword_rank | 4 | US | - | nothing due");
});

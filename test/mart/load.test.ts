import { addDays, day } from "../../src/core/day.ts";
import { beforeAll, describe, expect, test } from "vitest";
import { readCompleteDays } from "../../src/ledger/complete-days.ts";
import { sql } from "../../src/postgres/sql.ts";
import { openMartStage } from "../support/mart-stage.ts";
import { forTests } from "../support/for-tests.ts";

const mart = forTests(openMartStage);

/** A slice: dataset, scope, first day, days, state, the day on which it was planned, and the items of its list. */
type Planned = readonly [string, object, string, number, string, string, (readonly string[])?];

const app = (id: string, more: object = {}) => ({ store: "ios", app: id, country: "US", ...more });
const today = "2026-08-20";

const slices: readonly Planned[] = [
  // due today: the 19th
  ["keyword_rank", app("1"), "2026-08-01", 19, "loaded", today],
  ["keyword_rank", app("2"), "2026-08-01", 18, "loaded", "2026-08-19"],
  ["keyword_rank", app("3"), "2026-08-01", 18, "loaded", "2026-08-19"],
  ["keyword_rank", app("3"), "2026-08-19", 1, "deferred", today],
  ["keyword_rank", app("4"), "2026-08-01", 10, "loaded", "2026-08-11"],
  ["keyword_rank", app("5"), "2026-08-19", 1, "failed", today],
  // the account dropped app 6 on the 12th, and app 7 as well, which the configuration kept
  ["keyword_rank", app("6"), "2026-08-01", 10, "loaded", "2026-08-11"],
  ["keyword_rank", app("7"), "2026-08-01", 10, "loaded", "2026-08-13"],
  // two lists of keywords: one of the due day failed; one failed and was answered since
  ["keyword_rank", app("8"), "2026-08-19", 1, "loaded", today, ["habit"]],
  ["keyword_rank", app("8"), "2026-08-19", 1, "failed", today, ["plan"]],
  ["keyword_rank", app("9"), "2026-08-19", 1, "failed", today, ["habit", "plan"]],
  ["keyword_rank", app("9"), "2026-08-19", 1, "loaded", today, ["habit", "plan"]],
  ["keyword_metadata", { store: "ios", country: "US" }, "2026-08-18", 1, "loaded", "2026-08-19", ["habit", "plan"]],
  ["keyword_metadata", { store: "ios", country: "US" }, "2026-08-19", 1, "loaded", today, ["habit"]],
  ["keyword_metadata", { store: "ios", country: "US" }, "2026-08-19", 1, "failed", today, ["plan"]],
  // options changed: another scope, and the old one ends for good
  ["category_rank", app("1", { resolution: "hourly" }), "2026-07-01", 5, "loaded", "2026-07-06"],
  ["category_rank", app("1", { resolution: "daily" }), "2026-08-10", 7, "loaded", "2026-08-17"],
  // seven days at once: those up to Sunday, 16 August, are due, and scopes may have a timing of their own
  ["category_rank", app("2"), "2026-08-03", 7, "loaded", "2026-08-10"],
  ["category_rank", app("8"), "2026-08-01", 13, "loaded", "2026-08-14"],
  // older days: one waits, one was never requested, one is lost; one failed and was loaded before, one failed longer ago than anything reads
  ["visibility_score", app("1"), "2026-08-01", 9, "loaded", "2026-08-10"],
  ["visibility_score", app("1"), "2026-08-10", 1, "deferred", "2026-08-11"],
  ["visibility_score", app("1"), "2026-08-11", 9, "loaded", today],
  ["visibility_score", app("2"), "2026-06-01", 1, "failed", "2026-06-02"],
  ["visibility_score", app("2"), "2026-07-01", 50, "loaded", today],
  ["app_estimate", app("1"), "2026-08-01", 5, "loaded", "2026-08-06"],
  ["app_estimate", app("1"), "2026-08-08", 12, "loaded", today],
  ["chart_place", app("1"), "2026-08-17", 1, "loaded", "2026-08-17"],
  ["chart_place", app("1"), "2026-08-19", 1, "loaded", "2026-08-19"],
  ["chart_place", app("1"), "2026-08-18", 1, "lost", "2026-08-18"],
  ["chart_place", app("1"), "2026-08-20", 1, "loaded", today],
  ["app_note", app("1"), "2026-08-01", 19, "loaded", "2026-08-19"],
  ["app_note", app("1"), "2026-08-15", 4, "deferred", today],
  // a week is a period of its own, a month as well
  ["ad_creative", app("1"), "2026-07-06", 30, "loaded", "2026-08-05"],
  ["search_ads_top_app", { org_id: "7" }, "2026-06-01", 30, "loaded", "2026-07-02"],
  ["app_match", app("1"), "2026-01-01", 1, "loaded", "2026-01-01"],
  ["app_history", app("1"), "2026-08-14", 1, "loaded", "2026-08-14"],
  ["app_history", app("2"), "2026-08-12", 1, "loaded", "2026-08-12"],
  ["sales_metric", { store: "ios", app: "1" }, "2026-08-01", 10, "empty", "2026-08-11"],
  ["sales_metric", { store: "ios", app: "2" }, "2026-08-01", 18, "empty", "2026-08-19"],
  ["sales_metric", { store: "ios", app: "4" }, "2026-08-01", 17, "empty", "2026-08-18"],
  ["retention", { store: "ios", app: "1" }, "2026-08-01", 10, "skipped", "2026-08-11"],
  // one device is unavailable, the other one fails
  ["retention", { store: "ios", app: "2", device: "IPAD" }, "2026-08-01", 19, "skipped", today],
  ["retention", { store: "ios", app: "2", device: "IPHONE" }, "2026-08-01", 10, "loaded", "2026-08-11"],
  ["retention", { store: "ios", app: "2", device: "IPHONE" }, "2026-08-19", 1, "failed", today],
  ["top_chart", { store: "ios", country: "US" }, "2026-08-01", 1, "loaded", "2026-08-02"],
  ["visibility", { store: "ios", kind: "history" }, "2026-08-19", 1, "loaded", today, ["JP:1", "US:1"]],
  ["visibility", { store: "ios", kind: "history" }, "2026-08-18", 1, "loaded", "2026-08-19", ["US:2"]],
  ["app_rating", { store: "ios", country: "US" }, "2026-08-17", 1, "loaded", "2026-08-17", ["1", "2"]],
  ["app_rating", { store: "ios", country: "US" }, "2026-08-20", 1, "loaded", today, ["1"]],
  ["app_rating", { store: "ios", country: "JP" }, "2026-08-20", 1, "failed", today, ["1", "2"]],
  ["app_rating", { store: "ios", country: "JP" }, "2026-08-20", 1, "loaded", today, ["1"]],
  ["tracked_app", {}, "2026-08-20", 1, "loaded", today],
];

const series = (dataset: string, more = "") => `('${dataset}', 'null', true, 'series', 1, ${more || "null"}, null), `;
const snapshot = (dataset: string, days: number) => `('${dataset}', 'null', true, 'snapshot', null, null, ${days}), `;

beforeAll(async () => {
  await mart.name({ "ios:1": "Ours" });
  await mart.ask(`
    insert into ops.dataset (dataset, stage, is_on, items_are_apps)
    select d, 'market', d <> 'top_chart', d in ('visibility', 'app_rating')
    from   unnest('{keyword_rank,category_rank,ad_creative,search_ads_top_app,app_match,app_history,sales_metric,retention,top_chart,visibility,app_rating,tracked_app,visibility_score,app_estimate,chart_place,app_note}'::text[]) as d`);
  await mart.ask(`
    insert into ops.dataset_timing (dataset, scope, is_default, kind, settle_days, pack_days, refresh_days)
    values ${series("keyword_rank")} ${series("keyword_metadata")} ${series("sales_metric")} ${series("retention")} ${series("visibility")} ${series("top_chart")}
           ${series("category_rank", "7")} ${snapshot("app_match", 3660)} ${snapshot("app_history", 7)} ${snapshot("app_rating", 1)} ${snapshot("tracked_app", 1)}
           ${series("visibility_score")} ${snapshot("chart_place", 1)} ${series("app_note")}
           ('app_estimate', '${JSON.stringify(app("1"))}', false, 'series', 1, null, null),
           ('category_rank', '${JSON.stringify(app("8"))}', false, 'series', 7, null, null),
           ('ad_creative', 'null', true, 'period', 1, null, null), ('search_ads_top_app', 'null', true, 'period', 1, null, null)`);
  for (const [dataset, scope, start, count, state, planned, items] of slices)
    await mart.slice({ dataset, scope, days: [start, addDays(day(start), count)], asOf: planned, state, items });
  await mart.fill("core.tracked_app", [
    { app_key: "ios:6", valid_from: "2026-07-01", valid_to: "2026-08-12", is_current: false },
    { app_key: "ios:7", valid_from: "2026-07-01", valid_to: "2026-08-12", is_current: false },
  ]);
});

/** What the view says of a dataset as of a day, by app and country. */
function freshness(dataset: string, asOf = today) {
  return mart.ask(
    `select app_name, country_code, newest_day, due_day, days_behind, freshness_state from mart.data_freshness
     where  dataset = '${dataset}' order by track_id, country_code`,
    asOf,
  );
}

describe("how fresh an app is", () => {
  test("is measured against the day that is due, not against the newest day of another app", async () => {
    expect(await freshness("keyword_rank")).toEqual([
      "Ours | US | 2026-08-19 | 2026-08-19 | 0 | on time",
      // the run of today has not requested it yet
      "2 | US | 2026-08-18 | 2026-08-19 | 1 | on time",
      "3 | US | 2026-08-18 | 2026-08-19 | 1 | late",
      "4 | US | 2026-08-10 | 2026-08-19 | 9 | stopped",
      "5 | US | - | 2026-08-19 | - | late",
      // nothing was requested since the account dropped it
      "6 | US | 2026-08-10 | - | - | nothing due",
      "7 | US | 2026-08-10 | 2026-08-19 | 9 | stopped",
      "8 | US | 2026-08-19 | 2026-08-19 | 0 | late",
      "9 | US | 2026-08-19 | 2026-08-19 | 0 | on time",
    ]);
  });

  test("is complete through the day before one of which a list waits", async () => {
    const days = await mart.db.transaction().execute(async (transaction) => {
      await sql`select set_config('storehouse.today', ${today}, true)`.execute(transaction);
      return readCompleteDays(transaction);
    });
    expect(days.find(({ dataset }) => dataset === "keyword_metadata")).toMatchObject({
      completeTo: "2026-08-18",
      behind: 1,
    });
  });

  test("is complete through the day before a gap, of the last month, that waits, was never requested or is lost; not where the day was loaded before", async () => {
    const at = await mart.db.transaction().execute(async (transaction) => {
      await sql`select set_config('storehouse.today', ${today}, true)`.execute(transaction);
      // the history that a sync requests: without one no day is missing
      await sql`update ops.dataset_timing set history_days = 30 where dataset = 'app_estimate'`.execute(transaction);
      return readCompleteDays(transaction);
    });
    const named = (name: string) => at.find(({ dataset }) => dataset === name);
    expect(named("visibility_score")).toMatchObject({ completeTo: "2026-08-09", newestPastGap: "2026-08-19" });
    expect(named("app_estimate")).toMatchObject({ completeTo: "2026-08-05", newestPastGap: "2026-08-19" });
    expect(named("chart_place")).toMatchObject({ completeTo: "2026-08-17", newestPastGap: "2026-08-20" });
    expect(named("app_note")).toMatchObject({ completeTo: "2026-08-19", newestPastGap: null });
  });

  test("is stopped everywhere once the warehouse stops", async () => {
    expect((await freshness("keyword_rank", "2026-08-30")).slice(0, 2)).toEqual([
      "Ours | US | 2026-08-19 | 2026-08-29 | 10 | stopped",
      "2 | US | 2026-08-18 | 2026-08-29 | 11 | stopped",
    ]);
  });

  test("goes by days that are requested together, by a timing of the scope's own, and by the scope that is requested now", async () => {
    expect(await freshness("category_rank")).toEqual([
      "Ours | US | 2026-08-16 | 2026-08-16 | 0 | on time",
      "2 | US | 2026-08-09 | 2026-08-16 | 7 | stopped",
      "8 | US | 2026-08-13 | 2026-08-13 | 0 | on time",
    ]);
  });

  test("goes by whole periods and months, by the refresh of a snapshot, and by nothing for what is fetched once or is off", async () => {
    expect(await freshness("ad_creative")).toEqual(["Ours | US | 2026-08-04 | 2026-08-04 | 0 | on time"]);
    expect(await freshness("ad_creative", "2026-09-05")).toEqual([
      "Ours | US | 2026-08-04 | 2026-09-03 | 30 | stopped",
    ]);
    expect(await freshness("search_ads_top_app")).toEqual(["- | - | 2026-06-30 | 2026-07-31 | 31 | stopped"]);
    expect(await freshness("app_match")).toEqual(["Ours | US | 2026-01-01 | - | - | nothing due"]);
    expect(await freshness("app_history")).toEqual([
      "Ours | US | 2026-08-14 | 2026-08-14 | 0 | on time",
      "2 | US | 2026-08-12 | 2026-08-14 | 2 | stopped",
    ]);
    expect(await freshness("top_chart")).toEqual(["- | US | 2026-08-01 | - | - | nothing due"]);
    expect(await freshness("tracked_app")).toEqual(["- | - | 2026-08-20 | 2026-08-20 | 0 | on time"]);
  });

  test("is nothing due where answers never have rows or are unavailable", async () => {
    expect(await freshness("sales_metric")).toEqual([
      // nobody requested it for days: rows may be there now
      "Ours | - | 2026-08-10 | 2026-08-19 | 9 | stopped",
      "2 | - | 2026-08-18 | 2026-08-19 | 1 | nothing due",
      "4 | - | 2026-08-17 | 2026-08-19 | 2 | stopped",
    ]);
    expect(await freshness("retention")).toEqual([
      "Ours | - | - | 2026-08-19 | - | nothing due",
      "2 | - | 2026-08-10 | 2026-08-19 | 9 | late",
    ]);
  });

  test("names each app and country of a call about many", async () => {
    expect(await freshness("visibility")).toEqual([
      "Ours | JP | 2026-08-19 | 2026-08-19 | 0 | on time",
      "Ours | US | 2026-08-19 | 2026-08-19 | 0 | on time",
      "2 | US | 2026-08-18 | 2026-08-19 | 1 | on time",
    ]);
    expect(await freshness("app_rating")).toEqual([
      "Ours | JP | 2026-08-20 | 2026-08-20 | 0 | on time",
      "Ours | US | 2026-08-20 | 2026-08-20 | 0 | on time",
      "2 | JP | - | 2026-08-20 | - | late",
      "2 | US | 2026-08-17 | 2026-08-20 | 3 | stopped",
    ]);
  });

  test("stays due for a dataset that is off while a line of the schedule names it", async () => {
    await mart.ask(`insert into ops.next_run values ('charts', '{top_chart}', '${today}Z', 1, 1, 1, '${today}Z')`);
    expect(await freshness("top_chart")).toEqual(["- | US | 2026-08-01 | 2026-08-19 | 18 | stopped"]);
  });
});

test("credits are reported by day in UTC, account, dataset, operation and class, and an imported answer is no request", async () => {
  await mart.ask(`
    insert into ops.request (account_id, attempt, page, dataset, class, operation, params, error_code, cost, duration_ms, byte_count, received_at)
    select r.account, 1, 0, r.dataset, r.class, 'o', '{}', r.code, r.cost, 1, 1, r.at::timestamptz
    from   (values ('a', 'keyword_rank', 'daily', null, 3, '2026-08-19 23:59:59Z'), ('a', 'keyword_rank', 'daily', 'server_error', 0, '2026-08-19 01:00:00Z'),
                   ('a', 'keyword_rank', 'daily', null, 3, '2026-08-20 00:00:00Z'), ('b', null, 'person', null, 1, '2026-08-20 00:00:00Z'),
                   ('import', 'keyword_rank', 'history', null, 0, '2026-08-20 00:00:00Z'), ('import', 'review', 'history', null, 0, '2026-07-20 00:00:00Z')) as r (account, dataset, class, code, cost, at)`);
  await mart.ask(
    "insert into ops.credit_account (account_id, account, pace_per_second, next_start_at) values ('b', 'acme', 1, '2026-08-20Z')",
  );
  expect(await mart.ask("select * from mart.credit_spend_daily order by date_day, dataset")).toEqual([
    "2026-08-19 |  | keyword_rank | o | daily | 2 | 1 | 3",
    "2026-08-20 | acme |  | o | person | 1 | 0 | 1",
    "2026-08-20 |  | keyword_rank | o | daily | 1 | 0 | 3",
  ]);
});

test("credits are reported by app and country, and come to the same sum", async () => {
  await mart.ask(`
    insert into ops.request (account_id, slice_id, attempt, page, dataset, class, operation, store, track_id, country_code, params, cost, duration_ms, byte_count, received_at)
    select 'a', s.slice_id, 1, 0, s.dataset, 'daily', 'o', s.scope ->> 'store', s.scope ->> 'app', s.scope ->> 'country', '{}', 5, 1, 1, '2026-08-21Z' from ops.slice as s
    where  s.dataset in ('keyword_rank', 'visibility') and s.scope ->> 'app' in ('1', '3') or s.dataset = 'tracked_app'`);
  expect(
    await mart.ask(`
      select date_day, app_name, country_code, dataset, request_count, credit_count from mart.credit_spend_by_app_daily
      where  date_day = '2026-08-21' order by 2 nulls last, 4`),
  ).toEqual([
    "2026-08-21 | 3 | US | keyword_rank | 2 | 10",
    "2026-08-21 | Ours | US | keyword_rank | 1 | 5",
    "2026-08-21 | - | - | tracked_app | 1 | 5",
  ]);
  const [byApp, byDay] = await Promise.all(
    ["credit_spend_by_app_daily", "credit_spend_daily"].map((view) =>
      mart.ask(`select sum(credit_count) as credits, sum(request_count) as requests from mart.${view}`),
    ),
  );
  expect(byApp).toEqual(byDay);
});

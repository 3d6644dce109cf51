import { beforeAll, expect, test } from "vitest";
import { openMartStage } from "../support/mart-stage.ts";
import { forTests } from "../support/for-tests.ts";

const mart = forTests(openMartStage);

type Cell = readonly [app: string, country: string, device: string, day: string, keyword: string, rank: number | null];
const ranks: readonly Cell[] = [
  ["ios:1", "US", "IPHONE", "2026-08-01", "plan", 9],
  ["ios:1", "US", "IPHONE", "2026-08-01", "habit", null],
  ["ios:1", "US", "IPHONE", "2026-08-01", "diary", 4],
  ["ios:1", "US", "IPHONE", "2026-08-01", "note", 4],
  ["ios:1", "US", "IPHONE", "2026-08-01", "memo", null],
  ["ios:1", "US", "IPHONE", "2026-08-01", "task", 1],
  ["ios:1", "US", "IPHONE", "2026-08-08", "plan", 2],
  ["ios:1", "US", "IPAD", "2026-08-08", "plan", 7],
  ["ios:1", "US", "IPHONE", "2026-08-08", "habit", 30],
  ["ios:1", "US", "IPHONE", "2026-08-08", "diary", null],
  ["ios:1", "US", "IPHONE", "2026-08-08", "note", 4],
  ["ios:1", "US", "IPHONE", "2026-08-08", "memo", null],
  ["ios:1", "US", "IPHONE", "2026-08-08", "task", 3],
  ["ios:1", "US", "IPHONE", "2026-08-08", "new", 5],
  // a country that is a day behind the other is reported as of its own newest day
  ["ios:1", "JP", "IPHONE", "2026-08-06", "plan", 3],
  ["ios:1", "JP", "IPHONE", "2026-08-07", "plan", 2],
  // 90 and 30 days before the newest day to the day, and one day off
  ["android:a", "US", "ALL", "2026-05-10", "plan", 40],
  ["android:a", "US", "ALL", "2026-05-11", "plan", 41],
  ["android:a", "US", "ALL", "2026-07-09", "plan", 12],
  ["android:a", "US", "ALL", "2026-07-10", "plan", 13],
  ["android:a", "US", "ALL", "2026-08-07", "plan", 1],
  ["android:a", "US", "ALL", "2026-08-08", "plan", null],
];

beforeAll(async () => {
  await mart.fill(
    "core.fact_keyword_rank",
    ranks.map(([app_key, country_key, device_key, date_day, keyword_key, rank]) => ({
      app_key,
      country_key,
      device_key,
      date_day,
      keyword_key,
      rank,
    })),
  );
  const tracked = (app_key: string, keyword_key: string, from: string, to: string | null) => ({
    app_key,
    country_key: "US",
    keyword_key,
    valid_from: from,
    valid_to: to,
    is_current: to === null,
  });
  await mart.fill("core.tracked_keyword", [
    tracked("ios:1", "plan", "2026-08-07", null),
    tracked("ios:1", "gone", "2026-08-01", "2026-08-03"),
    tracked("android:a", "plan", "2026-08-06", null),
  ]);
  await mart.name({ "ios:1": "Ours", "android:a": "Ours too" });
});

test("ranked, unranked and not requested differ; not requested begins with the tracking and ends with the newest day", async () => {
  const rows = await mart.ask(`
    select store, device_code, keyword, date_day, keyword_rank, is_ranked, ranking_state from mart.keyword_rank_daily
    where  date_day >= '2026-08-01' and country_code = 'US' and (keyword in ('plan', 'gone') or ranking_state <> 'ranked')
    order  by store, device_code, keyword, date_day`);
  expect(rows).toEqual([
    "android | ALL | plan | 2026-08-07 | 1 | true | ranked",
    "android | ALL | plan | 2026-08-08 | - | false | unranked",
    "ios | IPAD | plan | 2026-08-08 | 7 | true | ranked",
    "ios | IPHONE | diary | 2026-08-08 | - | false | unranked",
    "ios | IPHONE | habit | 2026-08-01 | - | false | unranked",
    "ios | IPHONE | memo | 2026-08-01 | - | false | unranked",
    "ios | IPHONE | memo | 2026-08-08 | - | false | unranked",
    "ios | IPHONE | plan | 2026-08-01 | 9 | true | ranked",
    "ios | IPHONE | plan | 2026-08-08 | 2 | true | ranked",
  ]);
  expect(
    await mart.ask(`
      select store, app_name, country_code, device_code, keyword, date_day from mart.keyword_not_requested_daily
      order  by store, device_code, keyword, date_day`),
  ).toEqual([
    "android | Ours too | US | ALL | plan | 2026-08-06",
    "ios | Ours | US | IPAD | gone | 2026-08-01",
    "ios | Ours | US | IPAD | gone | 2026-08-02",
    "ios | Ours | US | IPAD | plan | 2026-08-07",
    "ios | Ours | US | IPHONE | gone | 2026-08-01",
    "ios | Ours | US | IPHONE | gone | 2026-08-02",
    "ios | Ours | US | IPHONE | plan | 2026-08-07",
  ]);
});

/** Movers as `store | country | keyword | days back | from day to day | rank | rank before | places | movement`. */
const movers = (where: string) =>
  mart.ask(`
    select store, country_code, keyword, days_back, coalesce(previous_day::text, 'none') || ' to ' || date_day, keyword_rank, previous_rank, places_gained, movement
    from   mart.keyword_rank_movers where device_code <> 'IPAD' and ${where} order by store desc, country_code, keyword, days_back`);

test("what moved in a week is reported by kind, and a keyword that was not requested then is no newcomer", async () => {
  const week = (keyword: string, reported: string, from = "2026-08-01") =>
    `ios | US | ${keyword} | 7 | ${from} to 2026-08-08 | ${reported}`;
  expect(await movers("store = 'ios' and country_code = 'US' and days_back = 7")).toEqual([
    week("diary", "- | 4 | - | left"),
    week("habit", "30 | - | - | entered"),
    week("memo", "- | - | - | unranked"),
    week("new", "5 | - | - | not requested before", "none"),
    week("note", "4 | 4 | 0 | same"),
    week("plan", "2 | 9 | 7 | gained"),
    week("task", "3 | 1 | -2 | lost"),
  ]);
});

test("movers have the newest day of each country, over 1, 7, 30 and 90 days to the day", async () => {
  expect(await movers("keyword = 'plan' and (country_code = 'JP' or store = 'android')")).toEqual([
    "ios | JP | plan | 1 | 2026-08-06 to 2026-08-07 | 2 | 3 | 1 | gained",
    "ios | JP | plan | 7 | none to 2026-08-07 | 2 | - | - | not requested before",
    "ios | JP | plan | 30 | none to 2026-08-07 | 2 | - | - | not requested before",
    "ios | JP | plan | 90 | none to 2026-08-07 | 2 | - | - | not requested before",
    "android | US | plan | 1 | 2026-08-07 to 2026-08-08 | - | 1 | - | left",
    "android | US | plan | 7 | none to 2026-08-08 | - | - | - | not requested before",
    "android | US | plan | 30 | 2026-07-09 to 2026-08-08 | - | 12 | - | left",
    "android | US | plan | 90 | 2026-05-10 to 2026-08-08 | - | 40 | - | left",
  ]);
});

test("days of a month that is kept no longer are not shown as not requested", async () => {
  const notRequested = "select count(*) from mart.keyword_not_requested_daily";
  expect(await mart.ask(notRequested)).toEqual(["7"]);
  await mart.ask(`
    insert into ops.dropped_month (dataset, table_name, month_start, action, rows_gone, bytes_gone, dropped_by, dropped_at, is_done)
    values ('keyword_rank', 'core.fact_keyword_rank', '2026-08-01', 'drop', 1, 1, 'a', '2026-09-01Z', true)`);
  expect(await mart.ask(notRequested)).toEqual(["0"]);
});

test("keywords of a country or an app that the account tracks no more are missing on no day since", async () => {
  await using own = await openMartStage();
  const days = ["2026-08-01", "2026-08-02", "2026-08-03", "2026-08-04", "2026-08-05"];
  const rank = { country_key: "US", device_key: "IPHONE", rank: 1 };
  const since = (valid_from: string, valid_to: string | null = null) => ({
    valid_from,
    valid_to,
    is_current: valid_to === null,
  });
  const [first = "", , third = "", , last = ""] = days;
  // the second app is in the configuration as well, with a keyword of its own
  await own.fill(
    "core.fact_keyword_rank",
    days.flatMap((date_day) => [
      { ...rank, date_day, app_key: "ios:1", keyword_key: "plan" },
      { ...rank, date_day, app_key: "ios:2", keyword_key: "own" },
    ]),
  );
  await own.fill("core.tracked_app", [
    { app_key: "ios:1", ...since(first) },
    { app_key: "ios:2", ...since(first, third) },
    { app_key: "ios:2", ...since(last) },
  ]);
  await own.fill("core.tracked_country", [
    { app_key: "ios:1", country_key: "US", keyword_count: 1, ...since(first) },
    { app_key: "ios:1", country_key: "JP", keyword_count: 2, ...since(first, "2026-08-02") },
    { app_key: "ios:1", country_key: "JP", keyword_count: 1, ...since("2026-08-02", third) },
    { app_key: "ios:2", country_key: "US", keyword_count: 1, ...since(first) },
  ]);
  // lists that are read no more say that nothing has left
  await own.fill("core.tracked_keyword", [
    { app_key: "ios:1", country_key: "US", keyword_key: "plan", ...since(first) },
    { app_key: "ios:1", country_key: "JP", keyword_key: "plan", ...since(first) },
    { app_key: "ios:2", country_key: "US", keyword_key: "plan", ...since(first) },
  ]);
  expect(
    await own.ask(`
      select track_id, country_code, keyword, date_day from mart.keyword_not_requested_daily
      where  device_code = 'IPHONE' order by track_id, country_code, date_day`),
  ).toEqual([
    "1 | JP | plan | 2026-08-01",
    "1 | JP | plan | 2026-08-02",
    "2 | US | plan | 2026-08-01",
    "2 | US | plan | 2026-08-02",
    "2 | US | plan | 2026-08-05",
  ]);
});

import { beforeAll, describe, expect, test } from "vitest";
import { addDays, daysBetween, type Day } from "../../src/core/day.ts";
import { datasets } from "../../src/datasets/shared/all.ts";
import { replay } from "../../src/archive/replay.ts";
import { createDimensions } from "../../src/load/dimensions.ts";
import { createPartitions } from "../../src/load/partitions.ts";
import type { SandboxRequest } from "../../src/sandbox/sandbox.ts";
import { openStage, today, type Stage } from "../support/ingest-stage.ts";
import { factsOf } from "../support/ingest-tables.ts";
import { long } from "../support/long.ts";
import { forTests } from "../support/for-tests.ts";

type Run = NonNullable<Parameters<Stage["sync"]>[0]>;
type DatasetSettings = NonNullable<NonNullable<Run["settings"]>["datasets"]>[string];

/** Syncs one dataset on a day. */
const syncOne = (stage: Stage, name: string, set: DatasetSettings = {}, request: Run["request"] = {}) =>
  stage.sync({ settings: { datasets: { [name]: { on: true, ...set } } }, request: { datasets: [name], ...request } });
const requestedFor = (stage: Stage, operation: string) =>
  stage.requested().filter((request) => request.operation === operation);
const count = async (stage: Stage, from: string) =>
  (await stage.query<{ count: number }>(`select count(*)::int as count from ${from}`))[0]?.count;

/** What the service has of the reviews of an iOS app in the requested countries, day by day. */
async function reportedReviews(stage: Stage, app: string, from: Day): Promise<readonly string[]> {
  const url = `${stage.sandbox.url}/iosstore-app-reviews/v2/${app}/${from}/${today}`;
  const ids: string[] = [];
  for (let page = 0; ; page += 1) {
    const reply = await fetch(`${url}?countries=US,JP&size=100&page=${page}&token=${stage.sandbox.token}`);
    const { content, totalPages } = (await reply.json()) as { content: { reviewId: number }[]; totalPages: number };
    ids.push(...content.map(({ reviewId }) => String(reviewId)));
    if (page + 1 >= totalPages) return ids.sort();
  }
}

// where ends are inclusive every other test has them so
test.each(long ? (["inclusive", "exclusive"] as const) : (["exclusive"] as const))(
  "every review is there once, page after page, with an end that the service takes as %s",
  async (openEnd) => {
    await using stage = await openStage({ market: { apps: 1, keywordsPerApp: 2 }, openEnd });
    await syncOne(stage, "review", { history_days: 100, longest_window: 60 });
    const [app] = await stage.query<{ track_id: string; reviews: number }>(
      `select track_id, count(*)::int as reviews from core.review join core.dim_app using (app_key)
       where store = 'ios' group by 1 order by 2 desc`,
    );
    const reported = await reportedReviews(stage, app?.track_id ?? "", addDays(today, -100));
    expect(reported.length).toBeGreaterThan(100);
    const rows = await stage.query<{ review_id: string }>(
      "select review_id from core.review join core.dim_app using (app_key) where track_id = $1 order by 1",
      [app?.track_id],
    );
    expect(rows.map(({ review_id: id }) => id)).toEqual(reported);
    expect(requestedFor(stage, "ios.reviews-v2").map(({ params }) => params["page"])).toContain(1);
    const [{ booked, charged } = { booked: 0, charged: 1 }] = await stage.query<{ booked: number; charged: number }>(
      "select sum(cost)::int as booked, count(*)::int * 5 as charged from ops.request where dataset = 'review'",
    );
    expect(booked).toBe(charged);
  },
);

test("an app without a review may not be crawled yet: after a week all of its days are requested again", async () => {
  await using stage = await openStage();
  const apps = [{ id: "123456789", countries: ["US"] }];
  const night = (past: number) => {
    stage.sandbox.set({ today: addDays(today, past) });
    return stage.sync({
      settings: { portfolio: { source: "config", apps }, datasets: { review: { on: true } } },
      request: { datasets: ["review"], today: addDays(today, past) },
    });
  };
  const days = () =>
    requestedFor(stage, "ios.reviews-v2").map(({ params }) =>
      daysBetween(params["startDate"] as Day, params["endDate"] as Day),
    );
  await night(0);
  expect(days()).toEqual([30]);
  await night(1);
  expect(days()).toHaveLength(2);
  await night(7);
  expect(days().at(-1)).toBe(30);
  expect(await count(stage, "core.review")).toBe(0);
});

describe("datasets that were loaded in one night, each again later", () => {
  const names = ["review", "review_word", "top_chart", "featuring", "developer_app"];
  const charts = { options: { charts: ["FREE", "GROSSING"] } };
  const stage = forTests(openStage);
  let firstNight: readonly SandboxRequest[];
  beforeAll(async () => {
    const on = Object.fromEntries(names.map((name) => [name, { on: true }]));
    await stage.sync({
      settings: { datasets: { ...on, top_chart: { on: true, ...charts } } },
      request: { datasets: names },
    });
    firstNight = stage.requested();
  });
  const firstFor = (operation: string) => firstNight.filter((request) => request.operation === operation);

  test("words of reviews are requested once a period, which a later run finds again", async () => {
    const rows = await stage.query<{ days: number; words: number; parts: number }>(
      `select distinct period_end - period_start + 1 as days from core.fact_review_word`,
    );
    expect(rows).toEqual([{ days: 30 }]);
    const [whole] = await stage.query<{ differ: number }>(
      `select count(*)::int as differ from (
         select max(review_count) as reviews, sum(facet_count) filter (where kind = 'sentiment') as by_rating,
                sum(facet_count) filter (where kind = 'trend') as by_day
         from core.fact_review_word group by app_key, country_key, language_code, word) as w
       where reviews <> by_rating or reviews <> by_day`,
    );
    expect(whole?.differ).toBe(0);
    stage.sandbox.clearLog();
    stage.sandbox.set({ today: addDays(today, 1) });
    await syncOne(stage, "review_word", {}, { today: addDays(today, 1) });
    expect(requestedFor(stage, "ios.review-analysis")).toEqual([]);
  });

  test("a night of reviews is one call an app, which brings the last days again", async () => {
    const first = firstFor("ios.reviews-v2");
    expect(first.map(({ params }) => params["startDate"])).toEqual([addDays(today, -30), addDays(today, -30)]);
    const before = await count(stage, "core.review");
    stage.sandbox.set({ today: addDays(today, 1) });
    stage.sandbox.clearLog();
    await syncOne(stage, "review", {}, { today: addDays(today, 1) });
    const night = [...requestedFor(stage, "ios.reviews-v2"), ...requestedFor(stage, "android.reviews")];
    expect(night.map(({ params: { startDate, endDate } }) => [startDate, endDate])).toEqual(
      Array.from({ length: 3 }, () => [addDays(today, -3), addDays(today, 1)]),
    );
    expect(await count(stage, "core.review")).toBeGreaterThanOrEqual(before ?? 0);
  });

  test("a chart that is requested again keeps no app that left it, and touches no other chart", async () => {
    const chart = `select app_key, rank, chart, device_key from core.fact_top_chart where date_day = '${addDays(today, -1)}' order by 3, 4, 2`;
    const before = await stage.query(chart);
    expect(before.length).toBeGreaterThan(500);
    const stranger = `insert into core.dim_app (store, track_id) values ('ios', '1') returning app_key`;
    await stage.query(
      `with left_it as (${stranger})
       insert into core.fact_top_chart
         (app_key, date_day, country_key, device_key, category_code, chart, chart_version, rank, slice_id, fetched_at)
       select l.app_key, c.date_day, c.country_key, c.device_key, c.category_code, c.chart, c.chart_version, 101, c.slice_id, c.fetched_at
       from left_it as l, (select * from core.fact_top_chart where rank = 1) as c`,
    );
    const again = { today: addDays(today, 1) };
    stage.sandbox.set(again);
    await syncOne(stage, "top_chart", { lookback_days: 1, history_days: 2, options: { charts: ["GROSSING"] } }, again);
    const left = await stage.query<{ chart: string }>(
      "select distinct chart from core.fact_top_chart where rank = 101",
    );
    expect(left).toEqual([{ chart: "FREE" }]);
    await syncOne(stage, "top_chart", { lookback_days: 1, history_days: 2, ...charts }, again);
    expect(await stage.query(chart)).toEqual(before);
  });

  test("cards of a week are requested in one call an app, and a week that is requested again keeps none that is gone", async () => {
    const requested = firstFor("ios.featuring");
    expect(
      requested.map(({ params: { startDate, endDate, countryCode } }) => [
        daysBetween(startDate as Day, endDate as Day),
        countryCode,
      ]),
    ).toEqual(Array.from({ length: 2 }, () => [28, undefined]));
    const cards =
      "select app_key, date_day, country_key, category_code, card_number, title from core.fact_featuring order by 1, 2, 3, 4, 5";
    const before = await stage.query(cards);
    expect(before.length).toBeGreaterThan(0);
    const add = (category: string, day: string) =>
      stage.query(
        `insert into core.fact_featuring (app_key, date_day, country_key, category_code, card_number, slice_id, fetched_at)
         select app_key, ${day}, country_key, ${category}, 99, slice_id, fetched_at from core.fact_featuring order by date_day, app_key limit 1`,
      );
    await add("category_code", "date_day + 1");
    await add("'6099'", "date_day");
    stage.sandbox.set({ today: addDays(today, 1) });
    await syncOne(stage, "featuring", { lookback_days: 40 }, { today: addDays(today, 1) });
    expect(await count(stage, "core.fact_featuring where card_number = 99 and category_code = '6099'")).toBe(1);
    await stage.query("delete from core.fact_featuring where category_code = '6099'");
    expect(await stage.query(cards)).toEqual(before);
  });

  test("a developer's apps are known from the first night on, and one that is taken out ends with a date", async () => {
    const apps = "core.developer_app where is_current";
    const before = await count(stage, apps);
    const own = await stage.query<{ own: number }>(
      `select count(distinct app_key)::int as own from core.developer_app join core.tracked_app using (app_key)`,
    );
    expect(own).toEqual([{ own: 3 }]);
    await stage.query(
      `with taken_out as (insert into core.dim_app (store, track_id) values ('ios', '2') returning app_key)
       insert into core.developer_app (store, developer_code, country_key, language_code, app_key, valid_from, is_current, slice_id, fetched_at)
       select d.store, d.developer_code, d.country_key, d.language_code, t.app_key, d.valid_from, true, d.slice_id, d.fetched_at
       from taken_out as t, (select * from core.developer_app where store = 'ios' limit 1) as d`,
    );
    stage.sandbox.set({ today: addDays(today, 7) });
    await syncOne(stage, "developer_app", {}, { today: addDays(today, 7) });
    expect(await count(stage, apps)).toBe(before);
    expect(await stage.query("select valid_to::text, is_current from core.developer_app where not is_current")).toEqual(
      [{ valid_to: addDays(today, 7), is_current: false }],
    );
  });
});

// test/archive/replay.test.ts does that every day with a dataset of each way in which tables are loaded
test.runIf(long)("answers that are stored make the same tables again, as a whole and some days alone", async () => {
  await using stage = await openStage({ market: { apps: 2, countries: ["US"] } });
  const names = ["review", "review_word", "top_chart", "featuring", "developer_app"];
  for (const day of [today, addDays(today, 1)]) {
    stage.sandbox.set({ today: day });
    await stage.sync({
      settings: { datasets: Object.fromEntries(names.map((name) => [name, { on: true }])) },
      request: { datasets: names, today: day },
    });
  }
  const before = await factsOf(stage);
  for (const name of names) {
    const table = datasets.find((dataset) => dataset.name === name)?.tables[0]?.name ?? "";
    expect([table, before[table]?.length === 0]).toEqual([table, false]);
  }
  await using app = await stage.open();
  const { db } = app.warehouse;
  const parts = { db, clock: app.clock, dimensions: createDimensions(db), partitions: createPartitions(db) };
  for (const within of [{}, { start: addDays(today, -5), end: addDays(today, -3) }])
    for (const dataset of datasets.filter(({ name }) => names.includes(name)))
      expect(await replay(parts, dataset, { within, keepPruned: false })).toMatchObject({ invalid: 0, kept: 0 });
  expect(await factsOf(stage)).toEqual(before);
});

test("a last day that no table can hold is a reject, and the ranks beside it are loaded", async () => {
  await using stage = await openStage({ market: { apps: 1 } });
  const ranked = (date: string) => [
    { targetDevice: "IPHONE", rankingType: "FREE", rankingsByDate: [{ date, ranking: 9 }] },
  ];
  const [app] = stage.sandbox.market.apps;
  const answer = {
    trackId: Number(app?.trackId),
    ranksByCategory: { US: { "36": ranked("2026-08-19T00:00:00"), "6007": ranked("0001-01-01T00:00:00") } },
  };
  const operation = "ios.global-category-rankings";
  const body = JSON.stringify(answer);
  stage.sandbox.set({
    faults: [{ kind: "status", status: 200, charge: true, operation, times: 1, contains: "IPHONE", body }],
  });
  await stage.sync({ settings: { datasets: { category_rank: { on: true, options: { resolutions: ["last_day"] } } } } });
  const slices = await stage.query(
    "select state, rows_loaded, rows_rejected from ops.slice where dataset = 'category_rank' and scope ->> 'device' = 'IPHONE'",
  );
  expect(slices).toEqual([{ state: "loaded", rows_loaded: 1, rows_rejected: 1 }]);
});

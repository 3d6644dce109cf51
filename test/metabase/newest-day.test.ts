import { beforeAll, expect, test } from "vitest";
import { openCardStage, type CardStage } from "../support/card-stage.ts";
import { forTests } from "../support/for-tests.ts";

const mart = forTests(openCardStage);
const shown: CardStage["shown"] = (dashboard, card) => mart.shown(dashboard, card);

/** A slice about an app, from a day up to another one, that day excluded. */
const slice = (dataset: string, scope: object, [from, to]: readonly [string, string], state = "loaded") =>
  mart.ask(`
    insert into ops.slice (dataset, operation, scope, window_start, window_end, as_of, fingerprint, class, state, planned_requests, planned_credits, run_id, created_at, ended_at)
    select '${dataset}', 'o', '${JSON.stringify(scope)}', '${from}', '${to}', '${to}', '', 'daily', '${state}', 1, 1, run_id, now(), now() from ops.run`);

beforeAll(async () => {
  await mart.ask("insert into ops.run (kind, as_of, datasets, started_at) values ('sync', '2026-08-08', '{}', now())");
  await mart.name({ "ios:1": "Ours", "ios:2": "Ours as well", "ios:3": "Left" });
});

test("numbers of reviews are about the newest day on which each app has its answer, and an app that left holds none back", async () => {
  const review = (app: string, day: string, rating: number | null, id = "") => ({
    app_key: `ios:${app}`,
    review_id: `${app} ${day} ${id}`,
    source: "v2",
    reviewed_at: `${day}T09:00:00`,
    country_key: "US",
    language_code: "",
    rating,
  });
  await mart.fill("core.review", [
    review("1", "2026-08-06", 1),
    review("2", "2026-08-06", 4),
    review("1", "2026-08-07", 5, "a"),
    review("1", "2026-08-07", 1, "b"),
    // of the 8th only the first app has its answer
    review("1", "2026-08-08", 1, "c"),
    review("1", "2026-08-08", null, "d"),
  ]);
  const on = (app: string) => ({ store: "ios", app, source: "v2" });
  const list = (app: string, window: readonly [string, string], state?: string) =>
    slice("review", on(app), window, state);
  await list("1", ["2026-08-05", "2026-08-09"]);
  await list("2", ["2026-08-05", "2026-08-08"]);
  await list("2", ["2026-08-08", "2026-08-09"], "pending");
  await list("3", ["2026-07-20", "2026-07-22"], "empty");
  const before = ["2026-07-20 | 0", "2026-07-21 | 0"];
  // a day with an answer and no review is 0 reviews, and no average
  const days = [...before, "2026-08-05 | 0", "2026-08-06 | 2", "2026-08-07 | 2"];
  expect(await shown("Reviews", "reviews_written")).toEqual(days);
  expect(await shown("Market", "reviews_now")).toEqual(days);
  expect((await shown("Reviews", "one_star_now")).slice(-3)).toEqual([
    "2026-08-05 | 0",
    "2026-08-06 | 1",
    "2026-08-07 | 1",
  ]);
  expect(await shown("Reviews", "stars_now")).toEqual(["2026-08-06 | 2.5", "2026-08-07 | 3"]);
  // bars are of days whose answers are all there, as the numbers are
  expect((await shown("Reviews", "stars")).at(-1)).toBe("2026-08-07 | 1 | 0 | 0 | 0 | 1 | 0");
  await list("2", ["2026-08-08", "2026-08-09"]);
  expect((await shown("Reviews", "reviews_written")).at(-1)).toBe("2026-08-08 | 2");
  expect((await shown("Reviews", "stars")).at(-1)).toBe("2026-08-08 | 1 | 0 | 0 | 0 | 0 | 1");
});

test("numbers of downloads and revenue are about the newest day of which each app has all its figures", async () => {
  const sold = (app: string, day: string, units: number, device_key = "ALL", context = "DOWNLOAD") => ({
    app_key: `ios:${app}`,
    country_key: "US",
    date_day: day,
    device_key,
    context,
    is_total: false,
    is_device_total: device_key === "ALL",
    units,
  });
  await mart.fill("core.fact_sales_metric", [
    sold("1", "2026-08-06", 10),
    sold("2", "2026-08-06", 1, "IPHONE"),
    sold("2", "2026-08-06", 1, "IPAD"),
    sold("1", "2026-08-07", 20),
    sold("2", "2026-08-07", 1, "IPHONE"),
    // the store has not reported the 8th for the second app
    sold("1", "2026-08-08", 30),
    sold("3", "2026-07-20", 7),
    sold("1", "2026-08-08", 3, "ALL", "REVENUE_TOTAL"),
  ]);
  expect(await shown("Market", "downloads_now")).toEqual(["2026-07-20 | 7", "2026-08-06 | 12", "2026-08-07 | 21"]);
  expect(await shown("Market", "revenue_now")).toEqual(["2026-08-08 | 3"]);
  // one device of the 7th waits
  const on = { store: "ios", app: "2", area: "all", device: "IPAD", context: "DOWNLOAD" };
  await slice("sales_metric", on, ["2026-08-07", "2026-08-08"], "deferred");
  expect(await shown("Market", "downloads_now")).toEqual(["2026-07-20 | 7", "2026-08-06 | 12"]);
});

test("a group of apps has downloads of days of which each of its apps has all figures", async () => {
  await mart.ask(`
    insert into core.grouped_app (group_name, store, track_id)
    values ('both', 'ios', '1'), ('both', 'ios', '2'), ('first', 'ios', '1')`);
  // of the second app a device of the 7th waits, and the 8th is not reported
  const first = ["2026-08-06 | first | 10", "2026-08-07 | first | 20", "2026-08-08 | first | 30"];
  expect(await shown("Market", "app_groups")).toEqual(["2026-08-06 | both | 12", ...first]);
  // an answer with figures of other days says that nobody downloaded it on the 8th
  await slice("sales_metric", { store: "ios", app: "2", context: "DOWNLOAD" }, ["2026-08-02", "2026-08-09"]);
  expect((await shown("Market", "app_groups")).toSorted()).toEqual(
    ["2026-08-06 | both | 12", "2026-08-08 | both | 30", ...first].toSorted(),
  );
});

test("visits of pages are those of days of which each app has some", async () => {
  const visited = (app: string, date_day: string, visits: number) => ({
    app_key: `android:${app}`,
    country_key: "US",
    date_day,
    device_key: "ALL",
    is_total: false,
    is_device_total: false,
    android_store_visit_count: visits,
  });
  await mart.fill("core.fact_retention", [
    visited("a", "2026-08-06", 5),
    visited("b", "2026-08-06", 100),
    visited("a", "2026-08-07", 6),
  ]);
  expect(await shown("Market", "visits")).toEqual(["2026-08-06 | 105 | -"]);
  await slice("retention", { store: "android", app: "b" }, ["2026-08-05", "2026-08-08"]);
  expect(await shown("Market", "visits")).toEqual(["2026-08-06 | 105 | -", "2026-08-07 | 6 | -"]);
});

test("numbers of search ads are about the newest day with the reports of all organisations", async () => {
  const about = { report_level: "CAMPAIGN", currency: "USD", attribution: "WITH", grain: "day" };
  await mart.fill(
    "core.fact_search_ads_report",
    [
      ["7", "2026-08-07", 5],
      ["8", "2026-08-07", 15],
      ["7", "2026-08-08", 6],
    ].map(([org_id, date, spend]) => ({
      ...about,
      org_id: String(org_id),
      campaign_id: String(org_id),
      app_key: "ios:1",
      country_key: "US",
      period_start: String(date),
      period_end: String(date),
      date_day: String(date),
      spend: Number(spend),
      install_count: 2,
    })),
  );
  await slice("search_ads_report", { org_id: "7", ...about }, ["2026-08-07", "2026-08-09"]);
  await slice("search_ads_report", { org_id: "8", ...about }, ["2026-08-07", "2026-08-08"]);
  await slice("search_ads_report", { org_id: "8", ...about }, ["2026-08-08", "2026-08-09"], "running");
  expect(await shown("Search ads", "spend_now")).toEqual(["2026-08-07 | 20"]);
  expect(await shown("Search ads", "installs_now")).toEqual(["2026-08-07 | 4"]);
  expect(await shown("Search ads", "cost_now")).toEqual(["2026-08-07 | 5"]);
});

test("numbers of ranks are about the newest day that each app and country has been requested for", async () => {
  const ranked = (app: string, day: string, rank: number) => ({
    app_key: `android:${app}`,
    country_key: "US",
    keyword_key: "plan",
    device_key: "ALL",
    date_day: day,
    rank,
  });
  await mart.fill("core.fact_keyword_rank", [
    ranked("a", "2026-08-06", 4),
    ranked("b", "2026-08-06", 2),
    ranked("a", "2026-08-07", 5),
    ranked("b", "2026-08-07", 1),
    // the account of the second app planned nothing for the 8th
    ranked("a", "2026-08-08", 5),
    // one that left
    ranked("c", "2026-07-20", 100),
  ]);
  expect(await shown("Keyword performance", "top_ten_now")).toEqual([
    "2026-07-20 | 0",
    "2026-08-06 | 2",
    "2026-08-07 | 2",
  ]);
  expect((await shown("Keyword performance", "rank_now")).at(-1)).toBe("2026-08-07 | 3");
  expect((await shown("Keyword performance", "ranked_now")).at(-1)).toBe("2026-08-07 | 2");
  expect((await shown("Share of voice", "voice_now")).at(-1)).toBe("2026-08-07 | 0.6");
  const score = (app: string, day: string, value: number) => ({
    app_key: `android:${app}`,
    country_key: "US",
    date_day: day,
    kind: "history",
    score: value,
  });
  await mart.fill("core.fact_visibility", [
    score("a", "2026-08-07", 10),
    score("b", "2026-08-07", 30),
    score("a", "2026-08-08", 10),
  ]);
  expect(await shown("Share of voice", "visibility_now")).toEqual(["2026-08-07 | 20"]);
});

test("a week of downloads of which an app waits for all days says that it has none of them", async () => {
  const sold = (app: string, date_day: string, units: number) => ({
    app_key: `ios:${app}`,
    country_key: "US",
    context: "DOWNLOAD",
    device_key: "ALL",
    is_total: false,
    is_device_total: true,
    date_day,
    units,
  });
  await mart.fill("core.fact_sales_metric", [
    sold("6", "2026-03-02", 10),
    sold("7", "2026-03-02", 20),
    sold("6", "2026-03-09", 30),
  ]);
  await mart.fill("core.fact_app_rating", [
    { app_key: "ios:7", country_key: "US", date_day: "2026-03-09", rating: 4, rating_count: 9 },
  ]);
  const sales = (app: string, window: readonly [string, string], state?: string) =>
    slice("sales_metric", { store: "ios", app, area: "all", device: "ALL", context: "DOWNLOAD" }, window, state);
  await sales("6", ["2026-03-02", "2026-03-16"]);
  await sales("7", ["2026-03-02", "2026-03-09"]);
  await sales("7", ["2026-03-09", "2026-03-16"], "failed");
  const march = async () => (await shown("Market", "regions")).filter((row) => row.startsWith("2026-03"));
  expect(await march()).toEqual(["2026-03-02 | Americas | 30", "2026-03-09 (0 of 7 days) | Americas | 30"]);
  await sales("7", ["2026-03-09", "2026-03-16"]);
  expect(await march()).toEqual(["2026-03-02 | Americas | 30", "2026-03-09 | Americas | 30"]);
});

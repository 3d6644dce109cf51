import { describe, expect, test } from "vitest";
import { rehearseAlerts } from "../../src/alerts/rehearse.ts";
import { day } from "../../src/core/day.ts";
import { alertsForTests, settingsWith } from "../support/alert-stage.ts";

const stage = alertsForTests();
const fell = { fell: { kind: "keyword_fell" } };
const onUs = { store: "ios", app: "1", country: "US" };

describe("an alert", () => {
  test("fires once for a keyword that fell, is sent once, and not again for a value that is restated", async () => {
    await stage.ranks({ "2026-08-07": 4, "2026-08-08": 12 });
    await stage.watch(fell);
    const text = "Ours, US, plan, IPHONE: keyword rank 4 -> 12, on 2026-08-08, compared with 2026-08-07";
    expect(stage.sent()).toEqual([[text]]);
    expect(stage.receiver.received[0]?.text).toBe(`Storehouse alert fell: ${text}`);
    await stage.ranks({ "2026-08-08": 30 });
    await stage.watch(fell);
    await stage.watch(fell);
    expect(await stage.fired()).toEqual([`fell | 2026-08-08 | 2026-08-07 | ${text}`]);
    expect(stage.sent()).toHaveLength(1);
  });

  test("waits while anything of the day is under way, and fires when it has its answers", async () => {
    await stage.ranks({ "2026-08-07": 4, "2026-08-08": 12 });
    await stage.answered({ day: "2026-08-08", scope: { ...onUs, app: "2" }, state: "pending" });
    await stage.watch(fell);
    expect(await stage.fired()).toEqual([]);
    await stage.mart.ask("update ops.slice set state = 'loaded', ended_at = clock_timestamp() where state = 'pending'");
    await stage.watch(fell);
    expect(await stage.fired()).toHaveLength(1);
  });

  test("never fires over a day that nobody requested, nor against one that is too far", async () => {
    await stage.ranks({ "2026-07-30": 4, "2026-08-08": 12 });
    await stage.watch(fell);
    expect(await stage.fired()).toEqual([]);
  });

  test("compares with the nearest day over a gap, and the days between change nothing when they come", async () => {
    await stage.ranks({ "2026-08-06": 4, "2026-08-08": 12 });
    await stage.watch({ fell: { kind: "keyword_fell", by: 8 } });
    expect(await stage.fired()).toEqual([expect.stringContaining("fell | 2026-08-08 | 2026-08-06 | ")]);
    await stage.mart.ask("update ops.alert set since_day = '2026-08-01'");
    await stage.ranks({ "2026-08-07": 12 });
    await stage.watch({ fell: { kind: "keyword_fell", by: 8 } });
    expect(await stage.fired()).toHaveLength(1);
  });

  test("checks a day again when the one before it comes later, or is restated", async () => {
    const left = { left: { kind: "keyword_left_top" } };
    await stage.ranks({ "2026-08-06": 20, "2026-08-08": 12 });
    await stage.watch(left);
    expect(await stage.fired()).toEqual([]);
    await stage.ranks({ "2026-08-07": 11 });
    await stage.watch(left);
    expect(await stage.fired()).toEqual([]);
    await stage.ranks({ "2026-08-07": 8 });
    await stage.watch(left);
    await stage.watch(left);
    expect(stage.sent().flat()).toEqual([expect.stringMatching(/8 -> 12, on 2026-08-08, compared with 2026-08-07$/)]);
  });

  test("checks no day again for one that is further back than any that it is compared with", async () => {
    await stage.ranks({ "2026-08-08": 12 });
    await stage.watch(fell);
    const seen = () => stage.mart.ask("select answer_count from ops.alert_day where date_day = '2026-08-08'");
    await stage.ranks({ "2026-07-30": 4 });
    await stage.watch(fell);
    expect(await seen()).toEqual(["1"]);
    await stage.ranks({ "2026-07-31": 12 });
    await stage.watch(fell);
    expect(await seen()).toEqual(["2"]);
  });

  test("fires for a further fall within the days that it compares", async () => {
    const week = { fell: { kind: "keyword_fell", days: 7 } };
    await stage.ranks({ "2026-08-01": 4, "2026-08-02": 4, "2026-08-03": 4, "2026-08-08": 12 });
    await stage.watch(week);
    stage.clock.time += 2 * 86_400_000;
    await stage.ranks({ "2026-08-09": 14, "2026-08-10": 42 });
    await stage.watch(week);
    expect(stage.sent().flat()).toEqual([
      expect.stringMatching(/4 -> 12, on 2026-08-08, compared with 2026-08-01$/),
      expect.stringMatching(/4 -> 42, on 2026-08-10, compared with 2026-08-03$/),
    ]);
  });

  test("fires for a day that becomes complete two days later, and says which", async () => {
    await stage.ranks({ "2026-08-08": 12 });
    await stage.watch(fell);
    stage.clock.time += 2 * 86_400_000;
    await stage.ranks({ "2026-08-09": 40, "2026-08-10": 41 });
    await stage.watch(fell);
    expect(stage.sent().flat()).toEqual([expect.stringMatching(/12 -> 40, on 2026-08-09, compared with 2026-08-08$/)]);
  });

  test("does not fire about days before it was configured, and begins again when it is changed", async () => {
    await stage.ranks({ "2026-08-05": 1, "2026-08-06": 50, "2026-08-08": 50 });
    await stage.watch(fell);
    expect(await stage.fired()).toEqual([]);
    await stage.watch({ fell: { ...fell.fell, by: 2 } });
    expect(await stage.fired()).toEqual([]);
  });

  test("says that a keyword is not ranked any more", async () => {
    await stage.ranks({ "2026-08-07": 9, "2026-08-08": null });
    await stage.watch({ left: { kind: "keyword_left_top" }, fell: fell.fell });
    expect(stage.sent().flat()).toEqual([
      "Ours, US, plan, IPHONE: keyword rank 9 -> not ranked, on 2026-08-08, compared with 2026-08-07",
      "Ours, US, plan, IPHONE: keyword rank 9 -> not ranked, on 2026-08-08, compared with 2026-08-07",
    ]);
  });

  test("is about the apps, countries and keywords that it names, groups as well", async () => {
    await stage.ranks({ "2026-08-07": 4, "2026-08-08": 12 });
    for (const whom of [{ countries: ["GB"] }, { keywords: ["habit"] }, { apps: ["2"] }, { devices: ["IPAD"] }])
      await stage.watch({ fell: { ...fell.fell, for: whom } });
    expect(await stage.fired()).toEqual([]);
    await stage.watch({ fell: { ...fell.fell, for: { countries: ["US"], keywords: ["plan"], apps: [1] } } });
    expect(await stage.fired()).toHaveLength(1);
  });
});

describe("messages about alerts", () => {
  test("of the morning wait for their time, and are one message", async () => {
    const alerts = { fell: { ...fell.fell, send: "morning" }, left: { kind: "keyword_left_top", send: "morning" } };
    await stage.ranks({ "2026-08-07": 4, "2026-08-08": 12 });
    await stage.watch(alerts, { morning_at: "07:30" });
    await stage.mart.ask("update ops.alert_day set answer_count = 0");
    stage.clock.time = Date.parse("2026-08-09T07:28:00Z");
    await stage.watch(alerts, { morning_at: "07:30" });
    expect(stage.sent()).toEqual([]);
    await stage.watch(alerts, { morning_at: "07:30" });
    await stage.watch(alerts, { morning_at: "07:30" });
    expect(stage.sent().map(({ length }) => length)).toEqual([2]);
  });

  test("are sent again where the webhook did not accept them, and once where two workers check at once", async () => {
    await stage.ranks({ "2026-08-07": 4, "2026-08-08": 12 });
    stage.receiver.answer = 500;
    await Promise.all([stage.check(fell), stage.check(fell)]);
    await stage.watch(fell);
    expect(stage.sent()).toEqual([]);
    stage.receiver.answer = 200;
    await stage.watch(fell);
    await stage.watch(fell);
    expect(stage.sent()).toHaveLength(1);
  });
});

describe("the ready-made kinds", () => {
  const page = (app: string, valid_from: string, app_name: string) => ({
    app_key: `ios:${app}`,
    country_key: "US",
    valid_from,
    app_name,
    is_current: true,
  });
  const review = (id: string, country_key: string, reviewed_at: string) => ({
    app_key: "ios:1",
    country_key,
    language_code: "",
    review_id: id,
    source: "v2",
    rating: 1,
    reviewed_at,
  });

  test("one-star reviews count when every list of the day has its answer", async () => {
    const stars = { stars: { kind: "one_star_reviews", count: 2 } };
    const scope = { store: "ios", app: "1" };
    await stage.mart.fill("core.review", [
      review("a", "US", "2026-08-08 10:00:00"),
      review("b", "US", "2026-08-08 11:00:00"),
      review("c", "GB", "2026-08-08 11:00:00"),
    ]);
    await stage.answered(
      { dataset: "review", scope, day: "2026-08-08" },
      { dataset: "review", scope: { ...scope, list: "v2" }, day: "2026-08-08", state: "failed" },
    );
    await stage.watch(stars);
    expect(await stage.fired()).toEqual([]);
    await stage.answered({ dataset: "review", scope: { ...scope, list: "v2" }, day: "2026-08-08" });
    await stage.watch(stars);
    expect(stage.sent()).toEqual([["Ours, US: one star count 2, on 2026-08-08"]]);
  });

  test("one-star reviews count when the list that failed turns out to be unavailable", async () => {
    const stars = { stars: { kind: "one_star_reviews", count: 1 } };
    const scope = { store: "ios", app: "1" };
    await stage.mart.fill("core.review", [review("a", "US", "2026-08-08 10:00:00")]);
    await stage.answered(
      { dataset: "review", scope, day: "2026-08-08" },
      { dataset: "review", scope: { ...scope, list: "v2" }, day: "2026-08-08", state: "failed" },
    );
    await stage.watch(stars);
    expect(await stage.fired()).toEqual([]);
    await stage.mart.ask("update ops.slice set state = 'skipped' where state = 'failed'");
    await stage.watch(stars);
    expect(stage.sent()).toEqual([["Ours, US: one star count 1, on 2026-08-08"]]);
  });

  test("a rating that fell counts over a day without one, on which something else is known of the app", async () => {
    const rated = (date_day: string, rating: number) => ({ app_key: "ios:1", country_key: "US", date_day, rating });
    await stage.mart.fill("core.fact_app_rating", [rated("2026-08-06", 4.5), rated("2026-08-08", 4.2)]);
    await stage.mart.fill("core.review", [review("a", "US", "2026-08-07 10:00:00")]);
    const scope = { store: "ios", app: "1" };
    await stage.answered(...["2026-08-06", "2026-08-08"].map((on) => ({ dataset: "app_rating", scope, day: on })));
    await stage.watch({ rating: { kind: "rating_fell" } });
    expect(stage.sent().flat()).toEqual(["Ours, US: rating 4.5 -> 4.2, on 2026-08-08, compared with 2026-08-06"]);
  });

  test("a competitor that changed its title: one that is named, or one that the account names; once, by its page", async () => {
    await stage.mart.fill("core.app_change", [
      {
        app_key: "ios:2",
        country_key: "US",
        version_at: "2026-08-07 10:00:00",
        property: "TITLE",
        old_value: '"Plan"',
        new_value: '"Plan it"',
      },
    ]);
    await stage.answered({ dataset: "app_change", scope: { store: "ios", app: "2" }, day: "2026-08-08" });
    await stage.mart.fill("core.app_history", [page("2", "2026-08-01", "Plan"), page("2", "2026-08-08", "Plan it")]);
    await stage.answered({ dataset: "app_history", scope: { store: "ios", app: "2" }, day: "2026-08-08" });
    await stage.watch({ title: { kind: "page_changed" } });
    expect(await stage.fired()).toEqual([]);
    await stage.watch({ title: { kind: "page_changed", for: { apps: ["2"] } } });
    expect(stage.sent().flat()).toEqual([
      "Theirs, US, title: change source page, old value Plan, new value Plan it, on 2026-08-08",
    ]);
  });

  test("a chart that was entered since the list before", async () => {
    const place = (app: string, date_day: string, rank: number) => ({
      app_key: `ios:${app}`,
      country_key: "US",
      device_key: "IPHONE",
      date_day,
      category_code: "36",
      chart: "FREE",
      chart_version: "v1",
      rank,
    });
    await stage.mart.fill("core.fact_top_chart", [
      place("2", "2026-08-07", 1),
      place("2", "2026-08-08", 2),
      place("1", "2026-08-08", 1),
    ]);
    const scope = { store: "ios", country: "US" };
    await stage.answered(...["2026-08-07", "2026-08-08"].map((on) => ({ dataset: "top_chart", scope, day: on })));
    await stage.watch({ chart: { kind: "chart_entered", for: { apps: ["1", "2"] } } });
    expect(stage.sent().flat()).toEqual([
      "Ours, US, IPHONE, 36, FREE, v1: movement entered, chart rank 1, on 2026-08-08, compared with 2026-08-07",
    ]);
  });
});

test("a rehearsal shows what would have fired over the last 30 days, and writes nothing", async () => {
  await stage.ranks({ "2026-07-20": 4, "2026-07-21": 12, "2026-08-08": 1, "2026-06-30": 1 });
  const found = await rehearseAlerts(
    stage.mart.db,
    settingsWith({ ...fell, none: { kind: "rating_fell" } }),
    day("2026-08-09"),
  );
  expect(found).toEqual([
    {
      alert: "fell",
      days: 3,
      isCut: false,
      fires: [
        {
          day: "2026-07-21",
          comparedDay: "2026-07-20",
          text: "Ours, US, plan, IPHONE: keyword rank 4 -> 12, on 2026-07-21, compared with 2026-07-20",
        },
      ],
    },
    { alert: "none", days: 0, isCut: false, fires: [] },
  ]);
  expect(await stage.mart.ask("select count(*) from ops.alert, ops.alert_fire, ops.alert_day")).toEqual(["0"]);
});

test("an alert that thousands of rows meet sends nothing and says so; the others go on", async () => {
  await stage.ranks({ "2026-08-07": 4, "2026-08-08": 12 });
  await stage.mart.ask(`
    with words as (insert into core.dim_keyword (keyword) select 'word ' || n from generate_series(1, 10000) as n returning keyword_key)
    insert into core.fact_keyword_rank (app_key, date_day, country_key, keyword_key, device_key, rank, slice_id, fetched_at)
    select f.app_key, f.date_day, f.country_key, w.keyword_key, f.device_key, 1, 1, now()
    from   words as w, core.fact_keyword_rank as f where f.date_day = '2026-08-08'`);
  const broad = { mart: "keyword_rank_daily", when: { keyword_rank: { at_least: 1 } } };
  await stage.watch({ broad, ...fell });
  expect((await stage.fired()).map((line) => line.split(" ")[0])).toEqual(["fell"]);
  expect(stage.lines().map(({ alert, problem }) => [alert, problem])).toEqual([
    [
      "broad",
      expect.stringMatching(/^alert_too_broad: 10000 rows or more of mart.keyword_rank_daily meet the alert broad/),
    ],
  ]);
});

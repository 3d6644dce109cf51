import { describe, expect, test } from "vitest";
import { rehearseAlerts } from "../../src/alerts/rehearse.ts";
import { readAlerts } from "../../src/alerts/read-alerts.ts";
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

  test("is in the message even if another one fired more often than a message lists", async () => {
    const both = { ...fell, worse: { kind: "keyword_fell" } };
    await stage.ranks({ "2026-08-07": 4, "2026-08-08": 12 });
    await stage.check(both);
    await stage.mart.ask(`
      insert into ops.alert_fire (alert_name, digest, mart, subject, date_day, summary, detail, fired_at, due_at)
      select alert_name, digest, mart, subject || n, date_day, summary, detail, fired_at, due_at
      from   ops.alert_fire, generate_series(1, 140) as n where alert_name = 'fell'`);
    await stage.watch(both);
    const names = stage.receiver.received[0]?.alerts?.map((fire) => fire["alert"]);
    expect(names).toEqual([...Array.from({ length: 99 }, () => "fell"), "worse"]);
  });

  test("keeps what fired as long as requests, and the days that it checked as long as it may check them again", async () => {
    await stage.ranks({ "2026-08-07": 4, "2026-08-08": 12 });
    await stage.watch(fell);
    await stage.mart.ask(`
      insert into ops.alert_fire (alert_name, digest, mart, subject, date_day, summary, detail, fired_at, due_at, notified_at)
      select alert_name, digest, mart, subject, d.day, 'old', detail, fired_at, due_at, notified_at
      from   ops.alert_fire, unnest('{2025-06-30,2025-07-01}'::date[]) as d (day)`);
    await stage.mart.ask(`
      insert into ops.alert_day select alert_name, d.day, digest, answered_at, answer_count, unanswered_count
      from   ops.alert_day, unnest('{2026-06-09,2026-06-10}'::date[]) as d (day) where date_day = '2026-08-08'`);
    const kept = () =>
      stage.mart.ask(
        "select 'fired', date_day from ops.alert_fire union all select 'checked', date_day from ops.alert_day order by 1, 2",
      );
    const before = await kept();
    await stage.watch(fell);
    // nothing was due
    expect(await kept()).toEqual(before);
    await stage.ranks({ "2026-08-08": 12 });
    await stage.watch(fell);
    expect(await kept()).toEqual(
      before.filter((one) => one !== "fired | 2025-06-30" && one !== "checked | 2026-06-09"),
    );
    expect(before).toHaveLength((await kept()).length + 2);
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

  test("fires for a value that is another one than on the compared day, and for none that is the same", async () => {
    const ranked = { mart: "keyword_rank_daily", when: { is_ranked: { changes: true } } };
    const moved = { mart: "keyword_rank_daily", when: { keyword_rank: { changes: true } } };
    await stage.ranks({ "2026-08-07": 4, "2026-08-08": null });
    await stage.watch({ moved, ranked });
    stage.clock.time += 2 * 86_400_000;
    await stage.ranks({ "2026-08-09": null, "2026-08-10": 7 });
    await stage.watch({ moved, ranked });
    expect(stage.sent()).toEqual([
      [
        "Ours, US, plan, IPHONE: keyword rank 4 -> not ranked, on 2026-08-08, compared with 2026-08-07",
        "Ours, US, plan, IPHONE: is ranked true -> false, on 2026-08-08, compared with 2026-08-07",
      ],
      [
        "Ours, US, plan, IPHONE: keyword rank not ranked -> 7, on 2026-08-10, compared with 2026-08-09",
        "Ours, US, plan, IPHONE: is ranked false -> true, on 2026-08-10, compared with 2026-08-09",
      ],
    ]);
  });

  test("is about a keyword however it is written, as groups in marts are", async () => {
    await stage.ranks({ "2026-08-07": 4, "2026-08-08": 12 });
    await stage.watch({ fell: { ...fell.fell, for: { keywords: ["Plan"] } } });
    expect(await stage.fired()).toHaveLength(1);
  });
});

test("a rehearsal shows what would have fired over the last 30 days, and writes nothing", async () => {
  await stage.ranks({ "2026-07-20": 4, "2026-07-21": 12, "2026-08-08": 1, "2026-06-30": 1 });
  const settings = settingsWith({ ...fell, none: { kind: "rating_fell" } });
  const found = await rehearseAlerts(stage.mart.db, { settings, named: new Set(), today: day("2026-08-09") });
  expect(found).toEqual([
    {
      alert: "fell",
      days: 3,
      newestDay: "2026-08-08",
      switchedOff: [],
      isCut: false,
      fires: [
        {
          day: "2026-07-21",
          comparedDay: "2026-07-20",
          text: "Ours, US, plan, IPHONE: keyword rank 4 -> 12, on 2026-07-21, compared with 2026-07-20",
        },
      ],
    },
    { alert: "none", days: 0, newestDay: null, switchedOff: [], isCut: false, fires: [] },
  ]);
  expect(await stage.mart.ask("select count(*) from ops.alert, ops.alert_fire, ops.alert_day")).toEqual(["0"]);
});

test("an alert that thousands of rows meet sends nothing and says so until it is narrowed; the others go on", async () => {
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
      expect.stringMatching(/^alert_too_broad: 10000 or more rows of mart.keyword_rank_daily match the alert broad/),
    ],
  ]);
  const states = async (alerts: object) =>
    (await readAlerts(stage.mart.db, settingsWith({ ...alerts, ...fell }), new Set())).map(
      ({ name, checkedAt, errorMessage }) => [name, checkedAt?.getTime() ?? null, errorMessage],
    );
  const problem = expect.stringMatching(/^alert_too_broad: 10000/);
  expect(await states({ broad })).toEqual([
    ["broad", null, problem],
    ["fell", stage.clock.time, null],
  ]);
  const narrow = { ...broad, for: { keywords: ["plan"] } };
  await stage.watch({ broad: narrow, ...fell });
  expect(await states({ broad: narrow })).toEqual(["broad", "fell"].map((name) => [name, stage.clock.time, null]));
});

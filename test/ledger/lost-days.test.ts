import { beforeEach, describe, expect, test } from "vitest";
import { addDays, type Day } from "../../src/core/day.ts";
import type { SliceDraft } from "../../src/core/slice.ts";
import { oneDay } from "../../src/core/window.ts";
import { noteDatasets } from "../../src/ledger/dataset-timings.ts";
import { readDaysAtRisk } from "../../src/ledger/days-at-risk.ts";
import { noteLostDays, noteMoved, readLostDays } from "../../src/ledger/lost-days.ts";
import { august, datasetLine, draft, ledgerForTests, now, today } from "../support/ledger-stage.ts";

const hour = 3_600_000;
const midnight = Date.parse(`${today}T00:00:00Z`);

describe("a snapshot that nobody can request any more", () => {
  const ledger = ledgerForTests();

  const refresh = (daily: number, weekly: number, since: Day) => {
    const days = Object.entries({ daily, weekly });
    return noteDatasets(
      ledger.stage.db,
      days.map(([dataset]) => datasetLine(dataset)),
      days.map(([dataset, count]) => ({ dataset, scope: null, kind: "snapshot", refresh_days: count })),
      { account: "", planned: [], today: since },
    );
  };

  beforeEach(async () => {
    await ledger.stage.pool.query("delete from ops.dataset_timing");
    await refresh(1, 7, today);
  });

  const snapshot = (dataset: string, date: number, change: Partial<SliceDraft> = {}) =>
    draft({ dataset, class: "snapshot", window: august(date), asOf: august(date).start, ...change });
  const ended = async (
    state: "loaded" | "empty" | "failed" | "deferred" | "pending",
    ...drafts: readonly SliceDraft[]
  ) => ledger.stage.inState(await ledger.stage.run(), state, ledger.worker, ...drafts);
  /** Datasets with cells at risk, and when the first is lost. */
  const at = async (instant: number) =>
    (await readDaysAtRisk(ledger.stage.db, instant)).map(
      ({ dataset, cells, lostAt }) => `${dataset} ${cells} ${lostAt.toISOString().slice(0, 13)}`,
    );
  /** Plans these for today and notes what is lost. */
  async function planned(...drafts: readonly SliceDraft[]) {
    const runId = await ledger.stage.run({ kind: "schedule" });
    await ledger.stage.insert(runId, ...drafts);
    return noteLostDays(ledger.stage.db, { runId, today, now });
  }
  const lost = async () =>
    (await readLostDays(ledger.stage.db)).map(({ dataset, day, cells }) => `${dataset} ${day} ${cells}`);

  test("is lost when it failed and its day is over, or its week", async () => {
    await ended("failed", snapshot("daily", 19), snapshot("weekly", 13, { items: ["a", "b"] }), snapshot("weekly", 14));
    expect(await planned()).toBe(2);
    expect(await lost()).toEqual(["daily 2026-08-19 1", "weekly 2026-08-13 2"]);
    expect(await planned()).toBe(0);
  });

  test("is lost once a round, on however many days of it it failed, and the next round begins where that ends", async () => {
    const other = { scope: { app: "2" } };
    await ended("failed", ...[3, 4, 9, 10, 12, 17].map((date) => snapshot("weekly", date)));
    await ended("failed", snapshot("weekly", 1, other), snapshot("weekly", 6, other));
    await ledger.stage.pool.query("update ops.slice set ended_at = window_start");
    expect(await planned(snapshot("weekly", 20, other))).toBe(4);
    expect(await lost()).toEqual([10, 8, 3, 1].map((date) => `weekly ${august(date).start} 1`));
    const noted = await readLostDays(ledger.stage.db);
    expect(new Set(noted.map(({ notedAt }) => notedAt.getTime()))).toEqual(new Set([now]));
    expect(await planned()).toBe(0);
  });

  test("is not lost where another answer came in its time", async () => {
    await ended("failed", snapshot("weekly", 11));
    await ended("loaded", snapshot("weekly", 12));
    expect(await planned()).toBe(0);
    // the last day of its round, and the day after it
    const [inTime, late] = [{ scope: { app: "2" } }, { scope: { app: "3" } }];
    await ended("failed", snapshot("weekly", 11, inTime), snapshot("weekly", 11, late));
    await ended("loaded", snapshot("weekly", 17, inTime), snapshot("weekly", 18, late));
    expect(await planned()).toBe(1);
    expect(await lost()).toEqual(["weekly 2026-08-11 1"]);
  });

  test("is not lost where its items were answered in its time in other lists, each of them", async () => {
    await ended("failed", snapshot("weekly", 10, { items: ["a", "b"] }), snapshot("weekly", 11, { items: ["c", "d"] }));
    await ended("loaded", snapshot("weekly", 12, { items: ["a"] }), snapshot("weekly", 12, { items: ["b", "c"] }));
    expect(await planned()).toBe(1);
    expect(await lost()).toEqual(["weekly 2026-08-11 2"]);
  });

  test("is lost where nobody planned it: the days between two snapshots on which it was due", async () => {
    await ended("loaded", snapshot("daily", 17), snapshot("daily", 19, { scope: { app: "2" } }), snapshot("weekly", 4));
    const day = (dataset: string, scope = {}) => snapshot(dataset, 20, { scope: { ...draft().scope, ...scope } });
    // a scope that is new, one that was long not in the portfolio, and one that is up to date lose nothing
    await ended(
      "loaded",
      snapshot("daily", 1, { scope: { app: "3" }, window: { start: addDays(today, -40), end: addDays(today, -39) } }),
    );
    const others = ["2", "3", "4"].map((app) => snapshot("daily", 20, { scope: { app } }));
    expect(await planned(day("daily"), day("weekly"), ...others)).toBe(3);
    expect(await lost()).toEqual(["daily 2026-08-19 1", "daily 2026-08-18 1", "weekly 2026-08-11 1"]);
  });

  test("is lost item by item: what others of its list had meanwhile stands for none of the rest, and what came into it since was not due", async () => {
    await ended("loaded", snapshot("daily", 17, { items: ["a", "b", "c"] }), snapshot("daily", 18, { items: ["a"] }));
    await ended("loaded", snapshot("daily", 19, { items: ["a", "d"] }));
    const added = snapshot("daily", 20, { items: ["a", "b", "d", "e"] });
    expect(await planned(added, snapshot("daily", 20, { items: ["c"] }))).toBe(4);
    expect(await lost()).toEqual(["daily 2026-08-19 2", "daily 2026-08-18 2"]);
    const items = await ledger.stage.pool.query(
      "select b.items, s.window_start::text as day from ops.slice as s join ops.batch as b using (batch_id) where state = 'lost' order by 1, 2",
    );
    expect(items.rows).toEqual(
      ["b", "c"].flatMap((item) => ["2026-08-18", "2026-08-19"].map((day) => ({ items: [item], day }))),
    );
  });

  test("is lost also where the run that planned the next one was left before it noted that, in whichever state its slice is", async () => {
    const { stage, worker } = ledger;
    await ended(
      "loaded",
      ...[{}, { scope: { app: "2" } }, { scope: { app: "3" } }].map((of) => snapshot("daily", 15, of)),
    );
    const left = await stage.run({ kind: "schedule" });
    await stage.inState(left, "loaded", worker, snapshot("daily", 18));
    // planned on the 18th, and requested on the 19th
    const [moved] = await stage.inState(left, "loaded", worker, snapshot("daily", 19, { scope: { app: "2" } }));
    await stage.pool.query("update ops.slice set created_at = '2026-08-18' where slice_id = $1", [moved]);
    // what nobody planned says nothing of the days before it
    await stage.insert(await stage.run({ kind: "gateway" }), snapshot("daily", 20, { scope: { app: "3" } }));
    expect(await planned(snapshot("daily", 20))).toBe(5);
    expect(await lost()).toEqual(["daily 2026-08-19 1", "daily 2026-08-17 2", "daily 2026-08-16 2"]);
  });

  test("is not lost where plannings found its dataset switched off from the first to the last day of its round", async () => {
    const { db, pool } = ledger.stage;
    const switched = async (isOff: boolean, ...dates: readonly number[]) => {
      const lines = ["daily", "weekly"].map((dataset) => datasetLine(dataset, { is_switched_off: isOff }));
      for (const date of dates)
        await noteDatasets(db, lines, [], { account: "", planned: [], today: august(date).start });
    };
    const of = (app: string) => ({ scope: { app } });
    await pool.query("delete from ops.dataset");
    await ended("loaded", snapshot("daily", 10), snapshot("weekly", 4, of("1")), snapshot("weekly", 5, of("2")));
    await switched(true, 5, 6);
    await switched(false, 7, 10);
    // nobody planned anything from the 12th to the 16th, and on the 18th and 19th
    await switched(true, 11, 17);
    await switched(false, 20);
    expect(await planned(snapshot("daily", 20), ...["1", "2"].map((app) => snapshot("weekly", 20, of(app))))).toBe(3);
    expect(await lost()).toEqual(["daily 2026-08-19 1", "daily 2026-08-18 1", "weekly 2026-08-12 1"]);
    await switched(true, 21);
    await switched(true, 20);
    const { rows } = await pool.query("select off_from, off_through from ops.dataset where dataset = 'daily'");
    expect(rows).toEqual([{ off_from: "2026-08-21", off_through: "2026-08-21" }]);
    await pool.query("delete from ops.dataset");
  });

  test("is lost where a whole round of a month was missed, unless nothing was requested for three of them", async () => {
    await refresh(1, 30, addDays(today, -200));
    const on = (app: string, days: number) =>
      snapshot("weekly", 20, { scope: { app }, window: oneDay(addDays(today, -days)) });
    await ended("loaded", on("1", 75), on("2", 59), on("3", 91));
    expect(await planned(...["1", "2", "3"].map((app) => on(app, 0)))).toBe(1);
    expect(await lost()).toEqual([`weekly ${addDays(today, -45)} 1`]);
  });

  test("is lost by the setting that held on its day, not by that of now", async () => {
    await ended("loaded", snapshot("daily", 16), snapshot("weekly", 13));
    await ended("failed", snapshot("weekly", 15), snapshot("daily", 19, { scope: { app: "2" } }));
    await refresh(7, 1, today);
    // the week of the 13th is over, and the one after it was not due each day
    expect(await planned(snapshot("daily", 20), snapshot("weekly", 20))).toBe(4);
    expect(await lost()).toEqual(["daily 2026-08-19 2", "daily 2026-08-18 1", "daily 2026-08-17 1"]);
  });

  test("is lost by the setting of now from the day on which it was noted", async () => {
    await ended("loaded", snapshot("daily", 16), snapshot("weekly", 14));
    await refresh(7, 1, august(18).start);
    expect(await planned(snapshot("daily", 20), snapshot("weekly", 20))).toBe(3);
    expect(await lost()).toEqual(["weekly 2026-08-19 1", "weekly 2026-08-18 1", "daily 2026-08-17 1"]);
  });

  test("is lost no more once a newer slice has its answer, cell by cell, as coverage says", async () => {
    await ended("loaded", snapshot("daily", 17, { items: ["a", "b", "c"] }), snapshot("weekly", 4));
    expect(await planned(snapshot("daily", 20, { items: ["a", "b", "c"] }), snapshot("weekly", 20))).toBe(3);
    // as an import does: other lists, days that are past
    await ended("loaded", snapshot("daily", 19, { items: ["a", "b"] }), snapshot("weekly", 12));
    await ended("empty", snapshot("daily", 18, { items: ["a", "b", "c", "d"] }));
    expect(await lost()).toEqual(["daily 2026-08-19 1", "weekly 2026-08-11 1"]);
    const { rows } = await ledger.stage.pool.query(
      "select dataset, date_day::text as day, lost_count::int as cells from ops.coverage_daily where lost_count > 0 order by 1",
    );
    expect(rows.map(({ dataset, day, cells }) => `${dataset} ${day} ${cells}`)).toEqual(await lost());
  });

  test("is lost where it was put off beyond its day: the slice moves to today and the day stays", async () => {
    const ids = await ended("deferred", snapshot("daily", 19), snapshot("weekly", 19));
    for (const sliceId of ids) await noteMoved(ledger.stage.db, { sliceId, day: august(19).start, today, now });
    expect(await lost()).toEqual(["daily 2026-08-19 1"]);
  });

  test("is lost on each of the days for which it was put off: nobody plans another one meanwhile", async () => {
    const [daily = ""] = await ended("deferred", snapshot("daily", 17));
    const [weekly = ""] = await ended("deferred", snapshot("weekly", 4));
    await noteMoved(ledger.stage.db, { sliceId: daily, day: august(17).start, today, now });
    await noteMoved(ledger.stage.db, { sliceId: weekly, day: august(4).start, today, now });
    expect(await lost()).toEqual([
      "daily 2026-08-19 1",
      "daily 2026-08-18 1",
      "daily 2026-08-17 1",
      "weekly 2026-08-11 1",
      "weekly 2026-08-04 1",
    ]);
  });

  test("is at risk once two thirds of its time are over, until it is loaded or lost: failed, waiting, or not planned", async () => {
    await ended("failed", snapshot("daily", 20));
    await ended("pending", snapshot("daily", 20, { scope: { app: "2" } }));
    await ended("loaded", snapshot("daily", 20, { scope: { app: "3" } }));
    // due this week and not planned; one of an app that left the portfolio rounds ago is not due
    await ended("loaded", snapshot("weekly", 10));
    await ended("loaded", snapshot("weekly", 1, { scope: { app: "5" } }));
    expect(await at(midnight + 16 * hour - 1)).toEqual([]);
    expect(await at(midnight + 16 * hour)).toEqual(["daily 2 2026-08-21T00"]);
    // a day later nobody has planned the new day: it is at risk for all three, with any state of the day before
    expect(await at(midnight + 40 * hour)).toEqual(["daily 3 2026-08-22T00", "weekly 1 2026-08-24T00"]);
  });

  test("is not at risk while its answer is stored and waits for a replay alone", async () => {
    await ended("pending", snapshot("daily", 20));
    expect(await at(midnight + 16 * hour)).toEqual(["daily 1 2026-08-21T00"]);
    await ledger.stage.pool.query("update ops.slice set error_code = 'being_replayed'");
    expect(await at(midnight + 16 * hour)).toEqual([]);
  });

  test("is at risk by the first day of its round on which it failed, though it is requested again each day", async () => {
    const failedOn = (app: string, ...dates: readonly number[]) =>
      ended("failed", ...dates.map((date) => snapshot("weekly", date, { scope: { app } })));
    // an answer begins another round, and so does the end of one that is lost
    await failedOn("1", 16, 17, 18, 19, 20);
    await failedOn("2", 14, 15);
    await ended("loaded", snapshot("weekly", 16, { scope: { app: "2" } }));
    await failedOn("3", 10, 11, 16, 17, 18, 20);
    expect(await planned()).toBe(1);
    expect(await at(midnight + 16 * hour - 1)).toEqual([]);
    expect(await at(midnight + 16 * hour)).toEqual(["weekly 1 2026-08-23T00"]);
    expect(await at(midnight + 40 * hour)).toEqual(["weekly 2 2026-08-23T00"]);
  });

  test("is at risk also where its rounds are long and nobody has planned the next one", async () => {
    await refresh(1, 20, addDays(today, -200));
    await ended("loaded", snapshot("weekly", 20, { window: oneDay(addDays(today, -33)) }));
    expect(await at(midnight + 8 * hour - 1)).toEqual([]);
    expect(await at(midnight + 8 * hour)).toEqual(["weekly 1 2026-08-27T00"]);
  });

  test("is at risk also where its dataset is off by default and a line of the crontab names it", async () => {
    const { db, pool } = ledger.stage;
    const note = (isOff: boolean) => {
      const line = datasetLine("daily", { is_on: false, is_switched_off: isOff });
      return noteDatasets(db, [line], [], { account: "", planned: [], today });
    };
    const atRisk = async () => (await readDaysAtRisk(db, midnight + 16 * hour)).map(({ dataset }) => dataset);
    await ended("failed", snapshot("daily", 20));
    await note(false);
    expect(await atRisk()).toEqual([]);
    await pool.query("insert into ops.next_run values ('own', '{daily}', now(), 1, 1, 1, now())");
    expect(await atRisk()).toEqual(["daily"]);
    await note(true);
    expect(await atRisk()).toEqual([]);
    await pool.query("delete from ops.next_run");
  });

  test("is a state of its own in the coverage of its day", async () => {
    await ended("failed", snapshot("daily", 19, { items: ["a", "b"] }));
    await planned();
    const { rows } = await ledger.stage.pool.query(
      "select date_day, cell_count::int as cells, lost_count::int as lost, failed_count::int as failed from ops.coverage_daily",
    );
    expect(rows).toEqual([{ date_day: "2026-08-19", cells: 2, lost: 2, failed: 0 }]);
    expect((await ledger.stage.pool.query("select from ops.failed_slice")).rows).toEqual([]);
  });
});

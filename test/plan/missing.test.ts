import { describe, expect, test } from "vitest";
import { addDays, day } from "../../src/core/day.ts";
import { sliceStates, type Covered, type SliceState } from "../../src/core/slice.ts";
import { daysOf, oneDay, type Window } from "../../src/core/window.ts";
import { calendarOf } from "../../src/plan/cover/gap-grid.ts";
import { mayRequest, requestable, missingCells, type MissingOptions } from "../../src/plan/missing.ts";
import { daysIn } from "../support/plan-grid.ts";
import { covered, daysAgo, series, today } from "../support/plan-timing.ts";

describe("requestable", () => {
  test("keeps the settle window out of a backfill", () => {
    expect(requestable(series({ settleDays: 1, historyDays: 3 }), today, {})).toEqual({
      start: daysAgo(3),
      end: today,
    });
    expect(requestable(series({ settleDays: 4, historyDays: 3 }), today, {})).toEqual({
      start: daysAgo(6),
      end: daysAgo(3),
    });
    expect(requestable(series({ settleDays: 0, historyDays: 1 }), today, {})).toEqual(oneDay(today));
  });

  test("cuts a requested end where days are not published yet, and keeps an earlier one", () => {
    expect(requestable(series(), today, { end: daysAgo(400) })).toEqual({ start: daysAgo(430), end: daysAgo(400) });
    const bounds = { start: daysAgo(9), end: addDays(today, 30) };
    expect(requestable(series({ settleDays: 2 }), today, bounds)).toEqual({ start: daysAgo(9), end: daysAgo(1) });
    // before the first store opened there was nothing: such days were planned, and paid for
    expect(requestable(series(), today, { start: day("1970-01-01") }).start).toBe("2008-07-10");
    expect(requestable(series(), today, { start: daysAgo(9), end: daysAgo(5) })).toEqual({
      start: daysAgo(9),
      end: daysAgo(5),
    });
  });

  test("reaches further back than the history on request", () => {
    expect(requestable(series({ historyDays: 3 }), today, { start: daysAgo(400) }).start).toBe(daysAgo(400));
  });
});

describe("mayRequest", () => {
  test("allows a snapshot of today only", () => {
    const snapshot = { kind: "snapshot", refreshDays: 7 } as const;
    expect(mayRequest(snapshot, oneDay(today), today)).toBe(true);
    expect(mayRequest(snapshot, oneDay(daysAgo(1)), today)).toBe(false);
    expect(mayRequest(snapshot, { start: today, end: addDays(today, 2) }, today)).toBe(false);
  });

  test("allows days that are published and kept, and whole periods", () => {
    const days = series({ settleDays: 1, keptFrom: daysAgo(20) });
    expect(mayRequest(days, { start: daysAgo(20), end: today }, today)).toBe(true);
    expect(mayRequest(days, { start: daysAgo(21), end: today }, today)).toBe(false);
    expect(mayRequest(days, oneDay(today), today)).toBe(false);
    const week = { kind: "period", grid: { days: 7 }, settleDays: 1, lookbackDays: 0, historyDays: 30 } as const;
    const whole = { start: day("2026-08-03"), end: day("2026-08-10") };
    expect(mayRequest(week, whole, day("2026-08-10"))).toBe(true);
    expect(mayRequest(week, whole, day("2026-08-09"))).toBe(false);
    expect(mayRequest(week, { ...whole, end: day("2026-08-09") }, day("2026-08-20"))).toBe(false);
  });
});

describe("missingCells", () => {
  const week = { start: daysAgo(7), end: today };

  type Options = Partial<Omit<MissingOptions, "calendar" | "covered"> & { window: Window }>;

  /** Missing days of each item that is requested at all. */
  function missing(slices: readonly Covered[], { window = week, ...options }: Options = {}) {
    const found = missingCells({
      timing: series(),
      items: null,
      calendar: calendarOf(window),
      covered: slices,
      today,
      reprocess: "missing",
      ...options,
    });
    const [fresh, restated] = [daysIn(found.fresh), daysIn(found.restated)];
    return {
      get: (item: string) => ({ fresh: fresh.get(item) ?? [], restated: restated.get(item) ?? [] }),
      keys: () => [...new Set([...fresh.keys(), ...restated.keys()])],
      values: () => [...fresh.values()],
    };
  }

  test("requests every day of the window that was never requested, the end left out", () => {
    expect(missing([]).get("")).toEqual({ fresh: daysOf(week), restated: [] });
    expect(missing([covered({ window: { start: daysAgo(6), end: daysAgo(1) } })]).get("")).toEqual({
      fresh: [daysAgo(7), daysAgo(1)],
      restated: [],
    });
  });

  test.each(sliceStates)("counts a day as requested when its slice is %s", (state) => {
    expect(missing([covered({ window: week, state })]).get("")).toEqual({ fresh: [], restated: [] });
  });

  test("ignores what was requested outside the window, on both sides", () => {
    const around = [
      covered({ window: { start: daysAgo(30), end: daysAgo(7) } }),
      covered({ window: { start: today, end: addDays(today, 3) } }),
    ];
    expect(missing(around).get("").fresh).toEqual(daysOf(week));
    const across = [covered({ window: { start: daysAgo(30), end: daysAgo(6) } })];
    expect(missing(across).get("").fresh).toEqual(daysOf({ start: daysAgo(6), end: today }));
  });

  test("requests nothing in a window that is empty or ends before it starts", () => {
    expect(missing([], { window: { start: today, end: today } }).get("")).toEqual({ fresh: [], restated: [] });
    expect(missing([], { window: { start: today, end: daysAgo(3) } }).get("")).toEqual({ fresh: [], restated: [] });
  });

  test("keeps items apart: one that was requested says nothing about another", () => {
    const slices = [covered({ items: ["requested", "dropped since"], window: oneDay(daysAgo(1)) })];
    const found = missing(slices, { items: ["requested", "new"] });
    expect(found.keys()).toEqual(["new", "requested"]);
    expect(found.get("requested").fresh).toEqual(daysOf({ start: daysAgo(7), end: daysAgo(1) }));
    expect(found.get("new").fresh).toEqual(daysOf(week));
  });

  test("keeps scopes apart that share their items, whichever lists they were requested by", () => {
    const items = ["a", "b", "c"];
    const [whole, none] = [daysOf(week), [] as const];
    const freshOf = (...lists: readonly (readonly string[])[]) => {
      const found = missing(
        lists.map((list) => covered({ items: list, window: week })),
        { items },
      );
      return items.map((item) => found.get(item).fresh);
    };
    expect(freshOf(["a"])).toEqual([none, whole, whole]);
    expect(freshOf(["b"])).toEqual([whole, none, whole]);
    expect(freshOf(["a"], ["b", "c"])).toEqual([none, none, none]);
    expect(freshOf()).toEqual([whole, whole, whole]);
  });

  describe("while the source restates days", () => {
    const timing = series({ settleDays: 1, lookbackDays: 3 });
    const requestedOn = (asOf: Covered["asOf"], state: Covered["state"] = "loaded") =>
      covered({ window: week, asOf, state });

    test("requests the days again that were young when they were last requested", () => {
      expect(missing([requestedOn(daysAgo(1))], { timing }).get("")).toEqual({
        fresh: [],
        restated: [daysAgo(4), daysAgo(3), daysAgo(2), daysAgo(1)],
      });
    });

    test("requests once a day and not twice", () => {
      expect(missing([requestedOn(today)], { timing }).get("").restated).toEqual([]);
    });

    test("leaves a young day to the slice that is open for it", () => {
      expect(missing([requestedOn(daysAgo(1), "deferred")], { timing }).get("").restated).toEqual([]);
    });

    test("takes the last of several answers, in whichever order they are listed", () => {
      const answers = [requestedOn(daysAgo(3)), requestedOn(today)];
      expect(missing(answers, { timing }).get("").restated).toEqual([]);
      expect(missing(answers.toReversed(), { timing }).get("").restated).toEqual([]);
    });

    test("requests a day on each day until it is final, and then never again", () => {
      const only = day("2026-08-10");
      const requested: Covered[] = [];
      const days = daysOf({ start: only, end: addDays(only, 12) });
      const nights = days.filter((night) => {
        const { end } = requestable(timing, night, {});
        const window = { start: only, end: end < addDays(only, 1) ? end : addDays(only, 1) };
        const found = missing(requested, { timing, window, today: night }).get("");
        const due = [...(found.fresh ?? []), ...(found.restated ?? [])].includes(only);
        if (due) requested.push(covered({ window: oneDay(only), asOf: night }));
        return due;
      });
      expect(nights).toEqual(["2026-08-11", "2026-08-12", "2026-08-13", "2026-08-14"]);
    });
  });

  test("leaves out an item that was refused alone, and keeps those that were refused beside it", () => {
    const refused = covered({ items: ["bad"], state: "skipped", refused: true, window: oneDay(daysAgo(3)) });
    const batch = covered({ items: ["bad", "good"], state: "skipped", refused: true, window: oneDay(daysAgo(3)) });
    const found = missing([refused, batch], { items: ["bad", "good"], window: { start: daysAgo(2), end: today } });
    expect(found.keys()).toEqual(["good"]);
  });

  test.each(["empty", "skipped"] as const)("requests once more, a day later, a newest day that was %s", (state) => {
    const window = { start: daysAgo(2), end: today };
    const early = covered({ items: ["a"], state, window: oneDay(daysAgo(2)), asOf: daysAgo(1) });
    expect(missing([early], { items: ["a"], window }).get("a").restated).toEqual([daysAgo(2)]);
    const late = covered({ items: ["a"], state, window: oneDay(daysAgo(2)), asOf: today });
    expect(missing([early, late], { items: ["a"], window }).get("a").restated).toEqual([]);
  });

  describe("when failed cells are requested again", () => {
    const failed = { reprocess: "failed" } as const;
    const on = (state: SliceState, slice: Partial<Covered> = {}) =>
      covered({ window: oneDay(daysAgo(2)), state, ...slice });

    test.each(sliceStates)("takes a day whose slice is %s only if nothing came of it", (state) => {
      const again = state === "failed" || state === "skipped";
      expect(missing([on(state)], failed).get("")).toEqual({ fresh: again ? [daysAgo(2)] : [], restated: [] });
    });

    test("leaves alone what was never requested, what was refused, and what is only restated", () => {
      expect(missing([], failed).keys()).toEqual([]);
      expect(missing([on("skipped", { refused: true })], failed).keys()).toEqual([]);
      const timing = series({ lookbackDays: 5 });
      expect(missing([on("loaded", { asOf: daysAgo(1) })], { ...failed, timing }).keys()).toEqual([]);
    });

    test("goes by the newest slice of a day", () => {
      expect(missing([on("failed"), on("loaded")], failed).keys()).toEqual([]);
      expect(missing([on("failed"), on("pending")], failed).keys()).toEqual([]);
      expect(missing([on("loaded"), on("failed")], failed).get("").fresh).toEqual([daysAgo(2)]);
    });

    test("keeps items apart", () => {
      const slices = [on("failed", { items: ["a", "b"] }), on("loaded", { items: ["b"] })];
      expect(missing(slices, { ...failed, items: ["a", "b", "c"] }).keys()).toEqual(["a"]);
    });
  });

  describe("when everything is requested again", () => {
    const all = { reprocess: "all" } as const;

    test.each(sliceStates)("leaves a day out whose slice is %s only while that is open", (state) => {
      const open = state === "pending" || state === "running" || state === "deferred";
      const { fresh, restated } = missing([covered({ window: oneDay(daysAgo(2)), state })], all).get("");
      expect(fresh).toEqual(daysOf(week).filter((one) => !open || one !== daysAgo(2)));
      expect(restated).toEqual([]);
    });

    test("leaves out a day that is open beside an answer, whichever came first", () => {
      const slices = [covered({ window: week, state: "loaded" }), covered({ window: week, state: "pending" })];
      expect(missing(slices, all).keys()).toEqual([]);
      expect(missing(slices.toReversed(), all).keys()).toEqual([]);
    });

    test("keeps out an item that was refused alone", () => {
      const refused = covered({ items: ["bad"], state: "skipped", refused: true });
      expect(missing([refused], { ...all, items: ["bad", "good"] }).keys()).toEqual(["good"]);
    });
  });

  test("searches a year of 500 items and 20,000 slices", () => {
    const year = { start: daysAgo(365), end: today };
    const items = Array.from({ length: 500 }, (_, index) => `keyword ${index}`);
    const histories = items.flatMap((item) =>
      Array.from({ length: 12 }, (_, month) => {
        const start = addDays(year.start, month * 30);
        return covered({ items: [item], window: { start, end: addDays(start, 30) } });
      }),
    );
    const nights = daysOf({ start: daysAgo(365), end: daysAgo(5) }).flatMap((night) =>
      Array.from({ length: 40 }, (_, batch) => covered({ items: items.slice(batch * 12), window: oneDay(night) })),
    );
    const found = missing([...histories, ...nights], { items, window: year });
    expect(found.values().map((fresh) => fresh.length)).toEqual(items.map(() => 5));
  });
});

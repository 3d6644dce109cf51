import { describe, expect, test } from "vitest";
import { scopeKey, sliceStates, type Covered, type Scope, type SliceState } from "../../src/core/slice.ts";
import type { Timing } from "../../src/core/timing.ts";
import { oneDay } from "../../src/core/window.ts";
import { planDataset } from "../../src/plan/plan-dataset.ts";
import type { PlanPartition, PlanRequest } from "../../src/plan/plan-request.ts";
import { byDay, byHistory, byList, covered, daysAgo, series, today } from "../support/plan-timing.ts";

const scope: Scope = { store: "ios", app: "1", country: "US" };

function partition(part: Partial<PlanPartition> = {}): PlanPartition {
  return { scope, items: null, fingerprint: "", fetchOptions: [{ ...byHistory, maxDays: 1 }], ...part };
}

function plan(
  timing: Timing,
  held: readonly Covered[],
  options: Partial<PlanRequest> & { readonly partition?: Partial<PlanPartition> } = {},
) {
  const { partition: part, ...rest } = options;
  return planDataset({
    dataset: "some_dataset",
    timing,
    partitions: [partition(part)],
    covered: new Map([[scopeKey(scope), held]]),
    today,
    bounds: {},
    reprocess: "missing",
    ...rest,
  });
}

describe("a snapshot", () => {
  const weekly = { kind: "snapshot", refreshDays: 7 } as const;
  const requestedOn = (count: number, slice: Partial<Covered> = {}) =>
    covered({ window: oneDay(daysAgo(count)), asOf: daysAgo(count), ...slice });

  test("is requested at once when it never was, as today's", () => {
    expect(plan(weekly, [])).toEqual({
      dataset: "some_dataset",
      naiveCredits: 10,
      slices: [
        {
          dataset: "some_dataset",
          operation: "by_history",
          scope,
          items: null,
          window: oneDay(today),
          class: "snapshot",
          requests: 1,
          credits: 10,
          asOf: today,
          fingerprint: "",
          lastDay: daysAgo(-6),
        },
      ],
    });
  });

  test("is due again when the last answer is as old as its refresh says, and not a day before", () => {
    expect(plan(weekly, [requestedOn(6)]).slices).toEqual([]);
    expect(plan(weekly, [requestedOn(7)]).slices).toHaveLength(1);
    expect(plan(weekly, [requestedOn(30), requestedOn(2)]).slices).toEqual([]);
  });

  test("is due when what the portfolio knows has changed", () => {
    const returned = [requestedOn(2, { fingerprint: "keywords 12" }), requestedOn(1, { fingerprint: "keywords 9" })];
    expect(plan(weekly, returned, { partition: { fingerprint: "keywords 12" } }).slices).toHaveLength(1);
    const held = [requestedOn(1, { fingerprint: "keywords 12" })];
    expect(plan(weekly, held, { partition: { fingerprint: "keywords 12" } }).slices).toEqual([]);
    const [due] = plan(weekly, held, { partition: { fingerprint: "keywords 13" } }).slices;
    expect(due).toMatchObject({ fingerprint: "keywords 13", window: oneDay(today) });
    // the list was empty in between: the older one says nothing about what is in it now
    const emptied = [
      requestedOn(2, { fingerprint: "keywords 1" }),
      requestedOn(1, { fingerprint: "keywords 0", state: "empty" }),
    ];
    const one = { partition: { fingerprint: "keywords 1", expected: true } };
    expect(plan(weekly, emptied, one).slices).toHaveLength(1);
  });

  test("is not requested twice on a day on which it failed, but the next day", () => {
    expect(plan(weekly, [requestedOn(0, { state: "failed" })]).slices).toEqual([]);
    expect(plan(weekly, [requestedOn(1, { state: "failed" })]).slices).toHaveLength(1);
    expect(plan(weekly, [requestedOn(2), requestedOn(1, { state: "failed" })]).slices).toEqual([]);
  });

  test.each([
    ["failed", false],
    ["skipped", false],
    ["failed", true],
    ["skipped", true],
    ["empty", true],
  ] as const)(
    "waits twice as long after each time that it is %s (something is known to be there: %s), and never longer than its refresh",
    (state, expected) => {
      const missed = (...days: readonly number[]) =>
        plan(weekly, [requestedOn(30), ...days.map((count) => requestedOn(count, { state }))], {
          partition: { expected },
        }).slices;
      expect(missed(1)).toHaveLength(1);
      expect(missed(2, 1)).toEqual([]);
      expect(missed(3, 2)).toHaveLength(1);
      expect(missed(6, 5, 3)).toEqual([]);
      expect(missed(7, 6, 4)).toHaveLength(1);
      expect(missed(20, 19, 17, 13, 6)).toEqual([]);
      expect(missed(20, 19, 17, 13, 7)).toHaveLength(1);
    },
  );

  test("is requested each day while it fails with an error that may pass, which counts for no other wait", () => {
    const failed = (...days: readonly number[]) =>
      days.map((count) => requestedOn(count, { state: "failed", isPassing: true }));
    expect(plan(weekly, [requestedOn(30), ...failed(4, 3, 2, 1)]).slices).toHaveLength(1);
    expect(plan(weekly, [requestedOn(30), ...failed(1, 0)]).slices).toEqual([]);
    expect(plan(weekly, [...failed(4, 3, 2), requestedOn(1, { state: "skipped" })]).slices).toHaveLength(1);
    const charged = [9, 8, 6].map((count) => requestedOn(count, { state: "failed" }));
    expect(plan(weekly, [requestedOn(30), ...charged, ...failed(1)]).slices).toHaveLength(1);
  });

  test("is due again the next day when it was unavailable, and holds when its request was refused", () => {
    const skipped = (count: number, refused = false) => [
      requestedOn(9),
      requestedOn(count, { state: "skipped", refused }),
    ];
    expect(plan(weekly, skipped(0)).slices).toEqual([]);
    expect(plan(weekly, skipped(1)).slices).toHaveLength(1);
    expect(plan(weekly, skipped(1, true)).slices).toEqual([]);
  });

  test("is due again the next day when it is empty although something is known to be there", () => {
    const expected = { partition: { expected: true } };
    expect(plan(weekly, [requestedOn(0, { state: "empty" })], expected).slices).toEqual([]);
    expect(plan(weekly, [requestedOn(1, { state: "empty" })], expected).slices).toHaveLength(1);
    expect(plan(weekly, [requestedOn(1)], expected).slices).toEqual([]);
  });

  test.each(["pending", "running", "deferred", "empty"] as const)("is not requested again while it is %s", (state) => {
    expect(plan(weekly, [requestedOn(1, { state })]).slices).toEqual([]);
  });

  test("is not planned where no operation can answer", () => {
    expect(plan(weekly, [], { partition: { fetchOptions: [] } })).toMatchObject({ slices: [], naiveCredits: 0 });
  });
});

describe("a snapshot that is requested again", () => {
  const weekly = { kind: "snapshot", refreshDays: 7 } as const;
  const held = (state: SliceState, slice: Partial<Covered> = {}) =>
    covered({ window: oneDay(today), asOf: today, state, ...slice });
  const due = (reprocess: PlanRequest["reprocess"], ...slices: readonly Covered[]) =>
    plan(weekly, slices, { reprocess }).slices.length > 0;

  test.each(sliceStates)("is due when its newest slice is %s as failed and all say", (state) => {
    expect(due("failed", held(state))).toBe(state === "failed" || state === "skipped");
    expect(due("all", held(state))).toBe(!["pending", "running", "deferred"].includes(state));
  });

  test("goes by its newest slice, and never by one whose request was refused", () => {
    expect(due("failed", held("failed"), held("loaded"))).toBe(false);
    expect(due("failed")).toBe(false);
    expect(due("all")).toBe(true);
    for (const reprocess of ["failed", "all"] as const)
      expect(due(reprocess, held("skipped", { refused: true }))).toBe(false);
  });
});

describe("the account's whole list", () => {
  const items = Array.from({ length: 30 }, (_, index) => `a, ${String(index).padStart(2, "0")}`);
  const fetchOptions = [byDay, byHistory, byList(items)];
  const planned = (...slices: readonly Covered[]) =>
    plan(series({ historyDays: 1 }), slices, { partition: { items, fetchOptions } }).slices;

  test("is one slice that takes a call a device", () => {
    expect(planned()).toMatchObject([
      { operation: "by_list", items, requests: 2, credits: 100, window: oneDay(daysAgo(1)) },
    ]);
  });

  test("is not requested again for what it did not name: that goes another fetch option, the rest is held", () => {
    const [gone = "", ...rest] = items;
    const loaded = covered({ operation: "by_list", items: rest });
    const silent = covered({ operation: "by_list", items: [gone], state: "skipped" });
    expect(planned(loaded, silent)).toMatchObject([{ operation: "by_history", items: [gone], credits: 10 }]);
    const requested = covered({ operation: "by_history", items: [gone] });
    expect(planned(loaded, silent, requested)).toEqual([]);
  });

  test("leaves every item to other fetch options when it was refused, without taking one for refused", () => {
    const refused = covered({ operation: "by_list", items, state: "skipped", refused: true });
    expect(planned(refused).map(({ operation }) => operation)).toEqual(items.map(() => "by_history"));
    const alone = covered({ operation: "by_list", items: items.slice(0, 1), state: "skipped", refused: true });
    expect(planned(alone).flatMap((slice) => slice.items)).toContain(items[0]);
  });
});

describe("a series", () => {
  test("of items that were never requested has nothing that failed", () => {
    const items = { items: ["a", "b"], fetchOptions: [byDay] };
    expect(plan(series(), [], { partition: items }).slices).not.toEqual([]);
    expect(plan(series(), [], { partition: items, reprocess: "failed" }).slices).toEqual([]);
  });

  test("calls the newest published day daily, what lies before it backfill, what is requested again lookback", () => {
    const held = [covered({ window: { start: daysAgo(5), end: daysAgo(2) }, asOf: daysAgo(2) })];
    const { slices } = plan(series({ lookbackDays: 2, historyDays: 6 }), held);
    expect(slices.map((slice) => [slice.class, slice.window.start])).toEqual([
      ["daily", daysAgo(1)],
      ["history", daysAgo(2)],
      ["lookback", daysAgo(3)],
      ["lookback", daysAgo(4)],
      ["history", daysAgo(6)],
    ]);
  });

  test("counts the newest day from where the settle window ends", () => {
    const { slices } = plan(series({ settleDays: 3, historyDays: 2 }), []);
    expect(slices.map((slice) => [slice.class, slice.window])).toEqual([
      ["daily", oneDay(daysAgo(3))],
      ["history", oneDay(daysAgo(4))],
    ]);
  });

  test("honours requested days, the end left out", () => {
    const { slices } = plan(series(), [], { bounds: { start: daysAgo(40), end: daysAgo(38) } });
    expect(slices.map(({ window }) => window.start)).toEqual([daysAgo(39), daysAgo(40)]);
    expect(plan(series(), [], { bounds: { start: daysAgo(3), end: daysAgo(3) } }).slices).toEqual([]);
  });

  test("names the items of each call and prices the plan against one request a keyword", () => {
    const items = ["a", "b", "c", "d, e"];
    const { slices, naiveCredits } = plan(series({ historyDays: 2 }), [], {
      partition: { items, fetchOptions: [byDay, byHistory] },
    });
    expect(slices.map((slice) => [slice.operation, slice.items, slice.credits])).toEqual([
      ["by_history", ["d, e"], 10],
      ["by_day", ["a", "b", "c"], 3],
      ["by_day", ["a", "b", "c"], 3],
    ]);
    expect(naiveCredits).toBe(3 * 6 + 10);
  });

  test("reads the coverage of its own partition only", () => {
    const other = new Map([[scopeKey({ ...scope, country: "DE" }), [covered()]]]);
    expect(plan(series({ historyDays: 1 }), [], { covered: other }).slices).toHaveLength(1);
    const shuffled = new Map([[scopeKey(Object.fromEntries(Object.entries(scope).toReversed())), [covered()]]]);
    expect(plan(series({ historyDays: 1 }), [], { covered: shuffled }).slices).toEqual([]);
  });

  test("gives newest first, in one order for any order of apps, countries and keywords", () => {
    const partitions = ["US", "JP", "DE"].map((country) =>
      partition({ scope: { ...scope, country }, items: ["b", "a"], fetchOptions: [byDay, byHistory] }),
    );
    const mirrored = partitions.toReversed().map((one) => ({ ...one, items: ["a", "b"] }));
    const { slices } = plan(series({ historyDays: 2 }), [], { partitions });
    expect(slices.map((slice) => [slice.window.start, slice.scope["country"]])).toEqual([
      [daysAgo(1), "DE"],
      [daysAgo(1), "JP"],
      [daysAgo(1), "US"],
      [daysAgo(2), "DE"],
      [daysAgo(2), "JP"],
      [daysAgo(2), "US"],
    ]);
    expect(plan(series({ historyDays: 2 }), [], { partitions: mirrored }).slices).toEqual(slices);
  });
});

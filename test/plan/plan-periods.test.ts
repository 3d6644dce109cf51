import { describe, expect, test } from "vitest";
import { addDays, day } from "../../src/core/day.ts";
import { scopeKey, type Covered } from "../../src/core/slice.ts";
import type { FetchOption } from "../../src/core/fetch-option.ts";
import type { Timing } from "../../src/core/timing.ts";
import type { Window } from "../../src/core/window.ts";
import { planDataset } from "../../src/plan/plan-dataset.ts";
import type { PlanRequest } from "../../src/plan/plan-request.ts";
import { covered } from "../support/plan-timing.ts";

const scope = { org: "7" };
const report: FetchOption = { operation: "report", credits: 50, maxDays: 14, maxItems: 1 };
const fortnights: Extract<Timing, { kind: "period" }> = {
  kind: "period",
  grid: { days: 14 },
  settleDays: 1,
  lookbackDays: 0,
  historyDays: 28,
};
const months = { ...fortnights, grid: { months: 1 }, historyDays: 90 } as const;

function plan(timing: Timing, today: string, held: readonly Covered[] = [], more: Partial<PlanRequest> = {}) {
  const option = more.partitions?.[0]?.fetchOptions ?? [report];
  return planDataset({
    dataset: "some_dataset",
    timing,
    partitions: [{ scope, items: null, fingerprint: "", fetchOptions: option }],
    covered: new Map([[scopeKey(scope), held]]),
    today: day(today),
    bounds: {},
    reprocess: "missing",
    ...more,
  }).slices;
}

const requested = (window: Window, slice: Partial<Covered> = {}) => covered({ window, operation: "report", ...slice });
const windows = (slices: readonly { window: Window }[]) => slices.map(({ window }) => window);

describe("aggregates over periods", () => {
  // 2026-08-03 is a Monday of the grid
  test("are requested whole, and only once the last day is published", () => {
    expect(windows(plan(fortnights, "2026-08-16"))[0]).toEqual({ start: "2026-07-20", end: "2026-08-03" });
    expect(windows(plan(fortnights, "2026-08-17"))[0]).toEqual({ start: "2026-08-03", end: "2026-08-17" });
  });

  test("are history, but the newest: until the next one is over it is what tonight wants", () => {
    for (const today of ["2026-08-17", "2026-08-18", "2026-08-30"])
      expect(plan(fortnights, today).map((slice) => [slice.class, slice.window.start])).toEqual([
        ["daily", "2026-08-03"],
        ["history", "2026-07-20"],
      ]);
  });

  test("are the same ones on any day they are planned on, so that none is requested again", () => {
    const first = plan(fortnights, "2026-08-17").map(({ window }) => requested(window, { asOf: day("2026-08-17") }));
    for (const today of ["2026-08-18", "2026-08-23", "2026-08-30"]) expect(plan(fortnights, today, first)).toEqual([]);
    expect(windows(plan(fortnights, "2026-08-31", first))).toEqual([{ start: "2026-08-17", end: "2026-08-31" }]);
  });

  test("count as never requested when only their days were, in another grid", () => {
    const other = requested({ start: day("2026-06-24"), end: day("2026-08-25") });
    expect(plan(fortnights, "2026-08-17", [other])).toHaveLength(plan(fortnights, "2026-08-17").length);
  });

  test("are requested again once where they are known to have moved, also where they were final", () => {
    const first = plan(fortnights, "2026-08-17").map(({ window }) => requested(window, { asOf: day("2026-08-17") }));
    const window = { start: day("2026-07-27"), end: day("2026-08-10") };
    const moved = { ...fortnights, moved: [{ window, since: day("2026-08-19") }] };
    expect(windows(plan(moved, "2026-08-20", first))).toEqual(windows(first));
    const again = windows(first).map((one) => requested(one, { asOf: day("2026-08-20") }));
    expect(plan(moved, "2026-08-21", [...first, ...again])).toEqual([]);
    // an answer of the day from which answers are new enough is one of them
    const inTime = windows(first).map((one) => requested(one, { asOf: day("2026-08-19") }));
    expect(plan(moved, "2026-08-21", [...first, ...inTime])).toEqual([]);
    // what was planned today is not requested twice, and a slice that is open will bring it
    expect(plan(moved, "2026-08-17", first)).toEqual([]);
    expect(
      plan(
        moved,
        "2026-08-20",
        first.map((one) => ({ ...one, state: "pending" as const })),
      ),
    ).toEqual([]);
    const elsewhere = {
      ...fortnights,
      moved: [{ window: { start: day("2026-07-01"), end: day("2026-07-08") }, since: day("2026-08-19") }],
    };
    expect(plan(elsewhere, "2026-08-20", first)).toEqual([]);
  });

  test("are one call each, a month of 31 days too", () => {
    const slices = plan(months, "2026-09-01", [], {
      partitions: [{ scope, items: null, fingerprint: "", fetchOptions: [{ ...report, maxDays: 28 }] }],
    });
    expect(slices.map(({ window, requests, credits }) => [window.start, window.end, requests, credits])).toEqual([
      ["2026-08-01", "2026-09-01", 1, 50],
      ["2026-07-01", "2026-08-01", 1, 50],
      ["2026-06-01", "2026-07-01", 1, 50],
    ]);
  });

  test("are requested again while one of their days is restated", () => {
    const window = { start: day("2026-08-03"), end: day("2026-08-17") };
    const restated = { ...fortnights, lookbackDays: 7, historyDays: 14 };
    const early = [requested(window, { asOf: day("2026-08-17") })];
    expect(plan(restated, "2026-08-18", early)).toMatchObject([{ window, class: "lookback" }]);
    const late = [...early, requested(window, { asOf: addDays(window.end, 7) })];
    expect(plan(restated, "2026-08-26", late)).toEqual([]);
  });

  test("reach to the one that holds the first requested day, and not before the dataset's first day", () => {
    const bounds = { start: day("2026-07-23") };
    expect(windows(plan(fortnights, "2026-08-17", [], { bounds })).at(-1)?.start).toBe("2026-07-20");
    const firstDay = day("2026-08-03");
    expect(windows(plan({ ...fortnights, firstDay }, "2026-08-17", [], { bounds }))).toHaveLength(1);
  });

  test("name the items that lack a period, as many as a call may", () => {
    const window = { start: day("2026-08-03"), end: day("2026-08-17") };
    const partitions = [
      { scope, items: ["a", "b", "c", "d"], fingerprint: "", fetchOptions: [{ ...report, maxItems: 2 }] },
    ];
    const slices = plan({ ...fortnights, historyDays: 14 }, "2026-08-17", [requested(window, { items: ["b"] })], {
      partitions,
    });
    expect(slices.map(({ items }) => items)).toEqual([["a", "c"], ["d"]]);
  });

  test("that were empty are requested again when the answer is old enough, where it may mean that the crawl had not happened yet", () => {
    const heldWhenEmpty = { ...fortnights, historyDays: 14, emptyHoldsDays: 7 };
    const window = { start: day("2026-08-03"), end: day("2026-08-17") };
    const empty = [requested(window, { state: "empty", asOf: day("2026-08-17") })];
    for (const today of ["2026-08-18", "2026-08-23"]) expect(plan(heldWhenEmpty, today, empty)).toEqual([]);
    expect(windows(plan(heldWhenEmpty, "2026-08-24", empty))).toEqual([window]);
    const again = [...empty, requested(window, { state: "empty", asOf: day("2026-08-24") })];
    expect(plan(heldWhenEmpty, "2026-08-25", again)).toEqual([]);
    const found = [...empty, requested(window, { asOf: day("2026-08-24") })];
    expect(plan(heldWhenEmpty, "2026-08-30", found)).toEqual([]);
  });

  test("that hold the first day are requested whole", () => {
    const firstDay = day("2026-08-05");
    expect(windows(plan({ ...fortnights, firstDay }, "2026-08-17"))).toEqual([
      { start: "2026-08-03", end: "2026-08-17" },
    ]);
  });
});

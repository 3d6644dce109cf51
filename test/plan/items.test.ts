import { describe, expect, test } from "vitest";
import { addDays, day } from "../../src/core/day.ts";
import { scopeKey, type Covered, type SliceDraft } from "../../src/core/slice.ts";
import type { FetchOption } from "../../src/core/fetch-option.ts";
import type { Timing } from "../../src/core/timing.ts";
import { oneDay } from "../../src/core/window.ts";
import { planDataset } from "../../src/plan/plan-dataset.ts";
import type { PlanPartition } from "../../src/plan/plan-request.ts";
import { covered, daysAgo, series, today } from "../support/plan-timing.ts";

const scope = { store: "ios", country: "US" };
const apps = Array.from({ length: 23 }, (_, index) => String(1000 + index));
const tenApps: FetchOption = { operation: "simple", credits: 1, maxDays: 1, maxItems: 10 };
const daily: Timing = { kind: "snapshot", refreshDays: 1 };

function plan(timing: Timing, held: readonly Covered[], partition: Partial<PlanPartition> = {}, on = today) {
  return planDataset({
    dataset: "some_dataset",
    timing,
    partitions: [{ scope, items: apps, fingerprint: "", fetchOptions: [tenApps], ...partition }],
    covered: new Map([[scopeKey(scope), held]]),
    today: on,
    bounds: {},
    reprocess: "missing",
  });
}

describe("a snapshot of items", () => {
  const held = (items: readonly string[], slice: Partial<Covered> = {}) =>
    covered({ window: oneDay(today), asOf: today, operation: "simple", items, ...slice });

  test("is requested in as few calls as a list allows, each item once", () => {
    const { slices, naiveCredits } = plan(daily, []);
    expect(slices.map(({ items }) => items?.length)).toEqual([10, 10, 3]);
    expect(slices.flatMap(({ items }) => items).toSorted()).toEqual(apps);
    expect(slices.every(({ credits, requests }) => credits === 1 && requests === 1)).toBe(true);
    expect(naiveCredits).toBe(23);
  });

  test("is requested for new items alone", () => {
    const slices = plan(daily, [held(apps.slice(0, 21))]).slices;
    expect(slices.map(({ items }) => items)).toEqual([apps.slice(21)]);
    expect(plan(daily, [held(apps)]).slices).toEqual([]);
  });

  test("is due again item by item", () => {
    const old = held(apps.slice(0, 5), { window: oneDay(daysAgo(1)), asOf: daysAgo(1) });
    expect(plan(daily, [old, held(apps.slice(5))]).slices.map(({ items }) => items)).toEqual([apps.slice(0, 5)]);
  });

  test("leaves out what was refused alone, which would have its batch refused", () => {
    const bad = held([apps[3] ?? ""], {
      window: oneDay(daysAgo(1)),
      asOf: daysAgo(1),
      state: "skipped",
      refused: true,
    });
    expect(plan(daily, [bad]).slices.flatMap(({ items }) => items)).toHaveLength(22);
  });
});

describe("a fetch option of many items and many days", () => {
  const broad: FetchOption = { operation: "history", credits: 10, maxDays: Number.POSITIVE_INFINITY, maxItems: 100 };

  test("is one call for all items and days", () => {
    const { slices } = plan(series({ historyDays: 30 }), [], { fetchOptions: [broad] });
    expect(slices).toMatchObject([{ items: apps, window: { start: daysAgo(30), end: today }, credits: 10 }]);
  });

  test("takes the longest window into account", () => {
    const { slices } = plan(series({ historyDays: 30 }), [], { fetchOptions: [{ ...broad, maxDays: 20 }] });
    expect(slices.map(({ window }) => window)).toEqual([
      { start: daysAgo(10), end: today },
      { start: daysAgo(30), end: daysAgo(10) },
    ]);
  });

  test("names those that lack something", () => {
    const known = covered({
      window: { start: daysAgo(30), end: today },
      items: apps.slice(1),
      operation: "history",
      asOf: today,
    });
    const { slices } = plan(series({ historyDays: 30 }), [known], { fetchOptions: [broad] });
    expect(slices.map(({ items }) => items)).toEqual([apps.slice(0, 1)]);
  });
});

describe("days in packs", () => {
  const packed = series({ packDays: 7, historyDays: 7 });
  const call: FetchOption = { operation: "ranking", credits: 10, maxDays: 30, maxItems: 1 };
  const alone = { items: null, fetchOptions: [call] };

  test("wait until so many can be had in one call", () => {
    // 2026-08-20 is a Thursday: the pack from Monday the 17th is not full
    const [slice, ...rest] = plan(packed, [], alone).slices;
    expect([slice?.window, rest]).toEqual([{ start: daysAgo(10), end: daysAgo(3) }, []]);
    const known = covered({ window: { start: daysAgo(10), end: daysAgo(3) }, operation: "ranking" });
    expect(plan(packed, [known], alone).slices).toEqual([]);
  });

  /** The windows of the calls of four weeks, from a night on which a pack is out on, of answers that are made of each. */
  function calls(timing: Timing, answersOf: (slice: SliceDraft) => readonly Covered[], nights = 28) {
    const held: Covered[] = [];
    return Array.from({ length: nights }, (_, night) => addDays(day("2026-08-03"), night)).flatMap((on) => {
      const { slices } = plan(timing, held, alone, on);
      for (const slice of slices) held.push(...answersOf(slice));
      return slices.map(({ window }) => [on, window.start, window.end].map((one) => one.slice(5)).join(" "));
    });
  }

  const nothing = (slice: SliceDraft) => [covered({ ...slice, state: "empty" })];
  const untilTheEnd = (slice: SliceDraft) => {
    const last = addDays(slice.window.end, -2);
    const tail = { ...slice, window: { start: last, end: slice.window.end } };
    return [
      covered({ ...slice, window: { start: slice.window.start, end: last } }),
      covered({ ...tail, state: "empty", isTail: true }),
    ];
  };

  test("that have nothing are requested again with the next pack, whose call has room for them", () => {
    const weeks = series({ packDays: 7, historyDays: 14 });
    expect(calls(weeks, nothing)).toEqual([
      "08-03 07-20 08-03",
      "08-10 08-02 08-10",
      "08-17 08-09 08-17",
      "08-24 08-16 08-24",
    ]);
    const late = series({ packDays: 7, historyDays: 14, emptyHoldsDays: 3, emptyUntilDays: 6 });
    expect(calls(late, nothing)).toEqual([
      "08-03 07-20 08-03",
      "08-10 07-31 08-10",
      "08-17 08-07 08-17",
      "08-24 08-14 08-24",
    ]);
    expect(calls(late, untilTheEnd)).toEqual([
      "08-03 07-20 08-03",
      "08-10 08-01 08-10",
      "08-17 08-08 08-17",
      "08-24 08-15 08-24",
    ]);
    // where empty may mean not connected, all of it goes with the pack by which it is old enough
    const patient = series({ packDays: 7, historyDays: 28, emptyHoldsDays: 9 });
    expect(calls(patient, nothing)).toEqual([
      "08-03 07-06 08-03",
      "08-10 08-02 08-10",
      "08-17 07-20 08-17",
      "08-24 08-16 08-24",
    ]);
  });

  test("that have nothing are final where a call has no room for more, unless days before them have something", () => {
    const full = { packDays: 7, historyDays: 7, packIsFull: true } as const;
    const each = ["08-03 07-27 08-03", "08-10 08-03 08-10", "08-17 08-10 08-17", "08-24 08-17 08-24"];
    expect(calls(series(full), nothing)).toEqual(each);
    const late = series({ ...full, emptyHoldsDays: 3, emptyUntilDays: 6 });
    expect(calls(late, nothing)).toEqual(each);
    expect(calls(late, untilTheEnd, 7)).toEqual(["08-03 07-27 08-03", "08-06 08-01 08-03"]);
  });
});

test("a partition may have a timing of its own", () => {
  const partition = { items: null, timing: daily, fetchOptions: [{ ...tenApps, maxItems: 1 }] };
  expect(plan(series(), [], partition).slices).toMatchObject([{ class: "snapshot", window: oneDay(today) }]);
});

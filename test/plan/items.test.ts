import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addDays, day } from "../../src/core/day.ts";
import { scopeKey, type Covered, type SliceDraft } from "../../src/core/slice.ts";
import type { FetchOption } from "../../src/core/fetch-option.ts";
import type { Timing } from "../../src/core/timing.ts";
import { oneDay } from "../../src/core/window.ts";
import { fullPack } from "../../src/datasets/shared/values.ts";
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

describe("a snapshot whose call has room for more items", () => {
  const weekly: Timing = { kind: "snapshot", refreshDays: 7 };
  const roomy: FetchOption = { ...tenApps, credits: 20 };

  /** The items of the calls of some nights; each item is there from one of them on. */
  function calls(since: readonly number[], nights: number, option: FetchOption = roomy) {
    const held: Covered[] = [];
    return Array.from({ length: nights }, (_, night) => addDays(today, night)).map((on, night) => {
      const items = apps.slice(0, since.length).filter((_, index) => (since[index] ?? 0) <= night);
      const { slices, naiveCredits } = plan(weekly, held, { items, fetchOptions: [option] }, on);
      held.push(...slices.map((slice) => covered({ ...slice, asOf: on })));
      expect(naiveCredits).toBeLessThanOrEqual(option.credits * items.length);
      return slices.map((slice) => slice.items);
    });
  }

  test("names those that come due soonest as well: items that were added one by one share a call from then on", () => {
    const week = calls([0, 1, 2, 3, 4, 5, 6], 28).map((night) => night.flat().length);
    expect(week.slice(0, 7)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(week.slice(7).filter((count) => count > 0)).toEqual([7, 7, 7]);
    expect(calls([0, 1, 2], 3, { ...roomy, maxItems: 2 })[2]).toEqual([[apps[0], apps[2]]]);
  });

  test("never takes more calls by that", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 1, max: 5 }),
        (since, maxItems) => {
          const count = (option: FetchOption) => calls(since, 63, option).flat().length;
          // where an answer has pages, more items may take more of them
          expect(count({ ...roomy, maxItems })).toBeLessThanOrEqual(count({ ...roomy, maxItems, isPaged: true }));
        },
      ),
      { numRuns: 40 },
    );
  });

  test("leaves out what waits, was refused alone, is unavailable, was answered today, or cannot stand in a list", () => {
    const [due = "", answered = "", split = "1,2", ...others] = [...apps.slice(0, 2), "1,2", ...apps.slice(3, 8)];
    const on = (item: string, days: number, slice: Partial<Covered> = {}) =>
      covered({ items: [item], window: oneDay(daysAgo(days)), asOf: daysAgo(days), operation: "simple", ...slice });
    const held = [
      on(due, 7),
      on(answered, 3),
      on(split, 3),
      on(others[0] ?? "", 3, { state: "deferred" }),
      on(others[1] ?? "", 3, { state: "skipped", refused: true }),
      on(others[2] ?? "", 0),
      on(others[3] ?? "", 3, { fingerprint: "older" }),
      on(others[4] ?? "", 5),
      on(others[4] ?? "", 3, { state: "skipped" }),
      on(others[4] ?? "", 1, { state: "skipped" }),
    ];
    const items = [due, answered, split, ...others];
    const wanted = { items: items.filter((item) => item !== others[3]), fetchOptions: [roomy] };
    expect(plan(weekly, held, wanted).slices.map((slice) => slice.items)).toEqual([[due, answered]]);
    const request = {
      dataset: "d",
      timing: weekly,
      partitions: [{ scope, fingerprint: "", ...wanted }],
      today,
      bounds: {},
    };
    const failed = planDataset({
      ...request,
      covered: new Map([[scopeKey(scope), [...held, on(due, 1, { state: "failed" })]]]),
      reprocess: "failed",
    });
    expect(failed.slices.flatMap((slice) => slice.items)).toEqual(expect.not.arrayContaining([answered]));
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

  test("wait until so many can be fetched in one call", () => {
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
    // the days of the datasets themselves, with a shorter pack
    const late = series({ ...fullPack, packDays: 7, historyDays: 7 });
    const each = ["08-03 07-27 08-03", "08-10 08-03 08-10", "08-17 08-10 08-17", "08-24 08-17 08-24"];
    expect(calls(series(full), nothing)).toEqual(each);
    expect(calls(late, nothing)).toEqual(each);
    expect(calls(late, untilTheEnd, 7)).toEqual(["08-03 07-27 08-03", "08-06 08-01 08-03"]);
  });
});

test("a partition may have a timing of its own", () => {
  const partition = { items: null, timing: daily, fetchOptions: [{ ...tenApps, maxItems: 1 }] };
  expect(plan(series(), [], partition).slices).toMatchObject([{ class: "snapshot", window: oneDay(today) }]);
});

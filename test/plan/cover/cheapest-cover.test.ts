import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addDays, type Day } from "../../../src/core/day.ts";
import { carries, type FetchOption } from "../../../src/core/fetch-option.ts";
import { daysOf, windowLength } from "../../../src/core/window.ts";
import * as planner from "../../../src/plan/cover/cheapest-cover.ts";
import { coverPrice, type Piece } from "../../../src/plan/cover/cheapest-cover.ts";
import { cellsOf, gridOf, type Missing } from "../../support/plan-grid.ts";
import { byDay, byHistory, daysAgo, today } from "../../support/plan-timing.ts";

const both = [byDay, byHistory];
const cheapestCover = (missing: Missing, fetchOptions: readonly FetchOption[]) =>
  planner.cheapestCover(gridOf(missing), fetchOptions);
const naivePrice = (missing: Missing, fetchOptions: readonly FetchOption[]) =>
  planner.naivePrice(gridOf(missing), fetchOptions);
const lastDays = (count: number) => daysOf({ start: daysAgo(count), end: today });

/** The same days for each of `count` items. */
function everyItem(count: number, days: readonly Day[]): Missing {
  return new Map(Array.from({ length: count }, (_, index) => [`keyword ${String(index).padStart(3, "0")}`, days]));
}

const calls = (pieces: readonly Piece[]) => pieces.map(({ option }) => option.operation);

describe("cheapestCover", () => {
  test("takes two histories for one keyword over 60 days", () => {
    const pieces = cheapestCover(everyItem(1, lastDays(60)), both);
    expect(calls(pieces)).toEqual(["by_history", "by_history"]);
    expect(pieces.map(({ window }) => windowLength(window))).toEqual([30, 30]);
  });

  test("takes one call for a day of 100 keywords, and two for one keyword more", () => {
    expect(calls(cheapestCover(everyItem(100, lastDays(1)), both))).toEqual(["by_day"]);
    const more = cheapestCover(everyItem(101, lastDays(1)), both);
    expect(more.map(({ items }) => items.length)).toEqual([100, 1]);
  });

  test("takes a new keyword by history and the nightly day of the others together", () => {
    const missing = new Map([...everyItem(99, lastDays(1)), ["new", lastDays(30)]]);
    const pieces = cheapestCover(missing, both);
    expect(pieces.map(({ option, items }) => [option.operation, items.length])).toEqual([
      ["by_history", 1],
      ["by_day", 99],
    ]);
    expect(pieces[0]?.items).toEqual(["new"]);
  });

  test("takes a keyword with a comma by history only, since a list would split it", () => {
    const pieces = cheapestCover(new Map([["fish, chips", lastDays(1)], ...everyItem(20, lastDays(1))]), both);
    expect(calls(pieces).toSorted()).toEqual(["by_day", "by_history"]);
    expect(pieces.find(({ option }) => option === byHistory)?.items).toEqual(["fish, chips"]);
  });

  test("fills a call of a day from all keywords that lack the day, not from neighbours alone", () => {
    const missing = new Map([...everyItem(200, [])].map(([item], index) => [item, index % 2 ? lastDays(1) : []]));
    expect(calls(cheapestCover(missing, both))).toEqual(["by_day"]);
  });

  test("takes by history the one keyword that would cost each day a second call, at any place in the list", () => {
    const days = lastDays(40);
    const missing = [...everyItem(201, []).keys()].map(
      (item, index) => [item, index % 2 === 0 ? days.slice(0, 20) : days.slice(20)] as const,
    );
    expect(coverPrice(cheapestCover(new Map(missing), both))).toBe(40 * byDay.credits + byHistory.credits);
  });

  test("bridges a gap of held days when that saves a call, and never passes 30 days counting both ends", () => {
    const gaps = [daysAgo(31), daysAgo(20), daysAgo(2), daysAgo(1)];
    const pieces = cheapestCover(everyItem(1, gaps), [byHistory]);
    expect(pieces.map(({ window }) => window)).toEqual([
      { start: daysAgo(31), end: daysAgo(1) },
      { start: daysAgo(1), end: today },
    ]);
  });

  test("has no choice where there is one fetch option", () => {
    expect(calls(cheapestCover(everyItem(3, lastDays(2)), [byDay]))).toEqual(["by_day", "by_day"]);
    expect(calls(cheapestCover(everyItem(3, lastDays(2)), [byHistory]))).toEqual(Array(3).fill("by_history"));
    expect(cheapestCover(everyItem(3, lastDays(2)), [])).toEqual([]);
  });

  test("names no item where the scope says it all", () => {
    const pieces = cheapestCover(new Map([["", lastDays(2)]]), [{ ...byHistory, maxDays: 1 }]);
    expect(pieces.map(({ items, window }) => [items, window.start])).toEqual([
      [[], daysAgo(2)],
      [[], daysAgo(1)],
    ]);
  });

  test("gives the same calls in the same order for any order of the items", () => {
    const missing = [...everyItem(120, lastDays(3)), ["new", lastDays(30)] as const];
    expect(cheapestCover(new Map(missing.toReversed()), both)).toEqual(cheapestCover(new Map(missing), both));
  });

  test("covers a year of 500 keywords", () => {
    const days = lastDays(365);
    const missing = new Map([...everyItem(500, days)].map(([item], index) => [item, days.slice(index % 7)]));
    expect(coverPrice(cheapestCover(missing, both))).toBeLessThanOrEqual(5 * 365 * byDay.credits);
  });
});

/** Up to 12 items, some with a comma, over 70 days; wide calls of 2 to 5 items, so that batches are many. */
const problem = fc.record({
  gaps: fc.array(fc.uniqueArray(fc.integer({ min: 1, max: 70 }), { maxLength: 40 }), { maxLength: 12 }),
  commas: fc.integer({ min: 0, max: 2 }),
  wide: fc.record({ credits: fc.integer({ min: 1, max: 12 }), maxItems: fc.integer({ min: 2, max: 5 }) }),
  long: fc.record({ credits: fc.integer({ min: 1, max: 12 }), maxDays: fc.integer({ min: 1, max: 30 }) }),
});

type Problem = typeof problem extends fc.Arbitrary<infer P> ? P : never;

function posed({ gaps, commas, wide, long }: Problem): { missing: Missing; wide: FetchOption; long: FetchOption } {
  const name = (index: number) => (index < commas ? `k, ${index}` : `k ${index}`);
  return {
    missing: new Map(gaps.map((days, index) => [name(index), days.map((count) => addDays(today, -count))])),
    wide: { ...byDay, ...wide },
    long: { ...byHistory, ...long },
  };
}

describe("any cover", () => {
  test("holds every missing cell exactly once by day, at least once by history, and keeps the limits of its fetch option", () => {
    fc.assert(
      fc.property(problem, (drawn) => {
        const { missing, wide, long } = posed(drawn);
        const pieces = cheapestCover(missing, [wide, long]);
        const held = cellsOf(pieces, missing);
        const wanted = [...missing].flatMap(([item, days]) => days.map((day) => `${item} ${day}`));
        expect(held.toSorted()).toEqual(wanted.toSorted());
        for (const { option, items, window } of pieces) {
          expect(items.length).toBeLessThanOrEqual(option.maxItems);
          expect(windowLength(window)).toBeLessThanOrEqual(option.maxDays);
          expect(items.every((item) => carries(option, item))).toBe(true);
          // a call for a cell that nobody lacks is a credit wasted
          expect(items.every((item) => missing.get(item)?.includes(window.start))).toBe(true);
        }
      }),
    );
  });

  test("is never dearer than either operation alone", () => {
    fc.assert(
      fc.property(problem, (drawn) => {
        const { missing, wide, long } = posed({ ...drawn, commas: 0 });
        const perDay = Map.groupBy([...missing.values()].flat(), (day) => day);
        const daily = [...perDay.values()].reduce((sum, cells) => sum + Math.ceil(cells.length / wide.maxItems), 0);
        const price = coverPrice(cheapestCover(missing, [wide, long]));
        expect(price).toBeLessThanOrEqual(daily * wide.credits);
        expect(price).toBeLessThanOrEqual(coverPrice(cheapestCover(missing, [long])));
      }),
    );
  });
});

describe("naivePrice", () => {
  test("is what one request a keyword would cost, each by the cheaper fetch option", () => {
    expect(naivePrice(everyItem(100, lastDays(1)), both)).toBe(300);
    expect(naivePrice(everyItem(2, lastDays(60)), both)).toBe(40);
  });

  test("counts a keyword with a comma by history, and nothing for what is held or unavailable", () => {
    expect(naivePrice(new Map([["a, b", lastDays(1)]]), both)).toBe(10);
    expect(naivePrice(new Map([["a, b", lastDays(1)]]), [byDay])).toBe(0);
    expect(naivePrice(new Map([["a", []]]), both)).toBe(0);
  });
});

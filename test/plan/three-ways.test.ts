import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { carries, optionCost, type FetchOption } from "../../src/core/fetch-option.ts";
import { daysOf, windowLength } from "../../src/core/window.ts";
import { cheapestCover, naivePrice, coverPrice, type Piece } from "../../src/plan/cover/cheapest-cover.ts";
import { calendarOf, type GapGrid } from "../../src/plan/cover/gap-grid.ts";
import { bestPrice } from "../support/plan-brute-force.ts";
import { cellsOf, daysIn, gridOf } from "../support/plan-grid.ts";
import { byDay, byHistory, byList, daysAgo, today } from "../support/plan-timing.ts";

const lastDays = (count: number) => daysOf({ start: daysAgo(count), end: today });
const named = (count: number, name = "keyword") =>
  Array.from({ length: count }, (_, index) => `${name} ${String(index).padStart(4, "0")}`);
const commas = (count: number) => named(count, "key, word");

/** Every item lacks the last `days`; the account tracks those given. */
function cover(items: readonly string[], days: number, tracked: readonly string[], list: Partial<FetchOption> = {}) {
  const grid = gridOf(new Map(items.map((item) => [item, lastDays(days)])));
  return cheapestCover(grid, [byDay, byHistory, byList(tracked, list)]);
}

/** Calls by operation. */
const counted = (pieces: readonly Piece[]) =>
  Object.fromEntries(
    [...Map.groupBy(pieces, ({ option }) => option.operation)].map(([name, some]) => [name, some.length]),
  );

describe("the whole list", () => {
  test("is taken for a day of keywords that no list can name, where windows of their own cost more", () => {
    const few = commas(10);
    expect(counted(cover(few, 1, few))).toEqual({ by_history: 10 });
    const many = commas(11);
    const pieces = cover(many, 1, many);
    expect(counted(pieces)).toEqual({ by_list: 1 });
    expect(pieces[0]?.items).toEqual(many);
    expect(coverPrice(pieces)).toBe(100);
  });

  test("is not taken for many days, since one window of a keyword holds them all", () => {
    const many = commas(40);
    expect(counted(cover(many, 30, many))).toEqual({ by_history: 40 });
  });

  test("returns the keywords that could be named as well, so that they are not requested twice", () => {
    const [some, rest] = [commas(11), named(300)];
    expect(counted(cover([...some, ...rest], 1, [...some, ...rest]))).toEqual({ by_list: 1 });
    expect(counted(cover([...some, ...rest], 1, some))).toEqual({ by_list: 1, by_day: 3 });
  });

  test("takes the place of named calls where those of a day cost more than it", () => {
    const all = named(3_400);
    expect(counted(cover(all, 2, all))).toEqual({ by_list: 2 });
    expect(counted(cover(all.slice(0, 3_300), 2, all))).toEqual({ by_day: 66 });
    // one call a day on Android
    expect(counted(cover(all.slice(0, 1_700), 2, all, { calls: 1 }))).toEqual({ by_list: 2 });
  });

  test("never carries what the account does not track", () => {
    const [tracked, other] = [commas(30), named(20, "other, word")];
    const pieces = cover([...tracked, ...other], 1, tracked);
    expect(counted(pieces)).toEqual({ by_history: 20, by_list: 1 });
    expect(pieces.find(({ option }) => option.tracked !== undefined)?.items).toEqual(tracked);
  });

  test("brings alone what it can where there is no other fetch option, and leaves the rest", () => {
    const grid = gridOf(new Map([...commas(2), "gone"].map((item) => [item, lastDays(2)])));
    const pieces = cheapestCover(grid, [byList(commas(2))]);
    expect(pieces.map(({ items }) => items)).toEqual([commas(2), commas(2)]);
  });

  test("leaves the price of one request a keyword as it is", () => {
    const grid = gridOf(new Map([...commas(2), ...named(2)].map((item) => [item, lastDays(2)])));
    const fetchOptions = [byDay, byHistory];
    expect(naivePrice(grid, [...fetchOptions, byList(commas(2))])).toBe(naivePrice(grid, fetchOptions));
  });
});

const credits = (max: number) => fc.integer({ min: 1, max });

/** Up to 4 items over up to 5 days, some with a comma, some tracked. */
const small = fc.record({
  days: fc.integer({ min: 1, max: 5 }),
  items: fc.array(fc.record({ gaps: fc.integer({ min: 0, max: 31 }), comma: fc.boolean(), tracked: fc.boolean() }), {
    minLength: 1,
    maxLength: 4,
  }),
  wide: fc.record({ credits: credits(5), maxItems: fc.integer({ min: 2, max: 5 }) }),
  long: fc.record({ credits: credits(10), maxDays: fc.integer({ min: 1, max: 5 }) }),
  whole: fc.record({ credits: credits(8), calls: fc.integer({ min: 1, max: 2 }) }),
});

type Small = typeof small extends fc.Arbitrary<infer P> ? P : never;

function posed({ days, items, wide, long, whole }: Small) {
  const listed = items
    .map(({ gaps, comma, tracked }, index) => ({
      item: `${comma ? "a, b" : "a b"} ${index}`,
      gaps: gaps & (2 ** days - 1),
      tracked,
    }))
    .sort((a, b) => (a.item < b.item ? -1 : 1));
  const grid: GapGrid = {
    calendar: calendarOf({ start: daysAgo(days), end: today }),
    rows: listed
      .filter(({ gaps }) => gaps > 0)
      .map(({ item, gaps }) => ({ item, gaps: Uint8Array.from({ length: days }, (_, day) => (gaps >> day) & 1) })),
  };
  const tracked = listed.filter((one) => one.tracked).map(({ item }) => item);
  return {
    grid,
    items: listed,
    days,
    wide: { ...byDay, ...wide },
    long: { ...byHistory, ...long },
    whole: byList(tracked, whole),
  };
}

/** How many times the best price a cover may cost by what is proven; see `cheapestCover`. */
function bound({ grid, wide, long, whole }: ReturnType<typeof posed>, withList: boolean): number {
  const batches = Math.max(1, Math.ceil(grid.rows.filter(({ item }) => carries(wide, item)).length / wide.maxItems));
  const stretches = long.maxDays >= grid.calendar.days ? 1 : 2;
  return stretches * batches * (withList ? 1 + (batches * optionCost(wide)) / optionCost(whole) : 1);
}

describe("compared with trying everything", () => {
  test("two fetch options cost the best price for one batch within one window, and stay within the bound beyond it", () => {
    fc.assert(
      fc.property(small, (drawn) => {
        const problem = posed(drawn);
        const { grid, wide, long } = problem;
        const price = coverPrice(cheapestCover(grid, [wide, long]));
        const best = bestPrice({ ...problem, whole: null });
        expect(price).toBeGreaterThanOrEqual(best);
        expect(price).toBeLessThanOrEqual(best * bound(problem, false));
      }),
      { numRuns: 400 },
    );
  });

  test("three fetch options stay within the bound, and one fetch option alone costs the best price", () => {
    fc.assert(
      fc.property(small, (drawn) => {
        const problem = posed(drawn);
        const { grid, wide, long, whole } = problem;
        const price = coverPrice(cheapestCover(grid, [wide, long, whole]));
        const best = bestPrice(problem);
        expect(price).toBeGreaterThanOrEqual(best);
        expect(price).toBeLessThanOrEqual(best * bound(problem, true));
        expect(coverPrice(cheapestCover(grid, [long]))).toBe(bestPrice({ ...problem, wide: null, whole: null }));
      }),
      { numRuns: 400 },
    );
  });

  test("in nearly all cases the best price is found", () => {
    const drawn = fc.sample(small, { seed: 1, numRuns: 500 }).map(posed);
    const exact = drawn.filter(
      (problem) =>
        coverPrice(cheapestCover(problem.grid, [problem.wide, problem.long, problem.whole])) === bestPrice(problem),
    );
    expect(exact.length).toBeGreaterThan(475);
  });
});

/** Up to 60 items over 90 days, whole stretches or scattered days missing. */
const large = fc.record({
  gaps: fc.array(
    fc.oneof(
      fc.uniqueArray(fc.integer({ min: 1, max: 90 }), { maxLength: 12 }),
      fc
        .tuple(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 30 }))
        .map(([from, length]) => Array.from({ length }, (_, index) => from + index)),
    ),
    { maxLength: 60 },
  ),
  commas: fc.integer({ min: 0, max: 60 }),
  tracked: fc.integer({ min: 0, max: 60 }),
  wide: fc.record({ credits: credits(5), maxItems: fc.integer({ min: 2, max: 20 }) }),
  long: fc.record({ credits: credits(12), maxDays: fc.integer({ min: 5, max: 30 }) }),
  whole: fc.record({ credits: credits(40), calls: fc.integer({ min: 1, max: 2 }) }),
});

type Large = typeof large extends fc.Arbitrary<infer P> ? P : never;

function account({ gaps, commas: first, tracked, wide, long, whole }: Large) {
  const items = gaps.map((_, index) => (index < first ? `k, ${index}` : `k ${index}`));
  const missing = new Map(gaps.map((days, index) => [items[index] ?? "", days.map((count) => daysAgo(count))]));
  const fetchOptions = {
    wide: { ...byDay, ...wide },
    long: { ...byHistory, ...long },
    whole: byList(items.slice(items.length - tracked), whole),
  };
  return { grid: gridOf(missing), missing, ...fetchOptions };
}

describe("over many items and days", () => {
  test("each missing cell is held, once by day, by a fetch option that carries it", () => {
    fc.assert(
      fc.property(large, (drawn) => {
        const { grid, missing, wide, long, whole } = account(drawn);
        const pieces = cheapestCover(grid, [wide, long, whole]);
        const wanted = [...daysIn(grid)].flatMap(([item, days]) => days.map((day) => `${item} ${day}`));
        expect(cellsOf(pieces, missing).toSorted()).toEqual(wanted.toSorted());
        for (const { option, items, window } of pieces) {
          expect(items.every((item) => carries(option, item))).toBe(true);
          expect(items.length).toBeLessThanOrEqual(option.maxItems);
          expect(windowLength(window)).toBeLessThanOrEqual(option.maxDays);
        }
      }),
    );
  });

  test("no fetch option alone is cheaper, nor are two without the third", () => {
    fc.assert(
      fc.property(large, (drawn) => {
        const { grid, wide, long, whole } = account(drawn);
        const price = coverPrice(cheapestCover(grid, [wide, long, whole]));
        const all = (option: FetchOption) => grid.rows.every(({ item }) => carries(option, item));
        for (const alone of [wide, long, whole].filter(all))
          expect(price).toBeLessThanOrEqual(coverPrice(cheapestCover(grid, [alone])));
        expect(price).toBeLessThanOrEqual(coverPrice(cheapestCover(grid, [long])));
      }),
    );
  });

  test("the same calls come in the same order for any order of the fetch options", () => {
    fc.assert(
      fc.property(large, (drawn) => {
        const { grid, wide, long, whole } = account(drawn);
        expect(cheapestCover(grid, [whole, long, wide])).toEqual(cheapestCover(grid, [wide, long, whole]));
      }),
      { numRuns: 30 },
    );
  });
});

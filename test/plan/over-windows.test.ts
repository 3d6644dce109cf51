import fc from "fast-check";
import { expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import { cheapestCover, coverPrice } from "../../src/plan/cover/cheapest-cover.ts";
import { calendarOf, windowCount, type GapRow } from "../../src/plan/cover/gap-grid.ts";
import { byDay, byHistory, today } from "../support/plan-timing.ts";

type Prices = { readonly day: number; readonly window: number; readonly windowDays: number };

/** The price found for items that one day's call carries together. */
function found(rows: readonly Uint8Array[], { day, window, windowDays }: Prices): number {
  const days = rows[0]?.length ?? 0;
  const named = rows.map((gaps, index): GapRow => ({ item: `k ${String(index).padStart(2, "0")}`, gaps }));
  const calendar = calendarOf({ start: addDays(today, -days), end: today });
  const grid = { calendar, rows: named.filter(({ gaps }) => gaps.includes(1)) };
  const wide = { ...byDay, credits: day };
  return coverPrice(cheapestCover(grid, [wide, { ...byHistory, credits: window, maxDays: windowDays }]));
}

/** The lowest price there is: every choice of days to buy, and for each the fewest windows for what it leaves. */
function lowest(rows: readonly Uint8Array[], { day, window, windowDays }: Prices): number {
  const days = rows[0]?.length ?? 0;
  let best = Number.POSITIVE_INFINITY;
  for (let set = 0; set < 1 << days; set += 1) {
    const bought = Uint8Array.from({ length: days }, (_, index) => (set >> index) & 1);
    let price = 0;
    for (const one of bought) price += one * day;
    for (const row of rows) price += windowCount(row, windowDays, bought) * window;
    best = Math.min(best, price);
  }
  return best;
}

test("costs the least there is where missing days reach over several windows", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 255 }), { minLength: 3, maxLength: 3 }),
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 9 }),
      (masks, day, window) => {
        const rows = masks.map((mask) => Uint8Array.from({ length: 8 }, (_, index) => (mask >> index) & 1));
        const prices = { day, window, windowDays: 3 };
        expect(found(rows, prices)).toBe(lowest(rows, prices));
      },
    ),
    { seed: 20_260_820, numRuns: 400 },
  );
});

/** Gaps at random, the same in every run. */
function drawn(seed: number, { items, days, share }: { items: number; days: number; share: number }) {
  let state = seed;
  const chance = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const rows = Array.from({ length: items }, () => Uint8Array.from({ length: days }, () => (chance() < share ? 1 : 0)));
  /** Each of so many stretches of days takes one item out. */
  const out = (count: number, length: number) => {
    for (let index = 0; index < count; index += 1) {
      const start = Math.floor(chance() * (days - length));
      rows[Math.floor(chance() * items)]?.fill(1, start, start + length);
    }
    return rows;
  };
  return { rows, out };
}

// what an integer program proved to be the least
const proven = [136, 132, 138, 137, 199, 201, 188, 177, 131, 146, 137, 116];

test("costs the least there is, or within 1 % of it, for a quarter of a year of few keywords and of outages", () => {
  const prices = { day: 3, window: 10, windowDays: 30 };
  const few = [1, 2, 3, 4].map((seed) => found(drawn(seed, { items: 4, days: 120, share: 0.2 }).rows, prices));
  const dozen = [1, 2, 3, 4].map((seed) => found(drawn(seed, { items: 12, days: 90, share: 0.1 }).rows, prices));
  const outages = [1, 2, 3, 4].map((seed) =>
    found(drawn(seed, { items: 40, days: 90, share: 0.005 }).out(8, 25), prices),
  );
  const ratios = [...few, ...dozen, ...outages].map((price, index) => price / (proven[index] ?? Number.NaN));
  expect(Math.min(...ratios)).toBeGreaterThanOrEqual(1);
  expect(Math.max(...ratios)).toBeLessThanOrEqual(1.01);
  expect(ratios.filter((ratio) => ratio === 1).length).toBeGreaterThanOrEqual(10);
});

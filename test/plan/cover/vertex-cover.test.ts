import fc from "fast-check";
import { expect, test } from "vitest";
import { coverBatch } from "../../../src/plan/cover/batch-cover.ts";
import { fewestWindows } from "../../../src/plan/cover/gap-grid.ts";
import { bitCount, cheapestVertexCover } from "../../../src/plan/cover/vertex-cover.ts";

const costs = fc.record({ day: fc.integer({ min: 1, max: 6 }), item: fc.integer({ min: 1, max: 12 }) });

/** Tries every set of days; an item is bought when a missing day of it is not. */
function bruteForce(masks: readonly number[], price: { day: number; item: number }, days: number): number {
  const sets = Array.from({ length: 2 ** days }, (_, set) => set);
  return Math.min(
    ...sets.map((set) => bitCount(set) * price.day + masks.filter((mask) => (mask & ~set) !== 0).length * price.item),
  );
}

test("costs what trying every set of days costs, and leaves no cell uncovered", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 255 }), { maxLength: 9 }), costs, (masks, price) => {
      const cover = cheapestVertexCover(masks, price);
      expect(masks.every((mask, item) => cover.items[item] === true || (mask & ~cover.days) === 0)).toBe(true);
      expect(cover.price).toBe(bruteForce(masks, price, 8));
    }),
    { numRuns: 500 },
  );
});

test("a hundred items that all lack thirty days go by day, a single one by history", () => {
  const month = 2 ** 30 - 1;
  expect(cheapestVertexCover(Array(100).fill(month), { day: 3, item: 10 })).toMatchObject({ days: month, price: 90 });
  expect(cheapestVertexCover([month], { day: 3, item: 10 })).toMatchObject({ days: 0, items: [true], price: 10 });
});

test("a new item beside a nightly day goes by history, the day goes for the rest", () => {
  const lastDay = 1 << 29;
  const cover = cheapestVertexCover([2 ** 30 - 1, ...Array<number>(60).fill(lastDay)], { day: 3, item: 10 });
  expect(cover).toMatchObject({ days: lastDay, price: 13 });
  expect(cover.items.filter(Boolean)).toHaveLength(1);
});

const cells = (days: number) =>
  fc.array(fc.array(fc.constantFrom(0, 1), { minLength: days, maxLength: days }), { minLength: 1, maxLength: 5 });
const prices = fc.record({
  day: fc.integer({ min: 1, max: 5 }),
  window: fc.integer({ min: 1, max: 12 }),
  windowDays: fc.integer({ min: 1, max: 5 }),
});

test("over more days than a window holds it stays within twice the best price, and within one window it is the best price", () => {
  fc.assert(
    fc.property(cells(10), prices, (raw, price) => {
      const rows = raw.map((row) => Uint8Array.from(row));
      const sets = Array.from({ length: 2 ** 10 }, (_, set) => set);
      const best = Math.min(
        ...sets.map((set) => {
          const left = rows.map((row) => row.map((gap, day) => (((set >> day) & 1) === 1 ? 0 : gap)));
          const windows = left.reduce((sum, row) => sum + fewestWindows(row, price.windowDays).length, 0);
          return bitCount(set) * price.day + windows * price.window;
        }),
      );
      const found = coverBatch(rows, 10, price).price;
      expect(found).toBeGreaterThanOrEqual(best);
      expect(found).toBeLessThanOrEqual(2 * best);
      expect(coverBatch(rows, 10, { ...price, windowDays: 10 }).price).toBe(
        bruteForce(
          rows.map((row) => row.reduce((mask, gap, day) => mask | (gap << day), 0)),
          { day: price.day, item: price.window },
          10,
        ),
      );
    }),
    { numRuns: 150 },
  );
});

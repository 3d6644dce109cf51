import fc from "fast-check";
import { expect, test } from "vitest";
import { optionCost } from "../../src/core/fetch-option.ts";
import { isBestByDay, countByDay, type CoverItem } from "../../src/plan/cover/cover-items.ts";
import { bestPrice } from "../support/plan-brute-force.ts";
import { byDay, byHistory } from "../support/plan-timing.ts";

const coverItem = (item: string, gaps: Uint8Array): CoverItem => ({ item, gaps, listed: true, tracked: false });
const month = (count: number, lacks: (item: number, day: number) => boolean) =>
  Array.from({ length: count }, (_, item) =>
    coverItem(
      `k ${item}`,
      Uint8Array.from({ length: 60 }, (_day, day) => (lacks(item, day) ? 1 : 0)),
    ),
  );

test("is shown where every day is full, and where scattered gaps fit one call a day", () => {
  expect(
    isBestByDay(
      month(100, () => true),
      byDay,
      byHistory,
    ),
  ).toBe(true);
  expect(
    isBestByDay(
      month(200, () => true),
      byDay,
      byHistory,
    ),
  ).toBe(true);
  expect(
    isBestByDay(
      month(100, (item, day) => (item * 7 + day * 13) % 20 === 0),
      byDay,
      byHistory,
    ),
  ).toBe(true);
  expect(isBestByDay([], byDay, byHistory)).toBe(true);
});

test("is not shown where one window takes the place of many calls, nor where a day's last call is not full", () => {
  expect(
    isBestByDay(
      month(1, () => true),
      byDay,
      byHistory,
    ),
  ).toBe(false);
  expect(
    isBestByDay(
      month(101, () => true),
      byDay,
      byHistory,
    ),
  ).toBe(false);
});

const credits = fc.integer({ min: 1, max: 9 });

test("is never shown where anything costs less", () => {
  let shown = 0;
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 31 }), { maxLength: 4 }),
      fc.record({ credits, maxItems: fc.integer({ min: 2, max: 4 }) }),
      fc.record({ credits, maxDays: fc.integer({ min: 1, max: 5 }) }),
      (rows, wideWay, longWay) => {
        const [wide, long] = [
          { ...byDay, ...wideWay },
          { ...byHistory, ...longWay },
        ];
        const items = rows.map((gaps, index) => ({ item: `k ${index}`, gaps }));
        const coverItems = items.map(({ item, gaps }) =>
          coverItem(
            item,
            Uint8Array.from({ length: 5 }, (_, day) => (gaps >> day) & 1),
          ),
        );
        if (!isBestByDay(coverItems, wide, long)) return;
        shown += 1;
        const calls = countByDay(coverItems).reduce((sum, count) => sum + Math.ceil(count / wide.maxItems), 0);
        expect(calls * optionCost(wide)).toBe(bestPrice({ items, days: 5, long, wide, whole: null }));
      },
    ),
    { numRuns: 1_000 },
  );
  expect(shown).toBeGreaterThan(100);
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { addDays, day } from "../../src/core/day.ts";
import { daysOf, holds, lastDay, oneDay, stretches, windowLength } from "../../src/core/window.ts";

const first = day("2028-02-27");
const window = { start: first, end: day("2028-03-02") };

test("a window holds its start and all days up to its end, not the end itself", () => {
  expect(daysOf(window)).toEqual(["2028-02-27", "2028-02-28", "2028-02-29", "2028-03-01"]);
  expect(windowLength(window)).toBe(4);
  expect(lastDay(window)).toBe("2028-03-01");
  expect(["2028-02-26", "2028-02-27", "2028-03-01", "2028-03-02"].map((text) => holds(window, day(text)))).toEqual([
    false,
    true,
    true,
    false,
  ]);
});

test("a window that ends where it starts, or before, holds no day", () => {
  for (const end of [first, addDays(first, -3)]) {
    expect(windowLength({ start: first, end })).toBe(0);
    expect(daysOf({ start: first, end })).toEqual([]);
    expect(holds({ start: first, end }, first)).toBe(false);
  }
});

test("one day is a window of one day", () => {
  expect(daysOf(oneDay(day("2026-12-31")))).toEqual(["2026-12-31"]);
});

test("days fold into stretches, in any order and with any repetitions", () => {
  const days = ["2026-03-01", "2026-02-28", "2026-01-05", "2026-02-28", "2026-02-27", "2026-01-03"].map((text) =>
    day(text),
  );
  expect(stretches(days)).toEqual([
    { start: "2026-01-03", end: "2026-01-04" },
    { start: "2026-01-05", end: "2026-01-06" },
    { start: "2026-02-27", end: "2026-03-02" },
  ]);
  expect(stretches([])).toEqual([]);
});

test("stretches hold the days they were made of and no others, and no two of them touch", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 60 })), (offsets) => {
      const found = stretches(offsets.map((offset) => addDays(first, offset)));
      const expected = [...new Set(offsets)].sort((a, b) => a - b).map((offset) => addDays(first, offset));
      expect(found.flatMap(daysOf)).toEqual(expected);
      expect(found.every((stretch, index) => index === 0 || (found[index - 1]?.end ?? "") < stretch.start)).toBe(true);
    }),
  );
});

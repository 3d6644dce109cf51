import fc from "fast-check";
import { expect, test } from "vitest";
import { addDays } from "../../../src/core/day.ts";
import { calendarOf, withoutEnds, type GapGrid } from "../../../src/plan/cover/gap-grid.ts";
import { today } from "../../support/plan-timing.ts";

const calendar = calendarOf({ start: today, end: addDays(today, 12) });

/** A grid with rows as words: `x` where a cell is missing. */
function grid(rows: Readonly<Record<string, string>>): GapGrid {
  const gapsOf = (word: string) => Uint8Array.from({ length: calendar.days }, (_, day) => (word[day] === "x" ? 1 : 0));
  return { calendar, rows: Object.entries(rows).map(([item, word]) => ({ item, gaps: gapsOf(word) })) };
}

/** The missing cells of a grid, by the names of their days. */
function cellsOf({ calendar: { names }, rows }: GapGrid): readonly string[] {
  return rows.flatMap(({ item, gaps }) =>
    [...gaps].flatMap((gap, day) => (gap === 1 ? [`${item} ${names[day]}`] : [])),
  );
}

test("two grids are cut to the days from the first gap of either to the last one", () => {
  const [fresh, restated] = withoutEnds(grid({ a: "......x.x..." }), grid({ b: "...x........", c: ".....x......" }));
  expect(fresh.calendar).toEqual(calendarOf({ start: addDays(today, 3), end: addDays(today, 9) }));
  expect(restated.calendar).toBe(fresh.calendar);
  expect([...fresh.rows, ...restated.rows].map(({ item, gaps }) => [item, gaps.join("")])).toEqual([
    ["a", "000101"],
    ["b", "100000"],
    ["c", "001000"],
  ]);
});

test("rows that share their days share them still: what is worked out for one holds for all", () => {
  const gaps = Uint8Array.from({ length: calendar.days }, (_, day) => (day === 4 ? 1 : 0));
  const both = { calendar, rows: ["a", "b"].map((item) => ({ item, gaps })) };
  const [{ rows }, restated] = withoutEnds(both, { calendar, rows: [{ item: "a", gaps }] });
  expect(rows[0]?.gaps).toHaveLength(1);
  expect(rows[1]?.gaps).toBe(rows[0]?.gaps);
  expect(restated.rows[0]?.gaps).toBe(rows[0]?.gaps);
});

test("no cell is lost or moved, and without any the grids stay as they are", () => {
  const nothing = { calendar, rows: [] };
  expect(withoutEnds(nothing, nothing)).toEqual([nothing, nothing]);
  const words = fc.array(fc.constantFrom(".", ".", "x"), { minLength: 12, maxLength: 12 }).map((days) => days.join(""));
  // a row of a grid has at least one gap
  const rows = fc.dictionary(
    fc.constantFrom("a", "b", "c"),
    words.filter((word) => word.includes("x")),
  );
  fc.assert(
    fc.property(rows, rows, (fresh, restated) => {
      const whole = [grid(fresh), grid(restated)] as const;
      expect(withoutEnds(...whole).map(cellsOf)).toEqual(whole.map(cellsOf));
    }),
    { numRuns: 100 },
  );
});

import { addDays, type Day } from "../../src/core/day.ts";
import { daysOf } from "../../src/core/window.ts";
import { calendarOf, type Calendar, type GapGrid } from "../../src/plan/cover/gap-grid.ts";
import { today } from "./plan-timing.ts";

/** Missing days by item. */
export type Missing = ReadonlyMap<string, readonly Day[]>;

/** Two years before today: the days that tests speak of. */
const calendar = calendarOf({ start: addDays(today, -730), end: addDays(today, 1) });

/** Missing days as the grid that the planner works on. */
export function gridOf(missing: Missing, days: Calendar = calendar): GapGrid {
  const rows = [...missing]
    .filter(([, lacking]) => lacking.length > 0)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([item, lacking]) => {
      const gaps = new Uint8Array(days.days);
      for (const day of lacking) gaps[days.names.indexOf(day)] = 1;
      return { item, gaps };
    });
  return { calendar: days, rows };
}

/** The missing days of a grid by item. */
export function daysIn({ calendar: days, rows }: GapGrid): Missing {
  return new Map(rows.map(({ item, gaps }) => [item, days.names.filter((_, index) => gaps[index] === 1)]));
}

/** Every cell that pieces hold, as `item day`, in order. */
export function cellsOf(
  pieces: readonly { items: readonly string[]; window: { start: Day; end: Day } }[],
  missing: Missing,
): string[] {
  return pieces.flatMap(({ items, window }) =>
    items.flatMap((item) =>
      daysOf(window)
        .filter((day) => missing.get(item)?.includes(day))
        .map((day) => `${item} ${day}`),
    ),
  );
}

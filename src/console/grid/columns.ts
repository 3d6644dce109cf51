import { addDays, weekday, type Day } from "../../core/day.ts";
import { windowLength, type Window } from "../../core/window.ts";
import { sumOfCells, type CellCounts } from "../../plan/cell-states.ts";

/** What a column of the grid shows: a day, or a week that begins on Monday. */
export const columnWidths = ["day", "week"] as const;
export type ColumnWidth = (typeof columnWidths)[number];

/** More days than this are shown by week unless the visitor chooses days: they do not fit a screen. */
const mostDays = 100;

/** The width of columns that suits a window. */
export function suitableWidth(window: Window): ColumnWidth {
  return windowLength(window) > mostDays ? "week" : "day";
}

/** The columns of a window, oldest first; the first and the last week are cut to it. */
export function columnsOf({ start, end }: Window, width: ColumnWidth): readonly Window[] {
  const columns: Window[] = [];
  for (let from = start; from < end;) {
    const next = width === "day" ? addDays(from, 1) : addDays(from, 7 - weekday(from));
    columns.push({ start: from, end: next < end ? next : end });
    from = next;
  }
  return columns;
}

/** The cells of each column: the sum of its days. */
export function rolledUp(days: ReadonlyMap<Day, CellCounts>, columns: readonly Window[]): readonly CellCounts[] {
  return columns.map(({ start, end }) => {
    const inside: CellCounts[] = [];
    for (let day = start; day < end; day = addDays(day, 1)) {
      const cells = days.get(day);
      if (cells !== undefined) inside.push(cells);
    }
    return inside.length === 1 && inside[0] !== undefined ? inside[0] : sumOfCells(inside);
  });
}

import { addDays, type Day } from "../../core/day.ts";
import { windowLength, type Window } from "../../core/window.ts";

/** The days of a window by index: `names` holds each day and, last, the day after the window. */
export type Calendar = { readonly start: Day; readonly days: number; readonly names: readonly Day[] };

/** One item and the days that it lacks: 1 if the cell is missing, by index of the calendar. */
export type GapRow = { readonly item: string; readonly gaps: Uint8Array };

/** Missing cells of one scope: rows sorted by item, each with at least one gap. */
export type GapGrid = { readonly calendar: Calendar; readonly rows: readonly GapRow[] };

/** Days `[start, end)` by index. */
export type Span = { readonly start: number; readonly end: number };

/** The calendar of a window; without days if it ends before it starts. */
export function calendarOf(window: Window): Calendar {
  const { start } = window;
  const days = windowLength(window);
  return { start, days, names: Array.from({ length: days + 1 }, (_, index) => addDays(start, index)) };
}

/** The window of a span. */
export function windowOf({ names }: Calendar, { start, end }: Span): Window {
  const [first, after] = [names[start], names[end]];
  if (first === undefined || after === undefined) throw new Error("a window outside the calendar");
  return { start: first, end: after };
}

/** The first and the last missing day of some rows, null if nothing is missing. */
export function spanOf(rows: readonly Uint8Array[]): { readonly first: number; readonly last: number } | null {
  let [first, last] = [Number.POSITIVE_INFINITY, -1];
  for (const row of rows) {
    const from = row.indexOf(1);
    if (from < 0) continue;
    first = Math.min(first, from);
    last = Math.max(last, row.lastIndexOf(1));
  }
  return last < 0 ? null : { first, last };
}

/**
 * Two grids of one calendar, cut to the days from the first to the last gap in either: a night lacks only the newest of years of days, and
 * the search for a cover goes over every day of the calendar.
 */
export function withoutEnds(a: GapGrid, b: GapGrid): readonly [GapGrid, GapGrid] {
  const { calendar } = a;
  const parts = new Map([...a.rows, ...b.rows].map(({ gaps }) => [gaps, gaps]));
  const span = spanOf([...parts.keys()]);
  if (span === null) return [a, b];
  const { first, last } = span;
  const names = calendar.names.slice(first, last + 2);
  const cut = { start: names[0] ?? calendar.start, days: last + 1 - first, names };
  // rows that shared their days still share them
  for (const gaps of parts.keys()) parts.set(gaps, gaps.subarray(first, last + 1));
  const within = ({ rows }: GapGrid): GapGrid => ({
    calendar: cut,
    rows: rows.map(({ item, gaps }) => ({ item, gaps: parts.get(gaps) ?? gaps })),
  });
  return [within(a), within(b)];
}

/**
 * The fewest windows of at most `longest` days that hold every marked day of a row: each starts at the first day not held yet, and no other
 * placement needs fewer.
 */
export function fewestWindows(row: Uint8Array, longest: number): readonly Span[] {
  const windows: Span[] = [];
  for (let day = row.indexOf(1); day >= 0;) {
    const stop = Math.min(row.length, day + longest);
    let last = stop - 1;
    while (row[last] !== 1) last -= 1;
    windows.push({ start: day, end: last + 1 });
    day = row.indexOf(1, stop);
  }
  return windows;
}

/** How many windows `fewestWindows` would find for the days of a row that are not bought, without making them. */
export function windowCount(row: Uint8Array, longest: number, bought?: Uint8Array): number {
  let count = 0;
  // a plain loop: over a year of cells it is much faster than a search for each gap
  for (let day = 0; day < row.length; day += 1) {
    if (row[day] !== 1 || (bought !== undefined && bought[day] === 1)) continue;
    count += 1;
    day += longest - 1;
  }
  return count;
}

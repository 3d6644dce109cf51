import { addDays, daysBetween, type Day } from "../core/day.ts";
import type { Window } from "../core/window.ts";

/** One item and the days that it lacks: 1 where the cell is missing, by days from the start of the grid. */
export type GapRow = { readonly item: string; readonly gaps: Uint8Array };

/** Missing cells as rows of equal length, sorted by item. `names` holds the day of each index, and the one after the last. */
export type GapGrid = { readonly names: readonly Day[]; readonly days: number; readonly rows: readonly GapRow[] };

/** The grid that holds all missing days, none wider; null when nothing is missing. */
export function gridOf(missing: ReadonlyMap<string, readonly Day[]>): GapGrid | null {
  const wanted = [...missing].filter(([, days]) => days.length > 0).sort(([a], [b]) => (a < b ? -1 : 1));
  const [start, last] = endsOf(wanted.flatMap(([, days]) => days));
  if (start === undefined || last === undefined) return null;
  const days = daysBetween(start, last) + 1;
  const names = Array.from({ length: days + 1 }, (_, at) => addDays(start, at));
  const index = new Map(names.map((day, at) => [day, at]));
  const rows = wanted.map(([item, lacking]) => {
    const gaps = new Uint8Array(days);
    for (const day of lacking) gaps[index.get(day) ?? 0] = 1;
    return { item, gaps };
  });
  return { names, days, rows };
}

/** The window that part of a grid stands for. */
export function windowOf({ names }: GapGrid, start: number, end: number): Window {
  const [first, after] = [names[start], names[end]];
  if (first === undefined || after === undefined) throw new Error("a window outside the grid");
  return { start: first, end: after };
}

/** The first and the last missing day of some rows, null when nothing is missing. */
export function spanOf(rows: readonly Uint8Array[]): { readonly first: number; readonly last: number } | null {
  const firsts = rows.map((row) => row.indexOf(1)).filter((day) => day >= 0);
  if (firsts.length === 0) return null;
  return { first: Math.min(...firsts), last: Math.max(...rows.map((row) => row.lastIndexOf(1))) };
}

/**
 * The fewest windows of at most `longest` days that hold every marked day of a row: each starts at the first day not held yet,
 * which no other placing beats. Half-open, by index.
 */
export function fewestWindows(
  row: Uint8Array,
  longest: number,
): readonly { readonly start: number; readonly end: number }[] {
  const windows: { start: number; end: number }[] = [];
  for (let day = row.indexOf(1); day >= 0;) {
    const stop = Math.min(row.length, day + longest);
    let last = stop - 1;
    while (row[last] !== 1) last -= 1;
    windows.push({ start: day, end: last + 1 });
    day = row.indexOf(1, stop);
  }
  return windows;
}

function endsOf(days: readonly Day[]): readonly [Day | undefined, Day | undefined] {
  let [first, last] = [days[0], days[0]];
  for (const day of days) {
    if (first === undefined || day < first) first = day;
    if (last === undefined || day > last) last = day;
  }
  return [first, last];
}

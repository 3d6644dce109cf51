import { addDays, addMonths, day, type Day, daysBetween, monthStart } from "./day.ts";
import type { Window } from "./window.ts";

/**
 * How the calendar is cut into periods: ranges of a number of days, counted from a fixed Monday, or calendar months. Every run, on any day,
 * finds the same periods.
 */
export type Grid = { readonly days: number } | { readonly months: 1 };

/** A Monday before the first store opened: all ranges of days are counted from it, also backwards. */
export const origin = day("2007-01-01");

/** The period that contains a day. */
export function periodOf(grid: Grid, held: Day): Window {
  if ("months" in grid) return { start: monthStart(held), end: addMonths(monthStart(held), 1) };
  const start = addDays(origin, Math.floor(daysBetween(origin, held) / grid.days) * grid.days);
  return { start, end: addDays(start, grid.days) };
}

/** Every period that shares a day with a window, oldest first. */
export function periodsTouching(grid: Grid, { start, end }: Window): Window[] {
  const periods: Window[] = [];
  for (let period = periodOf(grid, start); period.start < end; period = periodOf(grid, period.end))
    periods.push(period);
  return periods;
}

/** The first day whose rows are kept: the first of the month this many months before the current one; null if all are kept. */
export function keptFrom(today: Day, keepMonths: number | undefined): Day | null {
  return keepMonths === undefined ? null : addMonths(monthStart(today), -keepMonths);
}

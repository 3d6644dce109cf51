import { addDays, daysBetween, type Day } from "./day.ts";

/** Days `[start, end)`: half-open everywhere inside Storehouse; only an operation converts it to the form of the API. */
export type Window = { readonly start: Day; readonly end: Day };

/** The number of days in a window, never negative. */
export function windowLength(window: Window): number {
  return Math.max(0, daysBetween(window.start, window.end));
}

/** Every day of a window, oldest first. */
export function daysOf(window: Window): Day[] {
  return Array.from({ length: windowLength(window) }, (_, index) => addDays(window.start, index));
}

/** The last day that belongs to a window. */
export function lastDay(window: Window): Day {
  return addDays(window.end, -1);
}

/** Days in words: `2026-11-02 to 2026-11-21`; a single day if both are the same. */
export function daysText(first: string, last: string): string {
  return first === last ? first : `${first} to ${last}`;
}

/** The days of a window in words. */
export function windowText(window: Window): string {
  return daysText(window.start, lastDay(window));
}

/** True if the day belongs to the window. */
export function holds(window: Window, day: Day): boolean {
  return window.start <= day && day < window.end;
}

/** A window of one day. */
export function oneDay(day: Day): Window {
  return { start: day, end: addDays(day, 1) };
}

/** Joins two windows that touch or overlap; null if they do not, or if the result would have more days than `longest`. */
export function joined(a: Window, b: Window, longest: number): Window | null {
  if (a.start > b.end || b.start > a.end) return null;
  const both = { start: a.start < b.start ? a.start : b.start, end: a.end > b.end ? a.end : b.end };
  return windowLength(both) <= longest ? both : null;
}

/** Folds days, in any order and with repeats, into the fewest windows of consecutive days, oldest first. */
export function stretches(days: Iterable<Day>): Window[] {
  const found: Window[] = [];
  for (const day of [...new Set(days)].sort()) {
    const last = found.at(-1);
    if (last?.end === day) found[found.length - 1] = { start: last.start, end: addDays(day, 1) };
    else found.push(oneDay(day));
  }
  return found;
}

/** True for windows of the same days. */
export function isSameWindow(a: Window, b: Window): boolean {
  return a.start === b.start && a.end === b.end;
}

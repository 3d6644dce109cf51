import { addDays, addMonths, isDay, type Day } from "../core/day.ts";
import { lastDay, type Window } from "../core/window.ts";
import type { Operation, Range } from "./define-operation.ts";

/** The shortest month: the days that a limit of one month allows from any start. */
const shortestMonth = 28;

/** The two date parameters of a call that spans a window: the only place that converts a half-open window to the form of the API. */
export function rangeParams(operation: Operation, window: Window): Readonly<Record<string, string>> {
  if (operation.range === null) throw new Error(`${operation.id} takes no range of days`);
  const { start, end, endInclusive } = operation.range;
  return { [start]: window.start, [end]: endInclusive === false ? window.end : lastDay(window) };
}

/** The parameters with the days of a call; none if it is about the present. */
export function dayParams({ range, params }: Operation): readonly string[] {
  if (range !== null) return [range.start, range.end];
  return Object.hasOwn(params, "date") ? ["date"] : [];
}

/** The window that a call is about, the reverse of `rangeParams`; null if it names no days. */
export function windowOfCall(operation: Operation, params: Readonly<Record<string, unknown>>): Window | null {
  const [first, last = first] = dayParams(operation);
  const [start, end] = [params[first ?? ""], params[last ?? ""]].map(String);
  if (start === undefined || end === undefined || !isDay(start) || !isDay(end) || end < start) return null;
  return { start, end: operation.range?.endInclusive === false ? end : addDays(end, 1) };
}

/** The latest end of a half-open window that begins at `start` and that one call may span; null if there is no limit. */
export function latestEnd(range: Range, start: Day): Day | null {
  if (range.months !== undefined) return addMonths(start, range.months);
  return range.days === null ? null : addDays(start, range.days);
}

/** The days that one call may span from any start; null if there is no limit. */
export function daysFromAnyStart(range: Range): number | null {
  return range.months === undefined ? range.days : range.months * shortestMonth;
}

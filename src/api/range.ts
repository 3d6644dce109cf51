import { addDays, addMonths, isDay, type Day } from "../core/day.ts";
import { lastDay, type Window } from "../core/window.ts";
import type { Operation, Range } from "./define-operation.ts";

/** The shortest month: what a limit in months allows from any day on. */
const shortestMonth = 28;

/** The two date parameters of a call that spans a window: the only place where a half-open window becomes the API's form. */
export function rangeParams(operation: Operation, window: Window): Readonly<Record<string, string>> {
  if (operation.range === null) throw new Error(`${operation.id} takes no range of days`);
  const { start, end, endInclusive } = operation.range;
  return { [start]: window.start, [end]: endInclusive === false ? window.end : lastDay(window) };
}

/** The parameters that say which days a call is about; none where it is about what holds now. */
export function dayParams({ range, params }: Operation): readonly string[] {
  if (range !== null) return [range.start, range.end];
  return Object.hasOwn(params, "date") ? ["date"] : [];
}

/** The window that a call is about, the reverse of `rangeParams`; null where it names no days. */
export function windowOfCall(operation: Operation, params: Readonly<Record<string, unknown>>): Window | null {
  const [first, last = first] = dayParams(operation);
  const [start, end] = [params[first ?? ""], params[last ?? ""]].map(String);
  if (start === undefined || end === undefined || !isDay(start) || !isDay(end) || end < start) return null;
  return { start, end: operation.range?.endInclusive === false ? end : addDays(end, 1) };
}

/** The latest end of a half-open window from `start` on that one call may span; null where there is no limit. */
export function latestEnd(range: Range, start: Day): Day | null {
  if (range.months !== undefined) return addMonths(start, range.months);
  return range.days === null ? null : addDays(start, range.days);
}

/** The days that one call may span on any day that it starts on; null where there is no limit. */
export function daysFromAnyStart(range: Range): number | null {
  return range.months === undefined ? range.days : range.months * shortestMonth;
}

import { addDays, addMonths, type Day } from "../core/day.ts";
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

/** The latest end of a half-open window from `start` on that one call may span; null where there is no limit. */
export function latestEnd(range: Range, start: Day): Day | null {
  if (range.months !== undefined) return addMonths(start, range.months);
  return range.days === null ? null : addDays(start, range.days);
}

/** The days that one call may span on any day that it starts on; null where there is no limit. */
export function daysFromAnyStart(range: Range): number | null {
  return range.months === undefined ? range.days : range.months * shortestMonth;
}

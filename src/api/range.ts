import { lastDay, type Window } from "../core/window.ts";
import type { Operation } from "./define-operation.ts";

/** The two date parameters of a call that spans a window: the only place where a half-open window becomes the API's form. */
export function rangeParams(operation: Operation, window: Window): Readonly<Record<string, string>> {
  if (operation.range === null) throw new Error(`${operation.id} takes no range of days`);
  const { start, end, endInclusive } = operation.range;
  return { [start]: window.start, [end]: endInclusive ? lastDay(window) : window.end };
}

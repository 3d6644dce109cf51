import type { Day } from "../core/day.ts";
import type { Slice } from "../core/slice.ts";
import { lastDay } from "../core/window.ts";

/** The key columns of an aggregate over the window of a slice: its first and its last day, both counted in. */
export function periodKey({ window }: Pick<Slice, "window">): { readonly period_start: Day; readonly period_end: Day } {
  return { period_start: window.start, period_end: lastDay(window) };
}

import { countOf } from "../../core/words.ts";
import type { Scope } from "../../core/slice.ts";
import { lastDay, type Window } from "../../core/window.ts";

/** Whom a slice is about: `Lumi: Habit Garden, US, IPHONE, 12 items`. */
export function aboutText({
  scope,
  appName,
  itemCount,
}: {
  readonly scope: Scope;
  readonly appName: string | null;
  readonly itemCount: number;
}): string {
  const { app, store, ...rest } = scope;
  const others = Object.entries(rest)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, value]) => value);
  const items = itemCount === 0 ? [] : [countOf(itemCount, "item")];
  return [appName ?? app ?? store, ...others, ...items].filter(Boolean).join(", ") || "the account";
}

/** Days in as few words as they take. */
export function daysText(first: string, last: string): string {
  return first === last ? first : `${first} to ${last}`;
}

/** The days of a window in as few words as they take. */
export function windowText(window: Window): string {
  return daysText(window.start, lastDay(window));
}

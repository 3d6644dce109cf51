import { lastDay, type Window } from "../../core/window.ts";

/** Days in as few words as possible. */
export function daysText(first: string, last: string): string {
  return first === last ? first : `${first} to ${last}`;
}

/** The days of a window in as few words as possible. */
export function windowText(window: Window): string {
  return daysText(window.start, lastDay(window));
}

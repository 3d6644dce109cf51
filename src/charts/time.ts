import { startOfDay, type Day } from "../core/day.ts";
import { lastDay, windowLength, type Window } from "../core/window.ts";
import type { Library, Mark } from "./draw.ts";
import { inks } from "./palette.ts";

const halfADay = 12 * 60 * 60 * 1000;

/** Where a day begins on an axis of time: half a day before its midnight, so that the tick of a day, at midnight, is in its middle. */
export function beginning(day: Day): Date {
  return new Date(startOfDay(day) - halfADay);
}

/** The middle of a day on an axis of time, where its tick is. */
export function middle(day: Day): Date {
  return new Date(startOfDay(day));
}

/** The scale of an axis of days. */
export function dayScale(window: Window) {
  return { type: "utc", domain: [beginning(window.start), beginning(window.end)], label: null } as const;
}

/** An axis of days; `most`: about how many are named. If there are few days, each one is named, where the library would name hours. */
export function dayAxis(library: Library, window: Window, { most }: { readonly most?: number } = {}): Mark {
  const ticks = windowLength(window) <= 10 ? "day" : most;
  return library.axisX({
    className: "day-axis",
    tickSize: 5,
    fontSize: 11.5,
    fill: inks.soft.light,
    stroke: inks.soft.light,
    ...(ticks === undefined ? {} : { ticks }),
  });
}

/** A window in words: its first and last day. */
export function windowWords(window: Window): string {
  return `${window.start} to ${lastDay(window)}`;
}

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** The month of a day in English, cut to three letters, with its year. */
export function monthWords(day: Day): string {
  return `${months[Number(day.slice(5, 7)) - 1] ?? ""} ${day.slice(0, 4)}`;
}

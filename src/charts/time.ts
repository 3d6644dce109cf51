import { startOfDay, type Day } from "../core/day.ts";
import { lastDay, type Window } from "../core/window.ts";

/** The beginning of a day: scales of time count instants. */
export function beginning(day: Day): Date {
  return new Date(startOfDay(day));
}

/** The middle of a day. */
export function middle(day: Day): Date {
  return new Date(`${day}T12:00:00Z`);
}

/** A window in words: its first and last day. */
export function windowWords(window: Window): string {
  return `${window.start} to ${lastDay(window)}`;
}

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** The English name of the month of a day, cut to three letters, with its year. */
export function monthWords(day: Day): string {
  return `${months[Number(day.slice(5, 7)) - 1] ?? ""} ${day.slice(0, 4)}`;
}

import { addDays, addMonths, daysBetween, monthStart, type Day } from "../core/day.ts";
import { lastDay, windowLength, type Window } from "../core/window.ts";

/** A mark on the axis of days. */
export type DayTick = { readonly day: Day; readonly text: string };

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** The English name of the month of a day, cut to three letters. */
export function monthName(day: Day): string {
  return months[Number(day.slice(5, 7)) - 1] ?? "";
}

/** Marks for a window, about a dozen at most: days, Mondays, months, quarters or years, with the year where it begins. */
export function dayTicks(window: Window): readonly DayTick[] {
  const days = windowLength(window);
  if (days <= 14) return each(window, (day) => addDays(day, 1), window.start).map(dayWords);
  if (days <= 84) return each(window, (day) => addDays(day, 7), nextMonday(window.start)).map(dayWords);
  const every = [1, 2, 3, 6, 12].find((count) => days / (30.4 * count) <= 13) ?? 12 * Math.ceil(days / 365 / 13);
  const first = monthStart(window.start) === window.start ? window.start : addMonths(monthStart(window.start), 1);
  const offset = (every - ((Number(first.slice(5, 7)) - 1) % every)) % every;
  return each(window, (day) => addMonths(day, every), addMonths(first, offset)).map(monthWords);
}

function each({ end }: Window, next: (day: Day) => Day, first: Day): readonly Day[] {
  const found: Day[] = [];
  for (let day = first; day < end; day = next(day)) found.push(day);
  return found;
}

/** Monday is 0. */
export function weekday(day: Day): number {
  const monday = "2007-01-01" as Day;
  return ((daysBetween(monday, day) % 7) + 7) % 7;
}

function nextMonday(day: Day): Day {
  return addDays(day, (7 - weekday(day)) % 7);
}

function dayWords(day: Day, index: number): DayTick {
  const year = index === 0 ? ` ${day.slice(0, 4)}` : "";
  return { day, text: `${Number(day.slice(8))} ${monthName(day)}${year}` };
}

function monthWords(day: Day, index: number): DayTick {
  const isYear = index === 0 || day.slice(5, 7) === "01";
  return { day, text: isYear ? `${monthName(day)} ${day.slice(0, 4)}` : monthName(day) };
}

/** A window in words: its first and last day. */
export function windowWords(window: Window): string {
  return `${window.start} to ${lastDay(window)}`;
}

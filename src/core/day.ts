import { utc, UTCDate } from "@date-fns/utc";
import { addDays as add, addMonths as addM, differenceInCalendarDays, format, isValid, parseISO } from "date-fns";
import { fail } from "./errors.ts";

declare const brand: unique symbol;

/** A calendar day as `YYYY-MM-DD`. Days compare as strings and have no time zone. */
export type Day = string & { readonly [brand]: "Day" };

const shape = /^\d{4}-\d{2}-\d{2}$/;

/** True for a `YYYY-MM-DD` string that names a day of the calendar. */
export function isDay(text: string): text is Day {
  return shape.test(text) && isValid(parseISO(text, { in: utc }));
}

/** Reads a day; throws a UsageError that names `what` when the text is none. */
export function day(text: string, what = "day"): Day {
  if (!isDay(text)) throw fail("bad_day", { what, value: text });
  return text;
}

/** The UTC calendar day of an instant. */
export function dayOf(instant: Date | number): Day {
  return format(new UTCDate(instant), "yyyy-MM-dd") as Day;
}

/** `count` days after `from`; before it when negative. */
export function addDays(from: Day, count: number): Day {
  return dayOf(add(parseISO(from, { in: utc }), count));
}

/** `count` calendar months after `from`, cut to the last day of a shorter month. */
export function addMonths(from: Day, count: number): Day {
  return dayOf(addM(parseISO(from, { in: utc }), count));
}

/** Whole days from `from` to `to`; negative when `to` is earlier. */
export function daysBetween(from: Day, to: Day): number {
  return differenceInCalendarDays(parseISO(to, { in: utc }), parseISO(from, { in: utc }));
}

/** The first day of the month that holds `of`. */
export function monthStart(of: Day): Day {
  return `${of.slice(0, 7)}-01` as Day;
}

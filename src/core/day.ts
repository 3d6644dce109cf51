import { fail } from "./errors.ts";

declare const brand: unique symbol;

/** A calendar day as `YYYY-MM-DD`. Days compare as strings and have no time zone. */
export type Day = string & { readonly [brand]: "Day" };

const shape = /^\d{4}-\d{2}-\d{2}$/;
/** An hour in ms. */
export const hourMs = 3_600_000;
/** A day in ms. */
export const dayMs = 24 * hourMs;

/** Postgres has no year 0. In year 9999 the day after the last one would need five digits. */
const firstDay = "0001-01-01";
const lastDay = "9998-12-31";

/** True for a `YYYY-MM-DD` string that names a day of the calendar, from the year 1 to 9998. */
export function isDay(text: string): text is Day {
  if (numbers.has(text)) return true;
  if (!shape.test(text) || text < firstDay || text > lastDay) return false;
  const start = startOfDay(text);
  return !Number.isNaN(start) && dayOf(start) === text;
}

/** Reads a day; throws a UsageError if the text is not a day. */
export function day(text: string): Day {
  if (!isDay(text)) throw fail("bad_day", { value: text });
  return text;
}

/** The UTC calendar day of an instant. */
export function dayOf(instant: Date | number): Day {
  const number = Math.floor(Number(instant) / dayMs);
  const known = names.get(number);
  if (known !== undefined) return known;
  const name = new Date(instant).toISOString().slice(0, 10) as Day;
  remember(number, name);
  return name;
}

/** `count` days after `from`, or before it if negative. */
export function addDays(from: Day, count: number): Day {
  return dayOf(startOfDay(from) + count * dayMs);
}

/** `count` calendar months after `from`, cut to the last day of a shorter month. */
export function addMonths(from: Day, count: number): Day {
  const [year = 0, month = 0, date = 0] = from.split("-").map(Number);
  // day 0 of a month is the last day of the month before
  const longest = new Date(Date.UTC(year, month + count, 0)).getUTCDate();
  return dayOf(Date.UTC(year, month - 1 + count, Math.min(date, longest)));
}

/** Whole days from `from` to `to`; negative if `to` is earlier. */
export function daysBetween(from: Day, to: Day): number {
  return (startOfDay(to) - startOfDay(from)) / dayMs;
}

/** The day of the week, from 0 for Monday to 6 for Sunday. */
export function weekday(of: Day): number {
  // 1970-01-01 was a Thursday
  return (((startOfDay(of) / dayMs + 3) % 7) + 7) % 7;
}

/** The first day of the month of `of`. */
export function monthStart(of: Day): Day {
  return `${of.slice(0, 7)}-01` as Day;
}

/** Epoch-ms of the midnight (UTC) at the start of a day; NaN for a text that is not a day of any month. */
export function startOfDay(text: string): number {
  const number = numbers.get(text);
  return number === undefined ? Date.parse(`${text}T00:00:00Z`) : number * dayMs;
}

/** Caches of days by number since 1970, and the reverse: every row of every answer names days, mostly the same ones. */
const names = new Map<number, Day>();
const numbers = new Map<string, number>();
/** Some thirty years; above this, a cache starts again empty. */
const mostKnown = 10_000;

function remember(number: number, name: Day): void {
  if (names.size >= mostKnown) {
    names.clear();
    numbers.clear();
  }
  names.set(number, name);
  numbers.set(name, number);
}

/** The earliest of one or more days. */
export function earliest<D extends string>(days: readonly D[]): D {
  return days.reduce((found, other) => (other < found ? other : found));
}

/** The latest of one or more days. */
export function latest<D extends string>(days: readonly D[]): D {
  return days.reduce((found, other) => (other > found ? other : found));
}

/** The earliest of some days, of which those that are unknown (null) do not count; null if none is known. */
export function earliestKnown<D extends string>(days: readonly (D | null)[]): D | null {
  const known = days.filter((one) => one !== null);
  return known.length === 0 ? null : earliest(known);
}

/** The latest of them; null if none is known. */
export function latestKnown<D extends string>(days: readonly (D | null)[]): D | null {
  const known = days.filter((one) => one !== null);
  return known.length === 0 ? null : latest(known);
}

import { dayOf, type Day, dayMs } from "../../core/day.ts";

/** A crawl time: its calendar day and its clock reading `YYYY-MM-DDTHH:MM:SS`, zoneless. */
export type CrawlTime = { readonly day: Day; readonly at: string };

const zoned = /^(.{10})[T ](.+)([+-]\d{2}):?(\d{2})$/;

/**
 * Reads an instant of an answer: epoch milliseconds and times with a zone as UTC, a zoneless date-time unchanged, a bare date as its
 * midnight.
 */
export function readInstant(value: number | string): CrawlTime {
  if (typeof value === "number") return readEpoch(value);
  const [, date, time, hours, minutes] = zoned.exec(value) ?? [];
  if (date !== undefined) return readEpoch(Date.parse(`${date}T${time}${hours}:${minutes}`));
  const day = value.slice(0, 10) as Day;
  const clock = value.slice(11).replace(/Z$/, "");
  const seconds = clock.length === 5 ? `${clock}:00` : clock;
  return { day, at: `${day}T${clock === "" ? "00:00:00" : seconds}` };
}

function readEpoch(value: number): CrawlTime {
  const day = dayOf(value);
  const ms = value - Math.floor(value / dayMs) * dayMs;
  const seconds = Math.floor(ms / 1000);
  const [minutes, rest] = [Math.floor(seconds / 60), ms % 1000];
  const clock = `${(byMinute[minutes] ??= `T${two(minutes / 60)}:${two(minutes % 60)}:`)}${twoDigits[seconds % 60]}`;
  return { day, at: rest === 0 ? day + clock : `${day}${clock}.${String(rest).padStart(3, "0")}` };
}

/** Every item of many answers has a time: each hour and minute is formatted once. */
const byMinute: string[] = [];
const twoDigits = Array.from({ length: 60 }, (_, number) => two(number));

function two(number: number): string {
  const whole = Math.floor(number);
  return whole < 10 ? `0${whole}` : `${whole}`;
}

/** The clock reading of an instant that may be missing, as columns of kind `timestamp` take it. */
export function clockOf(value: number | string | null | undefined): string | null {
  return value === null || value === undefined ? null : readInstant(value).at;
}

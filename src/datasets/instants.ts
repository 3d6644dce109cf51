import { dayOf, type Day } from "../core/day.ts";

/** A crawl time: its calendar day and its clock reading `YYYY-MM-DDTHH:MM:SS`, zoneless. */
export type CrawlTime = { readonly day: Day; readonly at: string };

/** Reads an instant of an answer: epoch-milliseconds as UTC, a zoneless date-time as it stands, a bare date as its midnight. */
export function readInstant(value: number | string): CrawlTime {
  if (typeof value === "number")
    return {
      day: dayOf(value),
      at: new Date(value)
        .toISOString()
        .slice(0, 23)
        .replace(/\.000$/, ""),
    };
  const day = value.slice(0, 10) as Day;
  const clock = value.slice(11).replace(/Z$/, "");
  const seconds = clock.length === 5 ? `${clock}:00` : clock;
  return { day, at: `${day}T${clock === "" ? "00:00:00" : seconds}` };
}

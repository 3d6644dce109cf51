import { hourMs } from "../core/day.ts";
import { screen } from "./screen.ts";

/** A time in epoch-ms as it is written for programs: `2026-11-22T10:05:00.000Z`. */
export function isoTime(instant: number): string;
export function isoTime(instant: number | null): string | null;
export function isoTime(instant: number | null): string | null {
  return instant === null ? null : new Date(instant).toISOString();
}

/**
 * A time as a table shows it: `2026-11-22 10:05`, in the reader's zone; see `zoneNote`. Seconds where they are needed to distinguish calls.
 * A time that the clock shows twice, when summer time ends, has its offset.
 */
export function timeCell(instant: Date | number | null, precision: "minutes" | "seconds" = "minutes"): string | null {
  if (instant === null) return null;
  const { zone, showsUtc } = screen();
  const here = clockTime(instant, zone, precision);
  if (showsUtc && !isUtc(zone)) return `${here} (${utcTime(instant, here, precision)})`;
  const isTwice = clockShifts.some((shift) => clockTime(Number(instant) + shift, zone, precision) === here);
  return isTwice ? `${here} ${zoneAt(instant, zone)}` : here;
}

/** By how much clocks are set back, in both directions: an hour, on Lord Howe Island half an hour. */
const clockShifts = [-hourMs, -hourMs / 2, hourMs / 2, hourMs];

/** A time as in a sentence, with its zone: `2026-11-22 10:05 GMT+1`. */
export function timeText(instant: Date | number): string {
  const { zone, showsUtc } = screen();
  const here = clockTime(instant, zone, "minutes");
  if (isUtc(zone)) return `${here} UTC`;
  const text = `${here} ${zoneAt(instant, zone)}`;
  return showsUtc ? `${text} (${utcTime(instant, here, "minutes")})` : text;
}

/** The line under a table of times: which zone they are in, and how to see UTC. */
export function zoneNote(): string {
  const { zone, showsUtc } = screen();
  if (isUtc(zone)) return "Times are in UTC.";
  return `Times are in ${zone}${showsUtc ? ", and in UTC" : "; --utc adds UTC"}.`;
}

function isUtc(zone: string): boolean {
  return ["UTC", "Etc/UTC", "Etc/GMT", "GMT", "Etc/UCT", "UCT", "Zulu", "Etc/Zulu"].includes(zone);
}

function utcTime(instant: Date | number, here: string, precision: "minutes" | "seconds"): string {
  const utc = clockTime(instant, "UTC", precision);
  const sameDay = utc.slice(0, 10) === here.slice(0, 10);
  return `${utc.slice(sameDay ? 11 : 5)} UTC`;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function clockTime(instant: Date | number, zone: string, precision: "minutes" | "seconds"): string {
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat("en-GB", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
    });
  formats.set(zone, format);
  const parts = Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, value]));
  const time = `${parts["year"]}-${parts["month"]}-${parts["day"]} ${parts["hour"]}:${parts["minute"]}`;
  return precision === "minutes" ? time : `${time}:${parts["second"]}`;
}

/** What the zone is called at an instant, which says whether summer time counts: `GMT+2`. */
function zoneAt(instant: Date | number, zone: string): string {
  const parts = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "short" }).formatToParts(instant);
  return parts.find(({ type }) => type === "timeZoneName")?.value ?? zone;
}

import { noBreak } from "./text-width.ts";

/** A number for people, with separated thousands. */
export function count(number: number): string {
  return number.toLocaleString("en-US");
}

/** A count in words: "1 answer", "2,000 answers". `many` is the plural if it is not formed with s. */
export function countOf(number: number, one: string, many = `${one}s`): string {
  return `${count(number)} ${number === 1 ? one : many}`;
}

/** Some names, and how many more there are: "a, b, c and 4 more". */
export function listed(names: readonly string[], most = 3): string {
  const named = names.slice(0, most).join(", ");
  return names.length > most ? `${named} and ${names.length - most} more` : named;
}

/** A text of at most this many characters; a longer one is cut and ends with an ellipsis. */
export function cut(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1).toWellFormed()}…`;
}

/** A text that begins with a capital letter. */
export function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** An instant (ISO text, date or epoch-ms) to the minute: `2026-11-22 10:05`, in UTC. */
export function utcMinute(instant: string | number | Date): string {
  return new Date(instant).toISOString().slice(0, 16).replace("T", " ");
}

/** The same for a sentence: `2026-11-22 10:05 UTC`. */
export function minuteOf(instant: string | number | Date): string {
  return `${utcMinute(instant)} UTC`;
}

/** A duration, in two units at most: `40 s`, `25 min`, `3 h 20 min`, `12 days`. No line is broken within it. */
export function durationText(ms: number): string {
  return durationParts(Math.max(0, Math.round(ms / 1000))).join(noBreak);
}

function durationParts(seconds: number): readonly (string | number)[] {
  if (seconds < 90) return [seconds, "s"];
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return [minutes, "min"];
  const hours = Math.floor(minutes / 60);
  if (hours >= 72) return [Math.floor(hours / 24), "days"];
  return [hours, "h", ...(minutes % 60 === 0 ? [] : [minutes % 60, "min"])];
}

/** Who requests failed slices again, to be followed by the time of the first of these tries: an earlier sync leaves them as they are. */
export const triedAgainBy = "by a worker, or by a sync after";

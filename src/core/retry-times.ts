import { addDays, dayOf, startOfDay } from "./day.ts";
import { minuteOf, triedAgainBy } from "./words.ts";
import { errorCodes, type ErrorCode, type ErrorEntry } from "./error-codes.ts";

/** True for an error that may be gone at a later request: a slice that failed with it is requested again automatically. */
export function isTriedLater(code: string): boolean {
  const entry: ErrorEntry | undefined = errorCodes[code as ErrorCode];
  return entry?.later === true;
}

/** The codes of such errors. */
export const passingCodes: readonly string[] = Object.keys(errorCodes).filter(isTriedLater);

const minuteMs = 60_000;

/** The longest pause that a Retry-After can cause: a longer time may mean the reset of credits, which the balance reports. */
export const longestPauseMs = 5 * minuteMs;

/** The time after a failure until a slice is first requested again, in ms. */
export const firstTryMs = 5 * minuteMs;
/**
 * The wait before each later try of a failed slice: most causes are gone within the hour, and one that lasts for days costs one try per
 * day.
 */
const distances = [firstTryMs, ...[30, 2 * 60, 6 * 60, 24 * 60].map((minutes) => minutes * minuteMs)];

/** A failed slice: the code of its error, how often it was requested again later, and when it failed (epoch-ms). */
export type FailedAttempts = {
  readonly code: string;
  readonly laterTries: number;
  readonly endedAt: number;
  /** Epoch-ms: the next try must be before this. */
  readonly before?: number | undefined;
};

/**
 * When a failed slice is requested again automatically (epoch-ms): after the wait that its number of later tries gives, or the one before
 * it if only that ends in time. Null if a retry cannot fix its error, or if neither ends in time.
 */
export function nextTryAt({ code, laterTries, endedAt, before = Infinity }: FailedAttempts): number | null {
  if (!isTriedLater(code)) return null;
  const at = Math.min(laterTries, distances.length - 1);
  const wait = distances.slice(Math.max(0, at - 1), at + 1).findLast((one) => endedAt + one < before);
  return wait === undefined ? null : endedAt + wait;
}

/** When a try that the limit of a day (UTC) does not pay for is due (epoch-ms): as the next day begins. */
export function putOffUntil(now: number): number {
  return startOfDay(addDays(dayOf(now), 1));
}

/** True for the time of such a try: no wait after a failure ends on the millisecond at which a day begins. */
function isPutOff(at: number): boolean {
  return at === startOfDay(dayOf(at));
}

/** What a sentence says of failed slices with a next try, the first of which is due at an instant; `time` shows it. */
export function triedAgainText(at: Date | string, time = minuteOf(at)): string {
  const room = isPutOff(new Date(at).getTime()) ? ", when credits.retries_a_day has room again" : "";
  return `requested again ${triedAgainBy} ${time}${room}`;
}

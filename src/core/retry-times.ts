import { errorCodes, type ErrorCode } from "./error-codes.ts";

/** The table's row for a slice that failed with a code: whether it is requested again later, and after how many attempts it fails. */
function failureColumns(code: string): { readonly later?: boolean; readonly attempts?: number } {
  const entry: { readonly says: string; readonly later?: boolean; readonly attempts?: number } | undefined =
    errorCodes[code as ErrorCode];
  return entry ?? {};
}

/** True for an error that may be gone at a later request: a slice that failed with it is requested again automatically. */
export function isTriedLater(code: string): boolean {
  return failureColumns(code).later === true;
}

/** The codes of such errors. */
export const passingCodes: readonly string[] = Object.keys(errorCodes).filter(isTriedLater);

const minuteMs = 60_000;

/** The time after a failure until a slice is first requested again, in ms. */
export const firstTryMs = 5 * minuteMs;
/**
 * The wait before each later try of a failed slice: most causes are gone within the hour, and one that lasts for days costs one try per
 * day.
 */
const distances = [firstTryMs, ...[30, 2 * 60, 6 * 60, 24 * 60].map((minutes) => minutes * minuteMs)];

/**
 * A failed slice: the code of its error, the attempts that counted against it, how many it has at once (if left out, as in the table), and
 * when it failed (epoch-ms).
 */
export type FailedAttempts = {
  readonly code: string;
  readonly failures: number;
  readonly atOnce?: number | undefined;
  readonly endedAt: number;
};

/** When a failed slice is requested again automatically (epoch-ms); null if a retry cannot fix its error. */
export function nextTryAt({ code, failures, atOnce, endedAt }: FailedAttempts): number | null {
  if (!isTriedLater(code)) return null;
  const tried = Math.max(0, failures - (atOnce ?? failureColumns(code).attempts ?? 1));
  return endedAt + (distances[Math.min(tried, distances.length - 1)] ?? 0);
}

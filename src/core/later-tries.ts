import { errorCodes, type ErrorCode } from "./error-codes.ts";

/** What the table says of a slice that failed with a code: whether it is requested again later, and after how many attempts it failed. */
function failureColumns(code: string): { readonly later?: boolean; readonly attempts?: number } {
  const entry: { readonly says: string; readonly later?: boolean; readonly attempts?: number } | undefined =
    errorCodes[code as ErrorCode];
  return entry ?? {};
}

/** True for an error that a later request may not meet: a slice that failed with it is requested again automatically. */
export function isTriedLater(code: string): boolean {
  return failureColumns(code).later === true;
}

/** The codes of such errors. */
export const passingCodes: readonly string[] = Object.keys(errorCodes).filter(isTriedLater);

const minuteMs = 60_000;

/** How long after it failed a slice is requested again the first time, in ms. */
export const firstTryMs = 5 * minuteMs;
/** The wait before each later try of a failed slice: most causes are gone within the hour, and one of days costs one try a day. */
const distances = [firstTryMs, ...[30, 2 * 60, 6 * 60, 24 * 60].map((minutes) => minutes * minuteMs)];

/**
 * A slice that failed: the code of its error, the attempts that counted against it, how many it has at once (as the table says where it is
 * left out), and when it failed (epoch-ms).
 */
export type FailedAttempts = {
  readonly code: string;
  readonly failures: number;
  readonly atOnce?: number | undefined;
  readonly endedAt: number;
};

/** When a failed slice is requested again automatically (epoch-ms); null where a retry cannot mend its error. */
export function nextTryAt({ code, failures, atOnce, endedAt }: FailedAttempts): number | null {
  if (!isTriedLater(code)) return null;
  const tried = Math.max(0, failures - (atOnce ?? failureColumns(code).attempts ?? 1));
  return endedAt + (distances[Math.min(tried, distances.length - 1)] ?? 0);
}

import { boundedCredits } from "../core/credit-budget.ts";
import { longestPauseMs } from "../core/retry-times.ts";

/** What the headers of a reply say about the account; null if a header is missing or not a number. */
export type CreditHeaders = {
  /** Credits that this operation costs. Refusals have it too, although nothing was taken. */
  readonly cost: number | null;
  readonly remaining: number | null;
  /** Epoch-ms of the reset: the header's seconds, turned into a deadline at receipt. Never in the past. */
  readonly resetsAt: number | null;
  /** Epoch-ms before which no further call is sent: Retry-After, in seconds or as a date, up to the longest pause. */
  readonly notBefore: number | null;
  /** True for an answer that a Storehouse gateway gave for free, because it had it or was already fetching it. */
  readonly isShared?: true;
};

/** The header in which a Storehouse gateway says whether an answer was stored, was being fetched for another caller, or was fetched now. */
export const sharedAnswerHeader = "x-storehouse-cache";
/** The values of that header. */
export type SharedAnswer = "hit" | "joined" | "miss";

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Reads the credit headers of a reply received at `receivedAt` (epoch-ms). */
export function creditHeaders(headers: Headers, receivedAt: number): CreditHeaders {
  const reset = numberIn(headers, "x-credit-reset");
  return {
    // whole credits: a fraction is rounded to our disadvantage
    cost: whole(Math.ceil, numberIn(headers, "x-credit-cost")),
    remaining: whole(Math.floor, numberIn(headers, "x-credit-remaining")),
    // a period that has just ended says nothing about the next one
    resetsAt: reset === null || reset <= 0 ? null : deadline(receivedAt, reset),
    notBefore: retryAfter(headers, receivedAt),
    ...(isShared(headers) ? { isShared: true } : {}),
  };
}

function isShared(headers: Headers): boolean {
  return numberIn(headers, "x-credit-cost") === 0 && /^(hit|joined)$/.test(String(headers[sharedAnswerHeader]));
}

/** Epoch-ms, whole and not before the receipt; null if no calendar reaches that far. */
function deadline(receivedAt: number, seconds: number): number | null {
  const at = Math.ceil(receivedAt + Math.max(0, seconds) * 1000);
  return Number.isNaN(new Date(at).getTime()) ? null : at;
}

function retryAfter(headers: Headers, receivedAt: number): number | null {
  const named = namedPause(headers, receivedAt);
  return named === null ? null : Math.min(named, receivedAt + longestPauseMs);
}

function namedPause(headers: Headers, receivedAt: number): number | null {
  const seconds = numberIn(headers, "retry-after");
  if (seconds !== null) return deadline(receivedAt, seconds);
  const date = headers["retry-after"];
  // Date.parse would make a date of other texts too
  const at = typeof date === "string" && /^[A-Z][a-z]{2}, .+ GMT$/.test(date) ? Date.parse(date) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(at, receivedAt);
}

function numberIn(headers: Headers, name: string): number | null {
  const value = headers[name];
  if (typeof value !== "string" || value.trim() === "") return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}

function whole(round: (value: number) => number, value: number | null): number | null {
  return value === null ? null : boundedCredits(round(value));
}

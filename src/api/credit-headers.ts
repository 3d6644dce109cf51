import { boundedCredits } from "../core/credit-budget.ts";

/** What a reply's headers say of the account; null where a header is missing or no number. */
export type CreditHeaders = {
  /** Credits this operation costs. Sent on refusals too, where nothing was taken. */
  readonly cost: number | null;
  readonly remaining: number | null;
  /** Epoch-ms of the reset: the header's seconds, turned into a deadline at receipt. Never in the past. */
  readonly resetsAt: number | null;
  /** Epoch-ms before which the service wants no further call (Retry-After, in seconds or as a date). */
  readonly notBefore: number | null;
  /** True for an answer that a gateway of ours gave for nothing, since it had it or was fetching it. */
  readonly isShared?: true;
};

/** What a gateway of ours says of an answer: stored before, fetched for another caller at this moment, or fetched now. */
export const sharedAnswerHeader = "x-storehouse-cache";
/** The words in it. */
export type SharedAnswer = "hit" | "joined" | "miss";

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Reads the credit headers of a reply received at `receivedAt` (epoch-ms). */
export function creditHeaders(headers: Headers, receivedAt: number): CreditHeaders {
  const reset = numberIn(headers, "x-credit-reset");
  return {
    // whole credits: a fraction is read against us
    cost: whole(Math.ceil, numberIn(headers, "x-credit-cost")),
    remaining: whole(Math.floor, numberIn(headers, "x-credit-remaining")),
    // a period that has just ended says nothing of the one that begins
    resetsAt: reset === null || reset <= 0 ? null : deadline(receivedAt, reset),
    notBefore: retryAfter(headers, receivedAt),
    ...(isShared(headers) ? { isShared: true } : {}),
  };
}

function isShared(headers: Headers): boolean {
  return numberIn(headers, "x-credit-cost") === 0 && /^(hit|joined)$/.test(String(headers[sharedAnswerHeader]));
}

/** Epoch-ms, whole and not before the receipt; null when no calendar reaches that far. */
function deadline(receivedAt: number, seconds: number): number | null {
  const at = Math.ceil(receivedAt + Math.max(0, seconds) * 1000);
  return Number.isNaN(new Date(at).getTime()) ? null : at;
}

function retryAfter(headers: Headers, receivedAt: number): number | null {
  const seconds = numberIn(headers, "retry-after");
  if (seconds !== null) return deadline(receivedAt, seconds);
  const date = headers["retry-after"];
  // of any other text Date.parse would make a date all the same
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

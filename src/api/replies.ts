import type { ErrorCode } from "../core/error-codes.ts";
import { fail, type StorehouseError } from "../core/errors.ts";
import type { Answer } from "./credit-headers.ts";
import type { Operation } from "./define-operation.ts";

/** What each status means. Of those that are not here, 5xx mean what 500 means and all others are `unexpected_status`. */
const replies: Readonly<Record<number, ErrorCode | "answer">> = {
  200: "answer",
  201: "answer",
  204: "no_content",
  400: "bad_request",
  401: "unauthorised",
  402: "credits_exhausted",
  403: "forbidden",
  404: "not_found",
  408: "timeout",
  // too much in one call: like any refused batch it is asked for again in halves
  413: "bad_request",
  414: "bad_request",
  431: "bad_request",
  422: "bad_request",
  425: "server_error",
  429: "too_many_requests",
  500: "server_error",
};

/** Statuses under which a service may mean that no credits are left; only the balance tells. */
const mayMeanExhausted = new Set([400, 402, 403, 422, 429]);

/** The error that an answer's status stands for, null when its body is worth reading. The body is not looked at. */
export function errorOf(operation: Operation, answer: Answer): StorehouseError | null {
  const code = codeOf(answer);
  if (code === "answer") return null;
  return fail(code, {
    operation: operation.id,
    status: answer.status,
    ...(code === "credits_exhausted" ? { until: answer.credits.resetsAt } : {}),
  });
}

/** True when the status leaves open whether the credits ran out: then the balance must be looked at. */
export function mayBeExhausted(answer: Answer): boolean {
  return mayMeanExhausted.has(answer.status);
}

function codeOf(answer: Answer): ErrorCode | "answer" {
  const exact = replies[answer.status];
  if (exact !== undefined) return exact;
  return answer.status >= 500 ? (replies[500] ?? "unexpected_status") : "unexpected_status";
}

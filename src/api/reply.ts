import type { ErrorCode } from "../core/error-codes.ts";
import { fail, type StorehouseError } from "../core/errors.ts";
import type { CreditHeaders } from "./credit-headers.ts";
import type { Operation } from "./define-operation.ts";
import { reportsFailure } from "./reported-failure.ts";

/** What a reply says about the account. Credits; times in epoch-ms. */
type ReplyCredits = {
  /** Credits taken; null for a refusal: it has a cost header, but nothing was taken. */
  readonly charged: number | null;
  /** The cost of the call according to the reply to a successful call; null if it does not say. */
  readonly price: number | null;
  readonly remaining: number | null;
  readonly resetsAt: number | null;
  /** True if the service refused the pace. */
  readonly tooFast: boolean;
  /** The time before which the service accepts no further call; null if it names none. */
  readonly notBefore: number | null;
};

/** The fields of every reply, with any status. */
type ReplyFacts = {
  readonly status: number;
  readonly byteCount: number;
  readonly credits: ReplyCredits;
  /** True if the status, or an answer that reports a failure, may mean that the credits ran out: only the balance shows it. */
  readonly mayMeanExhausted: boolean;
  /** When the last byte arrived, in epoch-ms. */
  readonly receivedAt: number;
  readonly durationMs: number;
  /** The service's own clock (epoch-ms, whole seconds); null if the reply does not say. */
  readonly serverTime: number | null;
};

/** A reply, classified once by its status: an answer with an unread body, or the problem that the status means. */
export type Reply = ReplyFacts &
  ({ readonly answer: Buffer; readonly problem: null } | { readonly answer: null; readonly problem: StorehouseError });

/** A reply as received. */
export type Received = Pick<ReplyFacts, "status" | "receivedAt" | "durationMs" | "serverTime"> & {
  readonly body: Buffer;
  readonly headers: CreditHeaders;
  /** Why its body is not there, although its headers are; null for a body as received. */
  readonly bodyProblem: StorehouseError | null;
};

/** What each status means. Any other status is `server_error` from 500 on, otherwise `unexpected_status`. */
const meanings: Readonly<Record<number, ErrorCode | "answer">> = {
  200: "answer",
  201: "answer",
  // an answer that a proxy has changed, for instance its compression
  203: "answer",
  204: "no_content",
  400: "bad_request",
  401: "unauthorised",
  402: "credits_exhausted",
  403: "forbidden",
  404: "not_found",
  408: "timeout",
  // too much in one call: like any refused batch it is requested again in halves
  413: "bad_request",
  414: "bad_request",
  431: "bad_request",
  422: "bad_request",
  425: "server_error",
  429: "too_many_requests",
};

/** Statuses that may mean that no credits are left; only the balance shows it. */
const mayMeanExhausted: ReadonlySet<number> = new Set([400, 402, 403, 422, 429]);

/** Classifies a reply by its status and its headers. It reads a body only if it is short, to see whether it reports a failure. */
export function classifyReply(operation: Operation, received: Received): Reply {
  const { status, body, headers, receivedAt, durationMs, serverTime } = received;
  const code = meanings[status] ?? (status >= 500 ? "server_error" : "unexpected_status");
  const isFailure = code === "answer" && isShortFailure(operation, body);
  const facts: ReplyFacts = {
    status,
    byteCount: body.length,
    credits: creditsIn(operation, received, code === "answer" && !isFailure),
    mayMeanExhausted: isFailure || mayMeanExhausted.has(status),
    receivedAt,
    durationMs,
    serverTime,
  };
  // the headers still say what the call cost
  if (received.bodyProblem !== null) return { ...facts, answer: null, problem: received.bodyProblem };
  if (code === "answer") return { ...facts, answer: body, problem: null };
  const { charged, notBefore } = facts.credits;
  const until =
    code === "credits_exhausted" ? { until: headers.resetsAt } : notBefore === null ? {} : { until: notBefore };
  // a reply without an answer can only be charged 0
  const paid = charged === null || charged === 0 ? {} : { charged };
  return { ...facts, answer: null, problem: fail(code, { operation: operation.id, status, ...until, ...paid }) };
}

/** The longest body that may be a failure, in bytes: it has a message, and no data. */
const longestFailure = 4096;

/** True for a failure that only the body shows. */
function isShortFailure(operation: Operation, body: Buffer): boolean {
  if (body.length > longestFailure || !(body.includes('"success"') || body.includes('"error"'))) return false;
  try {
    return reportsFailure(operation, JSON.parse(body.toString()));
  } catch {
    return false;
  }
}

function creditsIn(operation: Operation, { status, headers }: Received, isAnswer: boolean): ReplyCredits {
  const { cost, remaining, resetsAt, notBefore } = headers;
  const succeeded = status >= 200 && status < 300;
  // a refusal for lack of credits says nothing about the pace
  const tooFast = status === 429 && !(remaining !== null && remaining < operation.cost);
  return {
    charged: succeeded ? (cost ?? (isAnswer ? operation.cost : 0)) : null,
    // an answer that a gateway already had says nothing about the price, and neither does an empty answer for free
    price: succeeded && headers.isShared !== true && (isAnswer || cost !== 0) ? cost : null,
    remaining,
    resetsAt,
    tooFast,
    notBefore: tooFast || status === 503 ? notBefore : null,
  };
}

import type { ErrorCode } from "../core/error-codes.ts";
import { fail, type StorehouseError } from "../core/errors.ts";
import type { CreditHeaders } from "./credit-headers.ts";
import type { Operation } from "./define-operation.ts";
import { flagOf } from "./respell.ts";

/** What a reply says of the account. Credits; times in epoch-ms. */
type ReplyCredits = {
  /** Credits taken; null for a refusal: it names a cost, but nothing was taken. */
  readonly charged: number | null;
  /** What the reply to a successful call says that it costs; null where it does not say. */
  readonly price: number | null;
  readonly remaining: number | null;
  readonly resetsAt: number | null;
  /** True when the service refused the pace. */
  readonly tooFast: boolean;
  /** The time before which the service wants no further call; null where it names none. */
  readonly notBefore: number | null;
};

/** What is the same in every reply, of any status. */
type ReplyFacts = {
  readonly status: number;
  readonly byteCount: number;
  readonly credits: ReplyCredits;
  /** True when the status, or an answer that says that it failed, leaves open whether the credits ran out: only the balance shows it. */
  readonly mayMeanExhausted: boolean;
  /** Epoch-ms at which the last byte was in. */
  readonly receivedAt: number;
  readonly durationMs: number;
  /** The service's own clock (epoch-ms, whole seconds); null when the reply does not say. */
  readonly serverTime: number | null;
};

/** A reply, classified once by its status: an answer, its body as yet unread, or the problem that the status stands for. */
export type Reply = ReplyFacts &
  ({ readonly answer: Buffer; readonly problem: null } | { readonly answer: null; readonly problem: StorehouseError });

/** A reply as it came over the wire. */
export type Received = Pick<ReplyFacts, "status" | "receivedAt" | "durationMs" | "serverTime"> & {
  readonly body: Buffer;
  readonly headers: CreditHeaders;
};

/** What each status means. Of those that are not here, 500 and above are `server_error` and all others `unexpected_status`. */
const meanings: Readonly<Record<number, ErrorCode | "answer">> = {
  200: "answer",
  201: "answer",
  // an answer that a proxy on the way has changed, as by packing it otherwise
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

/** Statuses under which a service may mean that no credits are left; only the balance shows it. */
const mayMeanExhausted: ReadonlySet<number> = new Set([400, 402, 403, 422, 429]);

/** Classifies a reply by its status and its headers. Of the body it only reads whether a short one says that the call failed. */
export function classifyReply(operation: Operation, received: Received): Reply {
  const { status, body, headers, receivedAt, durationMs, serverTime } = received;
  const code = meanings[status] ?? (status >= 500 ? "server_error" : "unexpected_status");
  const isFailure = code === "answer" && reportsFailure(body);
  const facts: ReplyFacts = {
    status,
    byteCount: body.length,
    credits: creditsIn(operation, received, code === "answer" && !isFailure),
    mayMeanExhausted: isFailure || mayMeanExhausted.has(status),
    receivedAt,
    durationMs,
    serverTime,
  };
  if (code === "answer") return { ...facts, answer: body, problem: null };
  const until = code === "credits_exhausted" ? { until: headers.resetsAt } : {};
  const { charged } = facts.credits;
  // of what is no answer only nothing may be charged
  const paid = charged === null || charged === 0 ? {} : { charged };
  return { ...facts, answer: null, problem: fail(code, { operation: operation.id, status, ...until, ...paid }) };
}

/** The longest body that may be a failure, in bytes: it has a message, and no data. */
const longestFailure = 4096;

/** True for a body with `success: false`: a failure that only the body shows. */
function reportsFailure(body: Buffer): boolean {
  if (body.length > longestFailure || !body.includes('"success"')) return false;
  try {
    const json = JSON.parse(body.toString()) as { readonly success?: unknown } | null;
    return flagOf(json?.success) === false;
  } catch {
    return false;
  }
}

function creditsIn(operation: Operation, { status, headers }: Received, isAnswer: boolean): ReplyCredits {
  const { cost, remaining, resetsAt, notBefore } = headers;
  const succeeded = status >= 200 && status < 300;
  // a refusal for want of credits says nothing of the pace
  const tooFast = status === 429 && !(remaining !== null && remaining < operation.cost);
  return {
    charged: succeeded ? (cost ?? (isAnswer ? operation.cost : 0)) : null,
    // what a gateway had already says nothing of the price, and neither does nothing for nothing
    price: succeeded && headers.isShared !== true && (isAnswer || cost !== 0) ? cost : null,
    remaining,
    resetsAt,
    tooFast,
    notBefore: tooFast || status === 503 ? notBefore : null,
  };
}

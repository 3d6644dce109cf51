import type { Operation } from "../api/define-operation.ts";
import { errorBody, type Receipt } from "../api/serve/error-body.ts";
import type { Fault, FaultKind } from "./faults.ts";
import type { Refusal } from "../api/serve/refusal.ts";

/** The outcome of one request: the answer, how much of it is sent, and its log entry. */
export type Outcome = {
  /** 0 if nothing is sent. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Empty for no body: then there is no Content-Type either. */
  readonly body: string;
  /** How much reaches the caller: after `half` the connection breaks, after `stall` it stays open and sends nothing. */
  readonly sent: "all" | "half" | "stall" | "nothing";
  readonly charged: number;
  readonly reason?: string;
  readonly fault?: FaultKind;
};

const json = { "Content-Type": "application/json" } as const;
const text = { "Content-Type": "text/plain;charset=UTF-8" } as const;
const html = { "Content-Type": "text/html;charset=UTF-8" } as const;

/** How answers are wrapped if the contract does not say, and whether a list that should be bare has a name. */
export type Envelopes = { readonly open: "bare" | "data"; readonly namesLists: boolean };

/** An answer in its envelope. */
export function wrapped({ envelope }: Operation, answer: unknown, { open, namesLists }: Envelopes): unknown {
  if ((envelope === "either" ? open : envelope) === "data") return { data: answer, success: true };
  return namesLists && Array.isArray(answer) ? { results: answer } : answer;
}

/** A complete good answer, not yet charged: JSON, or text without quotes, or no body if the answer is undefined. */
export function goodOutcome(answer: unknown, { asText }: { asText: boolean }): Outcome {
  if (answer === undefined) return { status: 204, headers: {}, body: "", sent: "all", charged: 0 };
  if (asText && typeof answer === "string")
    return { status: 200, headers: text, body: answer, sent: "all", charged: 0 };
  return { status: 200, headers: json, body: JSON.stringify(answer), sent: "all", charged: 0 };
}

/** A refusal as an answer. The service sends a 401 without a body, and a 404 of its router without a message. */
export function refusedOutcome(
  receipt: Receipt,
  refusal: Refusal,
  options: { withoutMessage?: boolean } = {},
): Outcome {
  const { status, message: reason } = refusal;
  const bodiless = status === 401;
  const body = bodiless ? "" : errorBody(receipt, status, options.withoutMessage === true ? null : reason);
  return {
    status,
    headers: bodiless ? refusal.headers : { ...json, ...refusal.headers },
    body,
    sent: "all",
    charged: 0,
    reason,
  };
}

type Spoil = (fault: Fault, good: Outcome, receipt: Receipt) => Partial<Outcome>;

const page =
  "<!doctype html><html><head><title>One moment</title></head><body><h1>We will be right back</h1></body></html>";
const failed = JSON.stringify({ success: false, status: "INTERNAL_ERROR", message: "the data could not be prepared" });

// what each kind of fault does to a good answer
const spoils = {
  status: (fault, _, receipt) => ({
    status: fault.status ?? 500,
    body: fault.body ?? errorBody(receipt, fault.status ?? 500, null),
  }),
  cut: () => ({ status: 0, headers: {}, body: "", sent: "nothing" }),
  half: (fault, good) => ({ body: fault.body ?? good.body, sent: "half" }),
  stall: (fault, good) => ({ body: fault.body ?? good.body, sent: "stall" }),
  "not-json": (fault) => ({ headers: html, body: fault.body ?? page }),
  "success-false": (fault) => ({ body: fault.body ?? failed }),
  "empty-401": () => ({ status: 401, headers: {}, body: "" }),
  "no-credit-headers": () => ({}),
} as const satisfies Record<FaultKind, Spoil>;

/** A good answer after a fault. */
export function spoiledOutcome(good: Outcome, fault: Fault, receipt: Receipt): Outcome {
  const spoil: Spoil = spoils[fault.kind];
  return { ...good, ...spoil(fault, good, receipt), fault: fault.kind, reason: `fault: ${fault.kind}` };
}

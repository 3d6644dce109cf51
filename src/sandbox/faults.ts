import { z } from "zod";

/**
 * How an answer goes wrong: `status` another status, `cut` no answer at all, `half` half of the body and then a broken connection,
 * `not-json` an HTML page with status 200, `success-false` a 200 that reports a failure, `empty-401` the refusal of a token,
 * `no-credit-headers` a good answer without them, `stall` half of the body and then silence.
 */
export const FaultKind = z.enum([
  "status",
  "cut",
  "half",
  "not-json",
  "success-false",
  "empty-401",
  "no-credit-headers",
  "stall",
]);
export type FaultKind = z.output<typeof FaultKind>;

/** A failure that the sandbox simulates. Faults apply in order, each `times` times, to requests that would be answered. */
export const Fault = z.strictObject({
  /** The id of the operation that it affects; any if left out. */
  operation: z.string().exactOptional(),
  /** A part of the decoded path or of any parameter's value. */
  contains: z.string().exactOptional(),
  times: z.int().min(0),
  kind: FaultKind,
  /** For `status` (default 500). */
  status: z.int().min(200).max(599).exactOptional(),
  /** Replaces the body of the kind. */
  body: z.string().exactOptional(),
  /** Whether the credits are taken anyway; the kind decides if left out. */
  charge: z.boolean().exactOptional(),
});
export type Fault = z.output<typeof Fault>;

// for these the service did its work, and the answer was lost or damaged on the way, or came without its headers
const charges = {
  status: false,
  cut: false,
  half: true,
  "not-json": true,
  "success-false": true,
  "empty-401": false,
  "no-credit-headers": true,
  stall: true,
} as const satisfies Record<FaultKind, boolean>;

/** True if a request with this fault is charged. */
export function chargesFor(fault: Fault): boolean {
  return fault.charge ?? charges[fault.kind];
}

/** The remaining faults. */
export class FaultPlan {
  #left: { fault: Fault; times: number }[];

  constructor(faults: readonly Fault[]) {
    this.#left = faults.map((fault) => ({ fault, times: fault.times }));
  }

  /** The first fault that matches the request, counted down by one; null if there is none. */
  take(request: { operation: string; path: string; params: Readonly<Record<string, unknown>> }): Fault | null {
    const texts = [request.path, ...Object.values(request.params).map(textOf)];
    const entry = this.#left.find(
      ({ fault, times }) =>
        times > 0 &&
        (fault.operation ?? request.operation) === request.operation &&
        (fault.contains === undefined || texts.some((text) => text.includes(fault.contains ?? ""))),
    );
    if (entry === undefined) return null;
    entry.times--;
    return entry.fault;
  }
}

function textOf(value: unknown): string {
  return typeof value === "string"
    ? value
    : Array.isArray(value)
      ? value.map(textOf).join(",")
      : (JSON.stringify(value) ?? "");
}

import type { z } from "zod";
import type { Params } from "../api/address.ts";
import type { Operation } from "../api/define-operation.ts";
import { readAnswer, type InvalidItem } from "../api/read-answer.ts";
import { RetryError } from "../core/errors.ts";
import { retry } from "../core/retry.ts";
import type { IngestParts } from "./ingest-parts.ts";
import { paidCall } from "./paid-call.ts";

/** A request that a person makes. Aborting `signal` takes it back while it is not sent yet. */
export type PersonRequest<O extends Operation = Operation> = {
  readonly operation: O;
  readonly params: Params;
  readonly signal: AbortSignal;
};

/** The checked answer, and the items of it that were left out because they do not fit the contract. */
export type CheckedAnswer<O extends Operation> = {
  readonly value: z.output<O["answer"]>;
  readonly invalid: readonly InvalidItem[];
};

/**
 * Makes one request for a person: granted down to the last credit, since the floors are kept for people. No table is made of the answer,
 * so its body is not stored. An error that may pass is retried a few times.
 */
export async function requestOnce<O extends Operation>(
  parts: IngestParts,
  { operation, params, signal }: PersonRequest<O>,
): Promise<CheckedAnswer<O>> {
  return retryCall(parts, signal, async () => {
    const { body } = await paidCall(parts, { operation, params, class: "person", page: null, unsent: signal });
    const { value, invalid } = readAnswer(operation, body);
    // it was checked by the operation's own schema
    return { value: value as z.output<O["answer"]>, invalid };
  });
}

/** Makes a call for a process that waits for it, again after each error that may pass, as often as the error allows and until `stop`. */
export function retryCall<T>(
  { clock, retryMs, log }: Pick<IngestParts, "clock" | "retryMs" | "log">,
  stop: AbortSignal,
  call: () => Promise<T>,
): Promise<T> {
  const again = (error: unknown, failures: number, waitMs: number) => {
    if (!(error instanceof RetryError) || failures >= error.attempts) return false;
    // a person waits meanwhile
    log.warn({ code: error.code, wait_ms: waitMs }, "api.call_retried");
    return true;
  };
  return retry({ clock, backoff: { firstMs: retryMs }, signal: stop, again }, call);
}

import type { z } from "zod";
import type { Params } from "../api/address.ts";
import type { Operation } from "../api/define-operation.ts";
import { readAnswer, type InvalidItem } from "../api/read-answer.ts";
import { RetryError } from "../core/errors.ts";
import { retry } from "../core/retry.ts";
import type { IngestParts } from "./ingest-parts.ts";
import { paidCall } from "./paid-call.ts";

/**
 * A request that a person makes. Aborting `signal` cancels it unless it is sent already. `onFailure` is called with the error of each try
 * that fails.
 */
export type PersonRequest<O extends Operation = Operation> = {
  readonly operation: O;
  readonly params: Params;
  readonly signal: AbortSignal;
  readonly onFailure?: ((error: unknown) => void) | undefined;
};

/** The checked answer, and those of its items that were left out because they do not fit the contract. */
export type CheckedAnswer<O extends Operation> = {
  readonly value: z.output<O["answer"]>;
  readonly invalid: readonly InvalidItem[];
};

/**
 * Makes one request for a person. It may spend down to the last credit, since floors are kept for people. The answer is loaded into no
 * table, so its body is not stored. An error that may pass is retried a few times.
 */
export async function requestOnce<O extends Operation>(
  parts: IngestParts,
  { operation, params, signal, onFailure }: PersonRequest<O>,
): Promise<CheckedAnswer<O>> {
  return retryCall(parts, signal, async () => {
    try {
      const { body } = await paidCall(parts, { operation, params, class: "person", page: null, unsent: signal });
      const { value, invalid } = readAnswer(operation, body);
      // it was checked by the operation's own schema
      return { value: value as z.output<O["answer"]>, invalid };
    } catch (error) {
      onFailure?.(error);
      throw error;
    }
  });
}

/** Makes a call that someone waits for. Retries it after errors that may pass, as often as the error allows, until `stop`. */
export function retryCall<T>(
  { clock, retryMs, log, scrub }: Pick<IngestParts, "clock" | "retryMs" | "log" | "scrub">,
  stop: AbortSignal,
  call: () => Promise<T>,
): Promise<T> {
  const again = (error: unknown, failures: number, waitMs: number) => {
    if (!(error instanceof RetryError) || failures >= error.attempts) return false;
    // a warning, since someone is waiting
    log.warn({ code: error.code, problem: scrub(error.problem), wait_ms: waitMs }, "api.call_retried");
    return true;
  };
  return retry({ clock, backoff: { firstMs: retryMs }, signal: stop, again }, call);
}

import type { Params } from "../api/address.ts";
import type { Operation } from "../api/define-operation.ts";
import type { App } from "../app.ts";
import { StorehouseError } from "../core/errors.ts";
import { requestOnce, type CheckedAnswer } from "../ingest/request-once.ts";
import type { Ingest } from "../open-ingest.ts";

/**
 * Sends one request to the API. Invalid items of the answer are reported; the rest is returned. `onFailure` is called with the error of
 * each try that fails, also if a later one succeeds.
 */
export type SendRequest = <O extends Operation>(
  operation: O,
  params: Params,
  onFailure?: (error: unknown) => void,
) => Promise<CheckedAnswer<O>["value"]>;

/** A session that sends a person's requests to the API. `stop` is aborted when the person interrupts it. */
export type ApiSession = { readonly app: App; readonly send: SendRequest; readonly stop: AbortSignal };

/** The parts of a session. `onInvalid` is called with the invalid items of an answer, which are left out. */
export type SessionParts = {
  readonly app: App;
  readonly ingest: Ingest;
  readonly stop: AbortSignal;
  readonly onInvalid: (invalid: readonly { readonly reason: string }[]) => void;
};

/** Creates a session over the parts that run slices. */
export function apiSession({ app, ingest, stop, onInvalid }: SessionParts): ApiSession {
  const send: SendRequest = async (operation, params, onFailure) => {
    const { value, invalid } = await requestOnce(ingest.parts, { operation, params, signal: stop, onFailure });
    if (invalid.length > 0) onInvalid(invalid);
    return value;
  };
  return { app, send, stop };
}

/** True for an error that means that there is nothing: no content, or not found. */
export function saysNothing(error: unknown): error is StorehouseError {
  return error instanceof StorehouseError && (error.code === "no_content" || error.code === "not_found");
}

/** The answer; null if the service says that there is nothing. */
export async function ifAny<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (saysNothing(error)) return null;
    throw error;
  }
}

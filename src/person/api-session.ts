import type { Params } from "../api/address.ts";
import type { Operation } from "../api/define-operation.ts";
import type { App } from "../app.ts";
import { StorehouseError } from "../core/errors.ts";
import { requestOnce, type CheckedAnswer } from "../ingest/request-once.ts";
import type { Ingest } from "../open-ingest.ts";

/** Sends one request to the API. Items of the answer that do not fit are reported; the rest is returned. */
export type SendRequest = <O extends Operation>(operation: O, params: Params) => Promise<CheckedAnswer<O>["value"]>;

/** What sends a person's requests to the API. `stop` is aborted when the person interrupts it. */
export type ApiSession = { readonly app: App; readonly send: SendRequest; readonly stop: AbortSignal };

/** What a session is made of. `onInvalid` is called with the items of an answer that do not fit and are left out. */
export type SessionParts = {
  readonly app: App;
  readonly ingest: Ingest;
  readonly stop: AbortSignal;
  readonly onInvalid: (invalid: readonly { readonly reason: string }[]) => void;
};

/** The session over what runs slices. */
export function apiSession({ app, ingest, stop, onInvalid }: SessionParts): ApiSession {
  const send: SendRequest = async (operation, params) => {
    const { value, invalid } = await requestOnce(ingest.parts, { operation, params, signal: stop });
    if (invalid.length > 0) onInvalid(invalid);
    return value;
  };
  return { app, send, stop };
}

/** True for an error by which the service says that there is nothing: as no content, or as not found. */
export function saysNothing(error: unknown): error is StorehouseError {
  return error instanceof StorehouseError && (error.code === "no_content" || error.code === "not_found");
}

/** The answer, null where the service says that there is nothing. */
export async function ifAny<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (saysNothing(error)) return null;
    throw error;
  }
}

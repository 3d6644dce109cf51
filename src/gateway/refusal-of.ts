import { Refusal } from "../api/serve/refusal.ts";
import type { ErrorCode } from "../core/error-codes.ts";
import { DeferError, FencedError, RetryError, StorehouseError } from "../core/errors.ts";

/** The status that a caller gets for what came of its call; of other errors those that may pass are 503, the rest 502. */
const statuses: Partial<Record<ErrorCode, number>> = {
  bad_request: 400,
  not_encodable: 400,
  no_content: 204,
  not_found: 404,
  forbidden: 403,
  // the caller's key is right, the account's token is not
  unauthorised: 503,
  too_many_requests: 429,
  timeout: 504,
};

/** An error as the refusal that the contract has for it; null for one that is none of ours. */
export function refusalOf(error: unknown): Refusal | null {
  if (error instanceof Refusal) return error;
  if (!(error instanceof StorehouseError)) return null;
  const passes = error instanceof RetryError || error instanceof FencedError;
  const status = statuses[error.code] ?? (error instanceof DeferError ? 429 : passes ? 503 : 502);
  return new Refusal(status, `${error.code}: ${error.problem}`);
}

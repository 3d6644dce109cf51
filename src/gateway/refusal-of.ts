import { Refusal } from "../api/serve/refusal.ts";
import type { ErrorCode } from "../core/error-codes.ts";
import { DeferError, FencedError, RetryError, StorehouseError } from "../core/errors.ts";
import { budgetWaitCodes } from "../core/waiting-codes.ts";
import { databaseOutage, isLostConnection, isOutage } from "../postgres/database-errors.ts";
import { creditHeadersOf } from "./allowance.ts";

/** The status that a caller gets by error; of other errors, those that may be temporary are 503, the rest 502. */
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

/** The refusal that the contract has for an error, at an instant (epoch-ms); null if it is not one of our errors. */
export function refusalOf(error: unknown, now: number): Refusal | null {
  if (error instanceof Refusal) return error;
  if (isLostConnection(error)) return refusalOf(databaseOutage(error), now);
  if (!(error instanceof StorehouseError)) return null;
  const passes = error instanceof RetryError || error instanceof FencedError || isOutage(error);
  const status = statuses[error.code] ?? (error instanceof DeferError ? 429 : passes ? 503 : 502);
  const headers = { ...leftOfBudget(error, now), ...costOf(error), ...retryAfter(error, now) };
  return new Refusal(status, `${error.code}: ${error.problem}`, headers);
}

/** The charge for an empty reply: the service answered, and may have charged credits for it. */
function costOf({ code, context }: StorehouseError): Readonly<Record<string, string>> {
  return code === "no_content" ? { "X-Credit-Cost": String(context["charged"] ?? 0) } : {};
}

/** The pause that the service named: the reset of credits, which a refusal names as well, is a much later time. */
function retryAfter(error: StorehouseError, now: number): Readonly<Record<string, string>> {
  const until = error instanceof RetryError ? error.context["until"] : null;
  return typeof until !== "number" ? {} : { "Retry-After": String(Math.max(1, Math.ceil((until - now) / 1000))) };
}

/** What is left of the refusing budget: with the rest of the allowance instead, the refusal would appear to be about the request rate. */
function leftOfBudget({ code, context }: StorehouseError, now: number): Readonly<Record<string, string>> {
  if (!budgetWaitCodes.includes(code)) return {};
  const remaining = Math.max(0, Number(context["credits"]) - Number(context["taken"]));
  return creditHeadersOf({ remaining, resetsAt: Number(context["until"]) }, { cost: null, now });
}

import type { App } from "../app.ts";
import { StorehouseError, unexpected } from "../core/errors.ts";
import { connectionProblem, databaseOutage, isLostConnection, isRefusedLogin } from "../postgres/database-errors.ts";

/** Converts an error that ended a session, or the wait after one, to a StorehouseError. */
export function sessionError({ hide }: Pick<App, "hide">, error: unknown): StorehouseError {
  // the error of a clean-up hides the original one
  const cause: unknown = error instanceof SuppressedError ? error.suppressed : error;
  if (cause instanceof StorehouseError) return cause;
  if (isLostConnection(cause)) return databaseOutage(cause);
  const refused = isRefusedLogin(cause) ? connectionProblem(cause) : null;
  return refused instanceof StorehouseError ? refused : unexpected(cause, hide);
}

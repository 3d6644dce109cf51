import { AbortError, DeferError, fail, StorehouseError, UsageError } from "../core/errors.ts";
import { isLostConnection } from "../warehouse/database-errors.ts";

/** Tells a person in one line what went wrong and returns the exit code: 2 for settings, arguments and token, 3 for credits, 1 for the rest. */
export function reportFailure(failure: unknown, say: (line: string) => void): number {
  // the driver's own text says little and may say where
  const error = isLostConnection(failure) ? fail("database_unreachable", { problem: "the connection broke" }) : failure;
  if (error instanceof StorehouseError) {
    say(error.message);
    if (error instanceof DeferError) return 3;
    return error instanceof UsageError || error instanceof AbortError ? 2 : 1;
  }
  // a fault of ours: the trace helps whoever mends it, and holds neither address nor token
  say(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return 1;
}

import { AbortError, DeferError, fail, StorehouseError, UsageError } from "../core/errors.ts";
import { isLostConnection, isMissingRight } from "../postgres/database-errors.ts";
import { hideSecrets } from "./environment.ts";
import { remark } from "./output.ts";

/** Tells a person in one line what went wrong and returns the exit code: 2 for settings, arguments and token, 3 for credits, 1 for the rest. */
export function reportFailure(failure: unknown, say: (line: string) => void): number {
  const error = known(failure);
  if (error instanceof StorehouseError) {
    say(error.message);
    if (error instanceof DeferError) return 3;
    return error instanceof UsageError || error instanceof AbortError ? 2 : 1;
  }
  // a fault of ours: the trace helps whoever mends it, and holds neither address nor token
  say(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return 1;
}

/** What a database says for itself, in our words: the driver's own text says little and may say where. */
function known(failure: unknown): unknown {
  if (isLostConnection(failure)) return fail("database_unreachable", { problem: "the connection broke" });
  return isMissingRight(failure) ? fail("rights_missing", { problem: failure.message }, failure) : failure;
}

/** Says a line about a failure without the secrets that it may hold. */
export function sayHidden(line: string): void {
  remark(hideSecrets(line));
}

/** Has an error that nobody caught told like any other, where the runtime itself would print it with everything that hangs on it. */
export function reportCrashes(): void {
  process.on("uncaughtException", (error) => {
    reportFailure(error, sayHidden);
    process.exit(1);
  });
}

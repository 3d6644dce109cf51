import { FencedError, RetryError } from "../core/errors.ts";
import type { SyncResult } from "../runs/run-parts.ts";

/** What each outcome of a run means to the shell. */
export const exitCodes = { loaded: 0, failed: 1, aborted: 2, deferred: 3, interrupted: 130 } as const satisfies Record<
  SyncResult["outcome"],
  number
>;

/** The exit code of a run: an API that stays unavailable is no mistake of the caller, nor is a machine that slept. */
export function exitCodeOf({ outcome, error }: Pick<SyncResult, "outcome" | "error">): number {
  return error instanceof RetryError || error instanceof FencedError ? exitCodes.failed : exitCodes[outcome];
}

/** The exit code of a command that a person did not confirm: by another answer, or by a stop. */
export function exitCodeUnconfirmed(stop: AbortSignal): number {
  return stop.aborted ? exitCodes.interrupted : exitCodes.aborted;
}

import type { ErrorCode } from "../core/error-codes.ts";

/**
 * The states of a worker: `starting` until the first balance is known, `aborted` while the API refuses the token or the account,
 * `restarting` after an unexpected error, `stopping` after the signal.
 */
export const workerStates = [
  "starting",
  "running",
  "database_unavailable",
  "api_unavailable",
  "aborted",
  "restarting",
  "stopping",
] as const;

/** The state of a worker at one time. */
export type WorkerState = {
  readonly is: (typeof workerStates)[number];
  /** Why it waits or has stopped its requests; null in other states. */
  readonly error: { readonly code: ErrorCode; readonly message: string } | null;
  /** Its number in `ops.worker`, as it last registered when the state began; null before that. */
  readonly workerId: string | null;
};

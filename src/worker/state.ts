import type { Clock } from "../core/clock.ts";
import type { ErrorCode } from "../core/error-codes.ts";
import type { StorehouseError } from "../core/errors.ts";

/** What a worker does now, for whoever watches it. Each change is told as a new value. */
export type WorkerState = {
  /** `starting` until the first balance is known, `aborted` while the API accepts neither token nor account, `stopping` from the signal on. */
  readonly is: "starting" | "running" | "database_unavailable" | "api_unavailable" | "aborted" | "stopping";
  /** Since when, in epoch-ms. */
  readonly since: number;
  /** Why it waits or asks for nothing; null when all is well. */
  readonly error: { readonly code: ErrorCode; readonly message: string } | null;
};

/** What may be chosen about a worker. */
export type WorkerOptions = {
  /** Told of each change, and of the state at the start. */
  readonly onState?: (state: WorkerState) => void;
};

/** Told what a worker does; a state that is known already is not told again. */
export type Tell = (is: WorkerState["is"], error?: StorehouseError | null) => void;

/** Tells changes to whoever watches. Nothing follows after `stopping`. */
export function tellChanges(clock: Clock, onState: (state: WorkerState) => void): Tell {
  let last: WorkerState["is"] | null = null;
  return (is, error = null) => {
    if (is === last || last === "stopping") return;
    last = is;
    onState({ is, since: clock.now(), error: error && { code: error.code, message: error.message } });
  };
}

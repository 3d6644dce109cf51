import type { StorehouseError } from "../core/errors.ts";
import type { WorkerState } from "../health/worker-state.ts";

/** Called with each new state of a worker, including the first. */
export type OnState = (state: WorkerState) => void;

/** Reports a state; one that equals the last is dropped. */
export type ReportState = (is: WorkerState["is"], error?: StorehouseError | null) => void;

/** Makes the function that reports changes of state. No state follows `stopping`. `workerId`: the number of the last session that registered. */
export function stateReporter(onState: OnState, workerId: () => string | null): ReportState {
  let last: WorkerState["is"] | null = null;
  return (is, error = null) => {
    if (is === last || last === "stopping") return;
    last = is;
    onState({ is, error: error && { code: error.code, message: error.message }, workerId: workerId() });
  };
}

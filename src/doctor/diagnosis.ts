import { StorehouseError, messageOf } from "../core/errors.ts";

/** The result of one check of the doctor. `warn` works now and may not for long; only `fail` counts as failed. */
export type Diagnosis = {
  readonly check: string;
  readonly state: "ok" | "warn" | "fail";
  /** What the check found, as a sentence. */
  readonly found: string;
  /** What to do next; null if there is nothing to do. */
  readonly next: string | null;
};

/** A check that passed. */
export function pass(check: string, found: string): Diagnosis {
  return { check, state: "ok", found, next: null };
}

/** A check that passed and shows something to act on soon. */
export function warn(check: string, found: string, next: string): Diagnosis {
  return { check, state: "warn", found, next };
}

/** A check that failed. */
export function failure(check: string, found: string, next: string): Diagnosis {
  return { check, state: "fail", found, next };
}

/** A check that failed with an error. */
export function failedWith(check: string, error: unknown): Diagnosis {
  if (error instanceof StorehouseError) return failure(check, `${error.code}: ${error.problem}`, error.next);
  return failure(check, messageOf(error), "report this message");
}

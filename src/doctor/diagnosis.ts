import { StorehouseError } from "../core/errors.ts";

/** How one check of the doctor came out. `warn` is what works now and may not for long; only `fail` counts as failed. */
export type Diagnosis = {
  readonly check: string;
  readonly state: "ok" | "warn" | "fail";
  /** What was found, in words. */
  readonly found: string;
  /** What to do next; null where nothing is to be done. */
  readonly next: string | null;
};

/** A check that found nothing to do. */
export function well(check: string, found: string): Diagnosis {
  return { check, state: "ok", found, next: null };
}

/** A check after which something is to be done, now or soon. */
export function ill(check: string, state: "warn" | "fail", found: string, next: string): Diagnosis {
  return { check, state, found, next };
}

/** An error as a check that failed; an error of ours ends in what to do next. */
export function failed(check: string, error: unknown): Diagnosis {
  if (error instanceof StorehouseError) {
    const [found = "", ...next] = error.message.split("; ");
    return ill(check, "fail", found, next.join("; "));
  }
  const found = error instanceof Error ? error.message : String(error);
  return ill(check, "fail", found, "report this message");
}

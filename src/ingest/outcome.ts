import { fail, type StorehouseError } from "../core/errors.ts";
import type { SliceLoad } from "./slice-load.ts";

/** What a read answer makes of its slice. */
export type Outcome = {
  readonly state: "loaded" | "empty" | "failed";
  readonly problem: StorehouseError | null;
};

/** The outcome of an answer: one of which nothing fits is not the same as one that holds nothing. */
export function outcomeOf({ rows, unfit }: Pick<SliceLoad, "rows" | "unfit">): Outcome {
  if (rows > 0) return { state: "loaded", problem: null };
  if (unfit.length === 0) return { state: "empty", problem: null };
  return { state: "failed", problem: fail("unknown_shape", { rejects: unfit.length, problem: unfit[0]?.reason }) };
}

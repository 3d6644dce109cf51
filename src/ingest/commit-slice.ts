import { fail } from "../core/errors.ts";
import type { IngestParts } from "./ingest-parts.ts";
import { outcomeOf, type SliceLoad } from "./prepare-slice.ts";

/** What a committed slice wrote. */
export type Committed = {
  readonly state: "loaded" | "empty" | "failed";
  readonly rows: number;
  readonly rejects: number;
};

/**
 * Commits rows, rejects, drift and the outcome of a slice together. An answer without a valid row fails the slice; its rejects are kept.
 * Throws `fenced` if another attempt has taken the slice over, and `being_replayed` while a replay rebuilds its dataset.
 */
export async function commitSlice(parts: IngestParts, load: SliceLoad): Promise<Committed> {
  const { state, problem } = outcomeOf(load);
  const ending = {
    state,
    error: problem === null ? null : { code: problem.code, message: problem.message },
    dueAt: null,
    counts: false,
    rowsLoaded: load.rows,
    rowsRejected: load.invalid.length,
    // after an incomplete answer the next one is read even if it is the same
    answerDigest: isWhole(load) ? load.digest : undefined,
  } as const;
  const end = await parts.batched.commit({ load, ending });
  if (end !== "committed") throw fail(end, { slice: load.slice.sliceId });
  await parts.crashPoint?.("after commit");
  return { state, rows: load.rows, rejects: load.invalid.length };
}

function isWhole({ invalid, unanswered, tail }: SliceLoad): boolean {
  return invalid.length === 0 && unanswered.length === 0 && tail === null;
}

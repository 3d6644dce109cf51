import { fail } from "../core/errors.ts";
import type { Slice } from "../core/slice.ts";
import type { Dataset } from "../datasets/define-dataset.ts";
import { endAttempt } from "../ledger/slices.ts";
import type { IngestParts } from "./parts.ts";
import type { Fetched } from "./read-pages.ts";
import { prepareSlice, writeSlice } from "./slice-load.ts";

/** What a slice left behind. */
export type Committed = {
  readonly state: "loaded" | "empty" | "failed";
  readonly rows: number;
  readonly rejects: number;
};

/** Normalises an answer and commits rows, rejects, drift and the outcome of the slice in one transaction. An answer of which no row fits fails the slice; its rejects are kept. Throws `fenced` when it lost the slice. */
export async function commitSlice(
  parts: IngestParts,
  dataset: Dataset,
  slice: Slice,
  fetched: Fetched,
): Promise<Committed> {
  const load = await prepareSlice(parts, dataset, slice, fetched);
  // an answer of which nothing fits is not the same as one that holds nothing
  const misread = load.rows === 0 && load.unfit.length > 0;
  const problem = misread
    ? fail("unknown_shape", { rejects: load.unfit.length, problem: load.unfit[0]?.reason })
    : null;
  const state = misread ? "failed" : load.rows > 0 ? "loaded" : "empty";
  const ending = {
    state,
    error: problem === null ? null : { code: problem.code, message: problem.message },
    dueAt: null,
    counts: false,
    rowsLoaded: load.rows,
    rowsRejected: load.unfit.length,
  } as const;
  await parts.db.transaction().execute(async (transaction) => {
    // first, so that the slice's row is locked: a worker that took it over waits or has won already
    if (!(await endAttempt(transaction, slice, ending, parts.clock.now())))
      throw fail("fenced", { slice: slice.sliceId });
    await writeSlice(transaction, parts, load);
  });
  return { state, rows: load.rows, rejects: load.unfit.length };
}

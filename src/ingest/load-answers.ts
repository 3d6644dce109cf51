import type { Slice } from "../core/slice.ts";
import type { Dataset } from "../datasets/shared/define-dataset.ts";
import type { HeldRule } from "./hold-answers.ts";
import type { Fetched } from "./read-pages.ts";
import type { AnswerRows } from "./answer-rows.ts";
import {
  deleteRejects,
  type LoadParts,
  outcomeOf,
  prepareRows,
  prepareSlice,
  type SliceLoad,
  writeSlices,
} from "./prepare-slice.ts";
import { noteOutcomes, type LateOutcome } from "../ledger/amend-slices.ts";
import type { Database } from "../postgres/database.ts";
import { findByKey } from "../postgres/plan-hints.ts";

/** An answer that no queue fetched, and the slice that it is for. `rows` if they are known; then the slice has its outcome already. */
export type ReadAnswer = {
  readonly dataset: Dataset;
  readonly slice: Slice;
  readonly fetched: Fetched;
  readonly rows?: AnswerRows | undefined;
};

/**
 * Loads answers inside the caller's transaction, which must have begun with `keepReplaysOut`, and ends their slices, as if they had just been
 * fetched, or just confirmed if `held` says so. Returns the outcome of each, by slice.
 */
export async function loadAnswers(
  transaction: Database,
  parts: LoadParts & { readonly held?: HeldRule },
  answers: readonly ReadAnswer[],
): Promise<ReadonlyMap<string, SliceLoad>> {
  const loads: SliceLoad[] = [];
  for (const { dataset, slice, fetched, rows } of answers)
    loads.push(
      await (rows === undefined
        ? prepareSlice(parts, { dataset, slice, fetched })
        : prepareRows(parts, slice, fetched, rows)),
    );
  if (loads.length === 0) return new Map();
  await findByKey(transaction);
  await deleteRejects(transaction, loads);
  await writeSlices(transaction, { ...parts, tailsAt: null, inTurn: true }, loads);
  const ended = loads.filter((_, place) => answers[place]?.rows === undefined);
  if (ended.length > 0) await noteOutcomes(transaction, ended.map(endOf));
  return new Map(loads.map((load) => [load.slice.sliceId, load]));
}

function endOf(load: SliceLoad): { readonly slice: Slice; readonly outcome: LateOutcome } {
  return { slice: load.slice, outcome: { ...outcomeOf(load), rows: load.rows, rejects: load.invalid.length } };
}

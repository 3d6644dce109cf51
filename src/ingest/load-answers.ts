import type { Slice } from "../core/slice.ts";
import type { Dataset } from "../datasets/shared/define-dataset.ts";
import type { Fetched } from "./read-pages.ts";
import {
  byKey,
  deleteRejects,
  type LoadParts,
  outcomeOf,
  prepareSlice,
  type SliceLoad,
  writeSlices,
} from "./prepare-slice.ts";
import { noteOutcomes } from "../ledger/amend-slices.ts";
import type { Database } from "../postgres/database.ts";

/** An answer that no queue fetched, and the slice that it is for. */
export type ReadAnswer = { readonly dataset: Dataset; readonly slice: Slice; readonly fetched: Fetched };

/** Loads answers inside the caller's transaction and ends their slices, as if they had just been fetched. What became of each, by slice. */
export async function loadAnswers(
  transaction: Database,
  parts: LoadParts,
  answers: readonly ReadAnswer[],
): Promise<ReadonlyMap<string, SliceLoad>> {
  const loads: SliceLoad[] = [];
  for (const { dataset, slice, fetched } of answers) loads.push(await prepareSlice(parts, dataset, slice, fetched));
  if (loads.length === 0) return new Map();
  await byKey(transaction);
  await deleteRejects(transaction, loads);
  await writeSlices(transaction, { ...parts, tailsAt: null, inTurn: true }, loads);
  await noteOutcomes(
    transaction,
    loads.map((load) => ({
      slice: load.slice,
      outcome: { ...outcomeOf(load), rows: load.rows, rejects: load.invalid.length },
    })),
  );
  return new Map(loads.map((load) => [load.slice.sliceId, load]));
}

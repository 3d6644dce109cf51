import { fail, StorehouseError } from "../core/errors.ts";
import type { Window } from "../core/window.ts";
import type { Dataset } from "../datasets/shared/define-dataset.ts";
import { landedSlices, type LandedSlice } from "../ledger/landed-slices.ts";
import { missingAnswers } from "../ledger/landed-slices.ts";
import { noteOutcome } from "../ledger/amend-slices.ts";
import { clearTable } from "../load/clear.ts";
import type { Database } from "../postgres/database.ts";
import { landedPages } from "../raw/read-answers.ts";
import { dayColumns } from "../load/table.ts";
import { landedAnswer } from "./stored-answer.ts";
import { outcomeOf } from "../ingest/prepare-slice.ts";
import { byKey, deleteRejects, prepareSlice, writeSlices, type LoadParts } from "../ingest/prepare-slice.ts";

/**
 * The result of rebuilding a dataset: slices and rows loaded, slices whose landed answer does not fit (they are failed), and loaded
 * slices without a landed answer whose rows were left as they are.
 */
export type Replayed = {
  readonly dataset: string;
  readonly slices: number;
  readonly rows: number;
  readonly invalid: number;
  readonly kept: number;
};

/** Days to rebuild, and whether rows whose answers were pruned stay as they are instead of stopping the replay. */
export type ReplayRequest = { readonly within: Partial<Window>; readonly keepPruned: boolean };

/**
 * Rebuilds the tables of a dataset from landed answers, in the order in which they came: no request, no credit. One transaction, so
 * that readers see the old tables until the new ones stand and a kill leaves the old. Answers that did not fit when they came and do
 * now are loaded as well, and their slices are no longer failed; of one that fitted then and does not now the rows are gone, and its
 * slice is failed. Throws `answer_pruned` when answers of loaded slices were pruned. A history, which needs all its answers, is left
 * alone when it may keep what was pruned.
 */
export async function replay(parts: LoadParts, dataset: Dataset, request: ReplayRequest): Promise<Replayed> {
  const within = rebuiltDays(dataset, request.within);
  return parts.db.transaction().execute(async (transaction) => {
    const gone = await missingAnswers(transaction, dataset.name, within);
    const keepPruned = gone.slices > 0;
    if (keepPruned && !request.keepPruned)
      throw fail("answer_pruned", { slices: gone.slices, dataset: dataset.name, from: gone.from, to: gone.to });
    const done = { dataset: dataset.name, slices: 0, rows: 0, invalid: 0, kept: gone.slices };
    if (keepPruned && dataset.tables.some((table) => table.load.kind === "history")) return done;
    for (const table of dataset.tables) await clearTable(transaction, table, { within, keepPruned });
    for await (const slice of landedSlices(transaction, dataset.name, within)) {
      const rows = await loadAgain(transaction, parts, dataset, slice);
      if (rows === null) done.invalid += 1;
      else {
        done.slices += 1;
        done.rows += rows;
      }
    }
    return done;
  });
}

/** The days that a replay rebuilds: a whole history is rebuilt from all its answers. */
export function rebuiltDays(dataset: Dataset, within: Partial<Window>): Partial<Window> {
  return dataset.tables.every((table) => dayColumns(table) !== null) ? within : {};
}

/** Loads the landed answer of one slice and notes what became of it; the number of rows, null when nothing of it fits. */
async function loadAgain(
  transaction: Database,
  parts: LoadParts,
  dataset: Dataset,
  slice: LandedSlice,
): Promise<number | null> {
  const answer = await landedAnswer(slice, await landedPages(parts.db, slice.sliceId)).catch(asProblem);
  if (answer instanceof StorehouseError) {
    await noteOutcome(transaction, slice, { state: "failed", problem: answer, rows: 0, rejects: 0 });
    return null;
  }
  const load = await prepareSlice(parts, dataset, slice, answer.fetched, slice.goneBefore);
  await byKey(transaction);
  await deleteRejects(transaction, [load]);
  await writeSlices(transaction, { ...parts, tailsAt: null, held: "recorded" }, [load]);
  const outcome = outcomeOf(load);
  await noteOutcome(transaction, slice, { ...outcome, rows: load.rows, rejects: load.invalid.length });
  return outcome.state === "failed" ? null : load.rows;
}

function asProblem(error: unknown): StorehouseError {
  if (error instanceof StorehouseError) return error;
  throw error;
}

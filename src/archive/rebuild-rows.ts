import { setImmediate as nextTurn } from "node:timers/promises";
import { addDays } from "../core/day.ts";
import { fail, StorehouseError } from "../core/errors.ts";
import { gathered, readAhead } from "../core/read-ahead.ts";
import type { Window } from "../core/window.ts";
import { hasHistory, type Dataset } from "../datasets/shared/define-dataset.ts";
import {
  deleteRejects,
  type LoadParts,
  outcomeOf,
  prepareSlice,
  type SliceLoad,
  writeSlices,
} from "../ingest/prepare-slice.ts";
import { noteOutcomes, type LateOutcome } from "../ledger/amend-slices.ts";
import { landedSlices, missingAnswers, type LandedSlice, type MissingAnswers } from "../ledger/landed-slices.ts";
import { clearTable } from "../load/clear.ts";
import type { Database } from "../postgres/database.ts";
import { findByKey } from "../postgres/plan-hints.ts";
import { foundPages, isIncomplete, mayHaveRows } from "./damaged-answers.ts";
import { landedAnswer } from "./stored-answer.ts";

/** Slices and rows that were rebuilt, and slices whose stored answer does not fit. */
export type Rebuilt = { readonly slices: number; readonly rows: number; readonly invalid: number };

/** Days to rebuild, and whether rows whose answers were pruned stay unchanged instead of stopping the replay. */
export type RowsRequest = { readonly within: Partial<Window>; readonly keepPruned: boolean };

/** Throws the error of `notStored` if rows without answers are not to be kept. */
export function refusePruned({ name }: Dataset, gone: MissingAnswers, { keepPruned }: RowsRequest): void {
  if (gone.slices > 0 && !keepPruned) throw notStored(name, gone);
}

/** The error about answers that are no longer stored: `answers_folded` if importing them would not help, otherwise `answer_pruned`. */
export function notStored(dataset: string, { folded, ...gone }: MissingAnswers): StorehouseError {
  if (folded > 0) return fail("answers_folded", { ...gone, dataset, folded });
  return fail("answer_pruned", { ...gone, dataset });
}

/**
 * Clears the rows of some days and loads them again from stored answers, in the order in which these came, in one transaction. Throws the
 * error of `notStored` if answers of loaded slices were pruned, that of a damaged answer, or `page_missing`.
 */
export async function rebuildRows(
  transaction: Database,
  parts: LoadParts,
  { dataset, request }: { readonly dataset: Dataset; readonly request: RowsRequest },
): Promise<Rebuilt> {
  const done = { slices: 0, rows: 0, invalid: 0 };
  const { within } = request;
  const gone = await missingAnswers(transaction, dataset.name, within);
  // answers may have been pruned since the first check
  refusePruned(dataset, gone, request);
  const keepPruned = gone.slices > 0;
  if (keepPruned && hasHistory(dataset)) return done;
  for (const table of dataset.tables) await clearTable(transaction, table, { within, keepPruned });
  await findByKey(transaction);
  const slices = landedSlices(transaction, dataset.name, within);
  const groups = gathered(slices, { most: mostPages, weigh: ({ requests }) => Math.max(1, requests) });
  // while the database writes one group, the next one is read
  for await (const group of readAhead(groups, (next) => readGroup(parts, dataset, next)))
    for (const { rows } of await loadGroup(transaction, parts, group))
      if (rows === null) done.invalid += 1;
      else {
        done.slices += 1;
        done.rows += rows;
      }
  return done;
}

/** Answers that are read and loaded together: about as many rows as a statement loads fastest, and two such groups fit into memory. */
const mostPages = 100;

/** A slice with the rows of its stored answer, or with the error of that answer. */
type ReadSlice = { readonly slice: LandedSlice; readonly load: SliceLoad | StorehouseError };

async function readGroup(
  parts: LoadParts,
  dataset: Dataset,
  slices: readonly LandedSlice[],
): Promise<readonly ReadSlice[]> {
  const { pages, damaged } = await foundPages(parts.db, slices);
  const read: ReadSlice[] = [];
  for (const slice of slices) {
    // lets replies of the database to concurrent writes be handled in between
    await nextTurn();
    const stored = pages.get(slice.sliceId);
    // its rows are cleared already: as a failure of the slice, that would be committed
    if (stored === undefined && isLoaded(slice)) throw prunedMeanwhile(slice);
    const problem = damaged.get(slice.sliceId);
    if (problem !== undefined && mayHaveRows(slice)) throw problem;
    const answer = problem ?? (await landedAnswer(slice, stored ?? new Map()).catch(asProblem));
    if (isIncomplete(answer) && mayHaveRows(slice))
      throw fail("page_missing", { ...answer.context, slice: slice.sliceId }, answer);
    const load =
      answer instanceof StorehouseError
        ? answer
        : await prepareSlice(parts, { dataset, slice, fetched: answer.fetched, goneBefore: slice.goneBefore });
    read.push({ slice, load });
  }
  return read;
}

function isLoaded({ state }: LandedSlice): boolean {
  return state === "loaded" || state === "empty";
}

function prunedMeanwhile({ dataset, window }: LandedSlice): StorehouseError {
  return fail("answer_pruned", { slices: 1, dataset, from: window.start, to: addDays(window.end, -1) });
}

/**
 * Loads a group in the order in which its answers came, and records the outcome of each. Returns the rows of each, null if nothing fits.
 */
async function loadGroup(
  transaction: Database,
  parts: LoadParts,
  group: readonly ReadSlice[],
): Promise<readonly { readonly rows: number | null }[]> {
  const loads = group.flatMap(({ load }) => (load instanceof StorehouseError ? [] : [load]));
  await deleteRejects(transaction, loads);
  await writeSlices(transaction, { ...parts, tailsAt: null, held: "recorded", inTurn: true }, loads);
  const ends = group.map(({ slice, load }) => ({ slice, load, outcome: lateOutcome(load) }));
  // a slice that failed before its whole answer was stored must still be requested again because of that error
  const noted = ends.filter(({ slice, load }) => !(slice.state === "failed" && load instanceof StorehouseError));
  await noteOutcomes(transaction, noted);
  return ends.map(({ outcome: { state, rows } }) => ({ rows: state === "failed" ? null : rows }));
}

function lateOutcome(load: SliceLoad | StorehouseError): LateOutcome {
  return load instanceof StorehouseError
    ? { state: "failed", problem: load, rows: 0, rejects: 0 }
    : { ...outcomeOf(load), rows: load.rows, rejects: load.invalid.length };
}

function asProblem(error: unknown): StorehouseError {
  if (error instanceof StorehouseError) return error;
  throw error;
}

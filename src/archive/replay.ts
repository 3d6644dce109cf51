import { setImmediate as nextTurn } from "node:timers/promises";
import { fail, StorehouseError } from "../core/errors.ts";
import { gathered, readAhead } from "../core/read-ahead.ts";
import { addDays, type Day } from "../core/day.ts";
import type { Window } from "../core/window.ts";
import { hasHistory, type Dataset } from "../datasets/shared/define-dataset.ts";
import { landedSlices, missingAnswers, type LandedSlice, type MissingAnswers } from "../ledger/landed-slices.ts";
import { noteReplay, replayProgress, cutDaysOf } from "../ledger/replay-progress.ts";
import { noteOutcomes, type LateOutcome } from "../ledger/amend-slices.ts";
import { keepLoadsOut } from "../load/rebuild-lock.ts";
import { clearTable } from "../load/clear.ts";
import type { Database } from "../postgres/database.ts";
import { dayColumns } from "../load/table.ts";
import { allDamage, foundPages, isDamage, isIncomplete, mayHaveRows } from "./damaged-answers.ts";
import { landedAnswer } from "./stored-answer.ts";
import {
  deleteRejects,
  type LoadParts,
  outcomeOf,
  prepareSlice,
  type SliceLoad,
  writeSlices,
} from "../ingest/prepare-slice.ts";
import { retryDatabase, type RetryParts } from "../ingest/retry-database.ts";
import { shareUntilCommit, withLocks } from "../postgres/advisory-lock.ts";
import { findByKey } from "../postgres/plan-hints.ts";

/**
 * The result of rebuilding a dataset: slices and rows loaded, slices whose stored answer does not fit (they become failed), and loaded
 * slices without a stored answer whose rows were left unchanged.
 */
export type Replayed = {
  readonly dataset: string;
  readonly slices: number;
  readonly rows: number;
  readonly invalid: number;
  readonly kept: number;
  /** The day from which it continued an interrupted replay, null if that had rebuilt everything; left out if it started from scratch. */
  readonly from?: Day | null | undefined;
};

/** Days to rebuild, and whether rows whose answers were pruned stay unchanged instead of stopping the replay. */
export type ReplayRequest = {
  readonly within: Partial<Window>;
  readonly keepPruned: boolean;
  /** Digest of the program that reads the answers, to continue an interrupted replay; if left out, none is continued. */
  readonly program?: string;
};

/**
 * Rebuilds the tables of a dataset from stored answers, in the order in which they came, without a request or a credit. Rows of single days
 * are rebuilt in parts of about a month, cut where no slice crosses; all others at once. Each part is one transaction, so that readers see
 * the old rows until the new ones are committed, and a kill leaves the old ones. A part whose connection breaks is rebuilt again. An
 * interrupted replay continues after the last committed
 * part, until `forgetReplays`. Answers that did not fit when they came and do now are loaded too: their slices are no longer failed, nor
 * their days lost. If an answer fitted then and does not now, its rows are deleted and its slice becomes failed. A failed slice is
 * unchanged if its answer still cannot be read. Throws the error of `notStored` if answers of loaded slices were pruned, `answers_damaged` if any
 * of them cannot be unpacked, and `page_missing` if only some pages of one are stored. A history, which needs all its answers, is left alone if pruned rows are to be kept.
 */
export async function replay(parts: LoadParts, dataset: Dataset, request: ReplayRequest): Promise<Replayed> {
  const within = rebuiltDays(dataset, request.within);
  const key = request.program === undefined ? null : { ...request, within, program: request.program };
  const before = key === null ? null : await replayProgress(parts.db, dataset.name, key);
  const gone = await missingAnswers(parts.db, dataset.name, within);
  refusePruned(dataset, gone, request);
  const done = { dataset: dataset.name, slices: 0, rows: 0, invalid: 0, kept: gone.slices };
  if (before?.rebuiltTo === null) return { ...done, from: null };
  const from = before?.rebuiltTo;
  const seams = hasSingleDays(dataset) ? await cutDaysOf(parts.db, dataset.name, within) : [];
  let start = from ?? within.start;
  for (const end of [...seams.filter((seam) => from === undefined || seam > from), null]) {
    const part = { ...startOf(start), ...(end === null ? endOf(within) : { end }) };
    const take = async (transaction: Database) => {
      // rows are cleared before their answers are read
      await shareUntilCommit(transaction, "pruning");
      await keepLoadsOut(transaction, dataset.name);
    };
    const rebuilding = retryDatabase(patience(parts), () =>
      withLocks(parts.db, { take }, async (transaction) => {
        if (key !== null) await noteReplay(transaction, dataset.name, { key, rebuiltTo: end });
        return rebuildPart(transaction, parts, { dataset, request: { ...request, within: part } });
      }),
    );
    const rest = { ...startOf(start), ...endOf(within) };
    const rebuilt = await rebuilding.catch((error: unknown) => rethrow(error, parts.db, { dataset, rest }));
    done.slices += rebuilt.slices;
    done.rows += rebuilt.rows;
    done.invalid += rebuilt.invalid;
    start = end ?? start;
  }
  return { ...done, ...(from === undefined ? {} : { from }) };
}

/** A part is tried again for half a minute after its connection broke; a full disk ends the replay at once. */
function patience({ clock }: LoadParts): RetryParts {
  const never = new AbortController().signal;
  const abort = (error: StorehouseError) => {
    throw error;
  };
  return { clock, retryMs: 1_000, halted: never, stop: never, abort, stoppedBy: () => null };
}

function refusePruned({ name }: Dataset, gone: MissingAnswers, { keepPruned }: ReplayRequest): void {
  if (gone.slices > 0 && !keepPruned) throw notStored(name, gone);
}

/** The error about answers that are no longer stored: `answers_folded` if importing them would not help, otherwise `answer_pruned`. */
export function notStored(dataset: string, { folded, ...gone }: MissingAnswers): StorehouseError {
  if (folded > 0) return fail("answers_folded", { ...gone, dataset, folded });
  return fail("answer_pruned", { ...gone, dataset });
}

/** Throws an error of a part again; if it is that of a damaged answer, with all damaged answers of the rest. */
async function rethrow(
  error: unknown,
  db: Database,
  { dataset, rest }: { readonly dataset: Dataset; readonly rest: Partial<Window> },
): Promise<never> {
  throw (isDamage(error) ? await allDamage(db, dataset.name, rest) : null) ?? error;
}

function startOf(start: Day | undefined): Partial<Window> {
  return start === undefined ? {} : { start };
}

function endOf({ end }: Partial<Window>): Partial<Window> {
  return end === undefined ? {} : { end };
}

/** True if every row is about a single day: only then can a day separate the rows. */
function hasSingleDays({ tables }: Dataset): boolean {
  return tables.every((table) => {
    const days = dayColumns(table);
    return days !== null && days.first === days.last;
  });
}

/** Rebuilds the rows of some days. */
async function rebuildPart(
  transaction: Database,
  parts: LoadParts,
  { dataset, request }: { readonly dataset: Dataset; readonly request: ReplayRequest },
): Promise<Pick<Replayed, "slices" | "rows" | "invalid">> {
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

/** The days that a replay rebuilds: a whole history is rebuilt from all its answers. */
export function rebuiltDays(dataset: Dataset, within: Partial<Window>): Partial<Window> {
  return dataset.tables.every((table) => dayColumns(table) !== null) ? within : {};
}

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

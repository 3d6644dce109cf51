import { sumBy } from "../core/sum.ts";
import type { StorehouseError } from "../core/errors.ts";
import type { Day } from "../core/day.ts";
import type { Window } from "../core/window.ts";
import type { Dataset } from "../datasets/shared/define-dataset.ts";
import type { LoadParts } from "../ingest/prepare-slice.ts";
import { retryDatabase, type RetryParts } from "../ingest/retry-database.ts";
import { missingAnswers } from "../ledger/landed-slices.ts";
import { cutDaysOf, forgetReplays, noteReplay, replayProgress } from "../ledger/replay-progress.ts";
import { dayColumns } from "../load/table.ts";
import { shareUntilCommit, withLocks } from "../postgres/advisory-lock.ts";
import type { Database } from "../postgres/database.ts";
import { keepLoadsOut, rebuildLanes } from "../postgres/rebuild-lock.ts";
import { allDamage, isDamage } from "./damaged-answers.ts";
import { inLanes, rebuiltParts, type RebuiltPart } from "./rebuild-parts.ts";
import { rebuildRows, refusePruned, type Rebuilt, type RowsRequest } from "./rebuild-rows.ts";

/**
 * The result of rebuilding a dataset: slices and rows loaded, slices whose stored answer does not fit (they become failed), and loaded
 * slices without a stored answer whose rows were left unchanged.
 */
export type Replayed = Rebuilt & {
  readonly dataset: string;
  readonly kept: number;
  /** The day from which it continued an interrupted replay, null if that had rebuilt everything; left out if it started from scratch. */
  readonly from?: Day | null | undefined;
};

/** Days to rebuild, what happens to rows whose answers were pruned, and with which program. */
export type ReplayRequest = RowsRequest & {
  /** Digest of the program that reads the answers, to continue an interrupted replay; if left out, none is continued. */
  readonly program?: string;
};

/**
 * Rebuilds the tables of a dataset from stored answers, in the order in which they came, without a request or a credit. Rows of single days
 * are rebuilt in parts of about a month, cut where no slice crosses, two at a time; all others at once. Each part is one transaction, so
 * that readers see the old rows until the new ones are committed, and a kill leaves the old ones. A part whose connection breaks is rebuilt
 * again. An interrupted replay continues after the last part up to which all are committed, until `forgetReplays`.
 *
 * Answers that did not fit when they came and do now are loaded too: their slices are no longer failed, nor their days lost. If an answer
 * fitted then and does not now, its rows are deleted and its slice becomes failed. A failed slice is unchanged if its answer still cannot be
 * read. Throws the error of `notStored` if answers of loaded slices were pruned, `answers_damaged` if any of them cannot be unpacked, and
 * `page_missing` if only some pages of one are stored. A history, which needs all its answers, is left alone if pruned rows are to be kept.
 */
export async function replay(parts: LoadParts, dataset: Dataset, request: ReplayRequest): Promise<Replayed> {
  const within = rebuiltDays(dataset, request.within);
  const key = request.program === undefined ? null : { ...request, within, program: request.program };
  const before = key === null ? null : await replayProgress(parts.db, dataset.name, key);
  const gone = await missingAnswers(parts.db, dataset.name, within);
  refusePruned(dataset, gone, request);
  const done = { dataset: dataset.name, slices: 0, rows: 0, invalid: 0, kept: gone.slices };
  if (before?.rebuiltTo === null) return { ...done, from: null };
  // rows that this replay is about to rebuild were not rebuilt by another
  if (before === null) await forgetReplays(parts.db, [dataset.name]);
  const from = before?.rebuiltTo;
  const cuts = hasSingleDays(dataset) ? await cutDaysOf(parts.db, dataset.name, within) : [];
  const rebuilt = await inLanes(rebuiltParts(within, cuts, from), {
    lanes: lanesOf(dataset),
    rebuild: (part, lane) =>
      rebuildPart(parts, {
        dataset,
        lane,
        request: { ...request, within: part },
        rest: { ...within, ...startOf(part) },
      }),
    rebuiltTo: async ({ end }, isLast) => {
      if (key !== null) await noteReplay(parts.db, dataset.name, { key, rebuiltTo: isLast ? null : (end ?? null) });
    },
  });
  return {
    ...done,
    slices: sumBy(rebuilt, ({ slices }) => slices),
    rows: sumBy(rebuilt, ({ rows }) => rows),
    invalid: sumBy(rebuilt, ({ invalid }) => invalid),
    ...(from === undefined ? {} : { from }),
  };
}

function startOf({ start }: RebuiltPart): RebuiltPart {
  return start === undefined ? {} : { start };
}

/**
 * How many parts are rebuilt at the same time: Postgres writes a part on one processor. An answer about the present may have rows of an
 * earlier day, which is another part.
 */
function lanesOf({ timing }: Dataset): number {
  return timing.kind === "snapshot" ? 1 : rebuildLanes;
}

/** A part, as the days that `request` names. `rest`: the days from its start to the end of the replay. */
type PartOf = {
  readonly dataset: Dataset;
  readonly lane: number;
  readonly request: ReplayRequest;
  readonly rest: RebuiltPart;
};

/** Rebuilds the rows of some days in a transaction of their own. */
async function rebuildPart(parts: LoadParts, of: PartOf): Promise<Rebuilt> {
  const { dataset, lane, request } = of;
  const take = async (transaction: Database) => {
    // rows are cleared before their answers are read
    await shareUntilCommit(transaction, "pruning");
    await keepLoadsOut(transaction, dataset.name, lane);
  };
  const rebuilding = retryDatabase(patience(parts), () =>
    withLocks(parts.db, { take }, (transaction) => rebuildRows(transaction, parts, { dataset, request })),
  );
  return rebuilding.catch((error: unknown) => rethrow(error, parts.db, of));
}

/** A part is tried again for half a minute after its connection broke; a full disk ends the replay at once. */
function patience({ clock }: LoadParts): RetryParts {
  const never = new AbortController().signal;
  const abort = (error: StorehouseError) => {
    throw error;
  };
  return { clock, retryMs: 1_000, halted: never, stop: never, abort, stoppedBy: () => null };
}

/** Throws an error of a part again; if it is that of a damaged answer, with all damaged answers from this part on. */
async function rethrow(error: unknown, db: Database, { dataset, rest }: PartOf): Promise<never> {
  throw (isDamage(error) ? await allDamage(db, dataset.name, rest) : null) ?? error;
}

/** True if every row is about a single day: only then can a day separate the rows. */
function hasSingleDays({ tables }: Dataset): boolean {
  return tables.every((table) => {
    const days = dayColumns(table);
    return days !== null && days.first === days.last;
  });
}

/** The days that a replay rebuilds: a whole history is rebuilt from all its answers. */
export function rebuiltDays(dataset: Dataset, within: Partial<Window>): Partial<Window> {
  return dataset.tables.every((table) => dayColumns(table) !== null) ? within : {};
}

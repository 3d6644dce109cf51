import { lockUntilCommit } from "../postgres/advisory-lock.ts";
import { operationById } from "../api/operations/all.ts";
import { pageParams } from "../api/paging.ts";
import type { Slice } from "../core/slice.ts";
import type { Dataset } from "../datasets/shared/define-dataset.ts";
import { importedRequest, storedAnswers, takeSlice } from "../ledger/imported-slices.ts";
import { noteOutcome } from "../ledger/amend-slices.ts";
import type { Database } from "../postgres/database.ts";
import { landedPages, type LandedPage } from "../raw/read-answers.ts";
import { land } from "../raw/store-answers.ts";
import { outcomeOf } from "../ingest/prepare-slice.ts";
import type { FileAnswer } from "./check-answer.ts";
import { InvalidFile } from "./slice-of-file.ts";
import { byKey, deleteRejects, prepareSlice, writeSlices, type LoadParts } from "../ingest/prepare-slice.ts";

/** What an import did: `restored` gave a loaded slice its pruned answer back, `known` changed nothing; and rows loaded and rows rejected. */
export type Imported = {
  readonly did: "loaded" | "restored" | "known";
  readonly rows: number;
  readonly rejects: number;
};

const nothing = { rows: 0, rejects: 0 } as const;

/**
 * Lands and loads an answer of a file as if it had just been fetched: slice, answer, rows and outcome commit together, nothing
 * is requested and nothing is booked. An answer that is stored already changes nothing. `run` names the run of this import, made when first needed.
 */
export async function importAnswer(
  parts: LoadParts,
  answer: FileAnswer,
  run: () => Promise<string>,
): Promise<Imported> {
  const found = await findStored(parts.db, answer);
  if (found === "same") return { did: "known", ...nothing };
  const runId = await run();
  return parts.db.transaction().execute(async (transaction) => {
    await lockUntilCommit(transaction, "raw import");
    // read again: another import may have been first
    const stored = await findStored(transaction, answer);
    if (stored === "same") return { did: "known", ...nothing };
    if (stored !== null) {
      await landPages(transaction, answer, stored);
      return { did: "restored", ...nothing };
    }
    const slice = await takeSlice(transaction, runId, answer.draft, parts.clock.now());
    if (slice === null) throw new InvalidFile("a slice for the same is under way: import it again when that has ended");
    await landPages(transaction, answer, slice);
    return { did: "loaded", ...(await load(transaction, parts, answer, slice)) };
  });
}

/** What an import of the answer would do by now. */
export async function wouldDo(db: Database, answer: FileAnswer): Promise<Imported["did"]> {
  const found = await findStored(db, answer);
  return found === "same" ? "known" : found === null ? "loaded" : "restored";
}

async function load(
  transaction: Database,
  parts: LoadParts,
  answer: FileAnswer,
  slice: Slice,
): Promise<Pick<Imported, "rows" | "rejects">> {
  const ready = await prepareSlice(parts, answer.dataset, slice, answer.fetched);
  await byKey(transaction);
  await deleteRejects(transaction, [ready]);
  await writeSlices(transaction, { ...parts, tailsAt: null }, [ready]);
  const counts = { rows: ready.rows, rejects: ready.invalid.length };
  await noteOutcome(transaction, slice, { ...outcomeOf(ready), ...counts });
  return counts;
}

/** "same" when the answer is stored already, the slice whose answer it is and that has lost it, or null. */
async function findStored(db: Database, answer: FileAnswer): Promise<"same" | Slice | null> {
  const times = answer.timed ? answer.pages.map(({ fetchedAt }) => fetchedAt) : null;
  for (const { slice, isStored } of await storedAnswers(db, answer.draft, times)) {
    if (!isStored) return slice;
    if (isSame([...(await landedPages(db, slice.sliceId)).values()], answer.pages)) return "same";
  }
  return null;
}

function isSame(stored: readonly LandedPage[], pages: readonly LandedPage[]): boolean {
  return stored.length === pages.length && stored.every(({ body }, index) => pages[index]?.body.equals(body) === true);
}

async function landPages(transaction: Database, { dataset, draft, pages }: FileAnswer, slice: Slice): Promise<void> {
  for (const [page, { body, fetchedAt }] of pages.entries())
    await land(transaction, {
      ...importedRequest,
      sliceId: slice.sliceId,
      attempt: slice.attempt,
      page,
      dataset: draft.dataset,
      class: draft.class,
      operation: draft.operation,
      params: callOf(dataset, slice, page),
      byteCount: body.length,
      receivedAt: fetchedAt,
      body,
    });
}

/** Names and values of the call that would have fetched a page, lists left out. */
function callOf(dataset: Dataset, slice: Slice, page: number): Readonly<Record<string, unknown>> {
  const params = { ...dataset.request(slice, page), ...pageParams(operationById(slice.operation), page) };
  return Object.fromEntries(Object.entries(params).filter(([, value]) => !Array.isArray(value)));
}

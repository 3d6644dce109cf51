import { keepReplaysOut } from "../load/rebuild-lock.ts";
import { lockUntilCommit, withLocks } from "../postgres/advisory-lock.ts";
import { operationById } from "../api/operations/all.ts";
import { cursorOfPage } from "../api/cursor-of-page.ts";
import { pageParams } from "../api/paging.ts";
import { answerHash } from "../ingest/account-calls.ts";
import { accountColumn } from "../load/table.ts";
import type { Slice } from "../core/slice.ts";
import { sumBy } from "../core/sum.ts";
import { hasHistory, type Dataset } from "../datasets/shared/define-dataset.ts";
import { mostPagesOf } from "../datasets/shared/scope-limits.ts";
import { heldAmong } from "../ledger/held-answers.ts";
import { importedRequest, readLaterAnswers, storedAnswers, takeSlices } from "../ledger/imported-slices.ts";
import type { Database } from "../postgres/database.ts";
import { landedPagesOf, type LandedPage } from "../raw/read-answers.ts";
import { landAll, type Landing } from "../raw/store-answers.ts";
import { outcomeOf, type LoadParts, type SliceLoad } from "../ingest/prepare-slice.ts";
import type { AnswerRows } from "../ingest/answer-rows.ts";
import type { LateOutcome } from "../ledger/amend-slices.ts";
import type { FileAnswer } from "./check-answer.ts";
import { loadAnswers, type ReadAnswer } from "../ingest/load-answers.ts";
import { InvalidFile } from "./slice-of-file.ts";
import { withoutOutdated } from "./without-outdated.ts";
import { findByKey } from "../postgres/plan-hints.ts";

/**
 * What an import did: `restored` returned the pruned, damaged or incomplete answer to its slice, `known` changed nothing, `held`
 * stored an answer that leaves out most of the portfolio (see hold-answers.ts), `contradicted` one that a newer answer contradicts. With the
 * rows loaded and rejected.
 */
export type Imported = {
  readonly did: "loaded" | "restored" | "known" | "held" | "contradicted";
  readonly rows: number;
  readonly rejects: number;
};

const nothing = { rows: 0, rejects: 0 } as const;

/** An answer with its slice: one whose answer was pruned, a new one, or none if a slice for it is under way. */
type Placed = { readonly answer: FileAnswer; readonly slice: Slice | null; readonly isRestored: boolean };

/**
 * Stores and loads answers of files, which are about different slices and different lists of the portfolio, as if they had just been fetched. Slices, answers, rows and outcomes
 * commit together; nothing is requested and nothing is booked. An answer that is stored already changes nothing. `run` returns the run of
 * this import, which is made when first needed. Returns for each file what it did, or why it was not loaded.
 */
export async function importAnswers(
  parts: LoadParts,
  answers: readonly FileAnswer[],
  run: () => Promise<string>,
): Promise<readonly (Imported | InvalidFile)[]> {
  const take = async (transaction: Database) => {
    await keepReplaysOut(
      transaction,
      answers.map(({ draft }) => draft.dataset),
    );
    // waits for another import of the same answers
    await lockUntilCommit(transaction, "raw import");
  };
  return withLocks(parts.db, { take }, async (transaction) => {
    await findByKey(transaction);
    const stored = await findStored(transaction, answers);
    if (stored.every((found) => found === "same")) return answers.map(() => ({ did: "known", ...nothing }));
    const fresh = answers.filter((_, place) => stored[place] === null);
    const drafts = fresh.map(({ draft }) => draft);
    const later = await readLaterAnswers(transaction, fresh.map(receivedDraft));
    const taken = await takeSlices(transaction, await run(), drafts, {
      now: parts.clock.now(),
      outcomes: fresh.map(({ rows }) => outcomeIn(rows)),
    });
    const placed = answers.flatMap((answer, place): Placed[] => {
      const found = stored[place];
      if (found === "same") return [];
      if (found != null) return [{ answer, slice: found, isRestored: true }];
      return [{ answer, slice: taken[fresh.indexOf(answer)] ?? null, isRestored: false }];
    });
    await landAll(transaction, placed.flatMap(landingsOf));
    const fetched = placed.flatMap(({ answer, slice, isRestored }) => {
      if (slice === null || isRestored) return [];
      // rows that a later answer lacks may be on a page that was not requested
      const isWhole = mostPagesOf(answer.draft) === Number.POSITIVE_INFINITY;
      const rows = withoutOutdated(answer.rows, (isWhole ? later[fresh.indexOf(answer)] : undefined) ?? []);
      return [readAnswer({ ...answer, rows }, slice)];
    });
    const loads = await loadAnswers(transaction, parts, fetched);
    const held = await heldOf(transaction, fetched);
    const done = new Map(
      placed.map((one) => {
        const sliceId = one.slice?.sliceId ?? "";
        const did = held.get(sliceId);
        return [one.answer, did === undefined ? endOf(one, loads.get(sliceId)) : { did, ...nothing }];
      }),
    );
    return answers.map((answer) => done.get(answer) ?? { did: "known", ...nothing });
  });
}

function receivedDraft({ dataset, draft, pages }: FileAnswer) {
  const receivedAt = Math.max(...pages.map(({ fetchedAt }) => fetchedAt));
  return { draft, receivedAt, hasHistory: hasHistory(dataset) };
}

function outcomeIn({ loads, invalid }: AnswerRows): LateOutcome {
  const rows = sumBy(loads, (load) => load.rows.length);
  return { ...outcomeOf({ rows, invalid }), rows, rejects: invalid.length };
}

/** A waiting slice may have been planned differently from the file: then the answer is read as the answer of that slice. */
function readAnswer({ dataset, draft, fetched, rows }: FileAnswer, slice: Slice): ReadAnswer {
  const isAsDrafted = slice.class === draft.class && slice.requestedEnd === undefined && slice.tailOf === undefined;
  return { dataset, slice, fetched, rows: isAsDrafted ? rows : undefined };
}

function endOf({ slice, isRestored }: Placed, load: SliceLoad | undefined): Imported | InvalidFile {
  if (slice === null)
    return new InvalidFile("a slice for the same cells is under way: import the file again when it has finished");
  if (isRestored || load === undefined) return { did: "restored", ...nothing };
  return { did: "loaded", rows: load.rows, rejects: load.invalid.length };
}

/** The slices whose answers this import does not apply: only those of the portfolio can be. */
async function heldOf(db: Database, fetched: readonly ReadAnswer[]): ReturnType<typeof heldAmong> {
  const lists = fetched.filter(({ dataset }) => dataset.stage === "portfolio");
  return lists.length === 0
    ? new Map()
    : heldAmong(
        db,
        lists.map(({ slice }) => slice.sliceId),
      );
}

/** What imports of the answers would do now. */
export async function previewImports(
  db: Database,
  answers: readonly FileAnswer[],
): Promise<readonly Imported["did"][]> {
  const stored = await findStored(db, answers);
  return stored.map((found) => (found === "same" ? "known" : found === null ? "loaded" : "restored"));
}

/** For each answer: "same" if it is stored already, the slice whose answer it is if that is not stored whole or is damaged, or null. */
async function findStored(db: Database, answers: readonly FileAnswer[]): Promise<readonly ("same" | Slice | null)[]> {
  const stored = await storedAnswers(
    db,
    answers.map(({ draft, timed, pages }) => ({
      draft,
      times: timed ? pages.map(({ fetchedAt }) => fetchedAt) : null,
    })),
  );
  const kept = stored.flat().filter(({ isStored }) => isStored);
  const damaged = new Set<string>();
  const pages =
    kept.length === 0
      ? new Map<string, ReadonlyMap<number, LandedPage>>()
      : await landedPagesOf(
          db,
          kept.map(({ slice }) => slice.sliceId),
          { onDamaged: ({ context }) => damaged.add(String(context["slice"])) },
        );
  return answers.map((answer, place) => {
    for (const { slice, isStored } of stored[place] ?? []) {
      const found = [...(pages.get(slice.sliceId)?.values() ?? [])];
      const isWhole = isStored && !damaged.has(slice.sliceId) && found.length >= answer.pages.length;
      if (!isStored || (answer.timed && !isWhole)) return slice;
      if (isSame(found, answer.pages)) return "same";
    }
    return null;
  });
}

function isSame(stored: readonly LandedPage[], pages: readonly LandedPage[]): boolean {
  return stored.length === pages.length && stored.every(({ body }, index) => pages[index]?.body.equals(body) === true);
}

function landingsOf({ answer: { dataset, draft, pages }, slice }: Placed): readonly Landing[] {
  if (slice === null) return [];
  return pages.map(({ body, fetchedAt }, page) => ({
    ...importedRequest,
    sliceId: slice.sliceId,
    runId: slice.runId,
    attempt: slice.attempt,
    page,
    dataset: draft.dataset,
    class: draft.class,
    operation: draft.operation,
    scope: slice.scope,
    ...callOf(dataset, slice, { pages, page, body, fetchedAt }),
    byteCount: body.length,
    receivedAt: fetchedAt,
    body,
  }));
}

/** The call that would have fetched one of the pages: its names and values without lists, and the hash of its answer. */
function callOf(
  dataset: Dataset,
  slice: Slice,
  { pages, page, body, fetchedAt }: LandedPage & { readonly pages: readonly LandedPage[]; readonly page: number },
): Pick<Landing, "params" | "callHash"> {
  const operation = operationById(slice.operation);
  const before = pages.slice(0, page).map((one) => one.body);
  const params = { ...dataset.request(slice, page), ...pageParams(operation, cursorOfPage(operation, before)) };
  return {
    params: Object.fromEntries(Object.entries(params).filter(([, value]) => !Array.isArray(value))),
    callHash: answerHash(
      slice.scope[accountColumn] ?? "",
      { operation, params, page: { index: page } },
      { body, sentAt: fetchedAt },
    ),
  };
}

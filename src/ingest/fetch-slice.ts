import { setImmediate as nextTurn } from "node:timers/promises";
import { createHash } from "node:crypto";
import type { Operation } from "../api/define-operation.ts";
import { notJson } from "../api/not-json.ts";
import { operationById } from "../api/operations/all.ts";
import { pageParams } from "../api/paging.ts";
import { readIfUsable } from "../api/read-answer.ts";
import { dayOf } from "../core/day.ts";
import { fail, type StorehouseError } from "../core/errors.ts";
import { pagePrice, scopeKey, type Slice } from "../core/slice.ts";
import { datasetNamed } from "../datasets/shared/all.ts";
import { callsOf, type Dataset } from "../datasets/shared/define-dataset.ts";
import { mostPagesOf } from "../datasets/shared/scope-limits.ts";
import { reprice } from "../ledger/amend-slices.ts";
import { digestOf } from "../ledger/batches.ts";
import type { Database } from "../postgres/database.ts";
import { readablePages, type LandedPage } from "../raw/read-answers.ts";
import { pageLimitOf } from "./page-limit.ts";
import { type CallSignals, paidCall } from "./paid-call.ts";
import type { IngestParts } from "./ingest-parts.ts";
import { prepareSlice, type SliceLoad } from "./prepare-slice.ts";
import { retryDatabase } from "./retry-database.ts";
import { endsList, readPages } from "./read-pages.ts";

/** A slice that has ended because its answer is loaded already, and how many rows that answer has. */
type Unchanged = { readonly unchangedRows: number };

/** Fetches the answer of a slice and prepares it for loading. A slice whose answer is unchanged is ended at once. */
export async function fetchSlice(
  parts: IngestParts,
  dataset: Dataset,
  slice: Slice,
  signals: CallSignals,
): Promise<SliceLoad | Unchanged> {
  const operation = operationById(slice.operation);
  const calls = callsOf(dataset, slice);
  const page = await pagesOf(parts, dataset, slice, signals);
  if (dataset.answersRepeat !== true || calls > 1 || operation.paging !== null) {
    const fetched = await readPages(operation, page, {
      calls,
      mostPages: mostPagesOf(slice),
      ...(operation.paging === null ? {} : { pageLimit: await pageLimitOf(parts, slice, operation.cost) }),
      onPages: repricing(slice, (work) => retryDatabase(parts, () => reprice(parts.db, slice, work))),
    });
    await mayRead(parts, slice);
    return retryDatabase(parts, () => prepareSlice(parts, { dataset, slice, fetched }));
  }
  const only = await page(0);
  const digest = answerDigest(parts.program, slice, only.body);
  if (isLikelyUnchanged(dataset, slice, digest)) {
    // its body stays in memory until the ledger has ended it
    await parts.claimedSlices.readable(slice.sliceId);
    const unchangedRows = await retryDatabase(parts, () => parts.batched.endUnchanged({ slice, digest }));
    if (unchangedRows !== null) return { unchangedRows };
  }
  await mayRead(parts, slice);
  return { ...(await prepareRead(parts, dataset, slice, readerOf(slice, only))), digest };
}

/**
 * Reads an answer and prepares it for loading. The result keeps the function that reads the answer, not what was read. It is a separate
 * function because the frame of a caller that has waited is in old memory, where the collector copies all that it names, needed or not.
 */
async function prepareRead(
  parts: IngestParts,
  dataset: Dataset,
  slice: Slice,
  answer: SliceLoad["answer"],
): Promise<SliceLoad> {
  const fetched = await answer();
  return { ...(await retryDatabase(parts, () => prepareSlice(parts, { dataset, slice, fetched }))), answer };
}

/** Reads an answer of one page. */
function readerOf({ operation }: Slice, only: LandedPage): SliceLoad["answer"] {
  return () => readPages(operationById(operation), async () => only);
}

/**
 * Resolves when an answer may be read: not while others fill the memory, so that calls continue while rows are written. Each is read in its
 * own turn of the event loop: its rows are gone before those of the next answer are made, and the collector has little to copy.
 */
async function mayRead({ claimedSlices }: IngestParts, { sliceId }: Slice): Promise<void> {
  await claimedSlices.readable(sliceId);
  await nextTurn();
}

/**
 * True if the ledger should check whether the answer is loaded already: not at a later attempt, which may have rejects to delete, nor for
 * lists of the portfolio, since plans are made after these.
 */
function isLikelyUnchanged(dataset: Dataset, { attempt, lastDigest }: Slice, digest: string): boolean {
  return lastDigest === digest && attempt === 1 && dataset.stage === "market";
}

/**
 * Records how many pages an answer takes, at the price of the plan, when that number changes; throws if another attempt has taken the slice
 * over.
 */
function repricing(slice: Slice, record: (work: Pick<Slice, "requests" | "credits">) => Promise<boolean>) {
  const perPage = pagePrice(slice);
  let known = slice.requests;
  return async (requests: number): Promise<void> => {
    if (requests === known) return;
    known = requests;
    if (!(await record({ requests, credits: requests * perPage }))) throw fail("fenced", { slice: slice.sliceId });
  };
}

/** SHA-256, as hex, of what a slice requests, its answer, and the program that reads it: equal digests mean equal rows. */
export function answerDigest(program: string, slice: Slice, body: Buffer): string {
  const { dataset, operation, scope, items, window } = slice;
  const request = [program, dataset, operation, scopeKey(scope), items && digestOf(items), window.start, window.end];
  return createHash("sha256").update(JSON.stringify(request)).update(body).digest("hex");
}

/**
 * Returns a function that fetches the pages of a slice, by number and cursor. A page that an earlier attempt landed but could not load is
 * read from storage, since it is paid for; any other page is a paid call.
 */
async function pagesOf(
  parts: IngestParts,
  dataset: Dataset,
  slice: Slice,
  signals: CallSignals,
): Promise<(index: number, cursor?: number) => Promise<LandedPage>> {
  const operation = operationById(slice.operation);
  const onDamaged = ({ code, problem }: StorehouseError) => parts.log.warn({ code, problem }, "answer.damaged");
  const landed =
    slice.attempt > 1 ? await readablePages(parts.db, slice.sliceId, onDamaged) : new Map<number, LandedPage>();
  return async (index, cursor = index) => {
    const kept = landed.get(index);
    if (kept !== undefined && isStillTrue(slice, kept) && canBeUsed(operation, index, kept.body)) return kept;
    const params = { ...dataset.request(slice, index), ...pageParams(operation, cursor) };
    const call = { operation, params, class: slice.class, page: { slice, index }, ...signals };
    return parts.apiOutage.through(async () => {
      const page = await paidCall(parts, call);
      // a stand-in for a service under maintenance answers every request with a page or a sentence
      if (beginsNoJson(operation, page.body)) throw notJson(operation, page.body);
      return page;
    });
  };
}

/**
 * True if the whole answer to a snapshot is stored, the first call sent on the day of the slice; midnight may have passed since.
 * The number of its pages is known only after they are read.
 */
export async function hasOwnAnswer(db: Database, slice: Slice): Promise<boolean> {
  const operation = operationById(slice.operation);
  if (slice.attempt === 1 || operation.paging !== null) return false;
  const landed = await readablePages(db, slice.sliceId);
  const calls = callsOf(datasetNamed(slice.dataset), slice);
  return Array.from({ length: calls }, (_, index) => landed.get(index)).every(
    (page, index) => page !== undefined && isStillTrue(slice, page) && canBeUsed(operation, index, page.body),
  );
}

/** True if an earlier attempt stored a page that the next one reads instead of requesting it. */
export async function hasUsablePage(db: Database, slice: Slice): Promise<boolean> {
  if (slice.attempt === 1) return false;
  const operation = operationById(slice.operation);
  return [...(await readablePages(db, slice.sliceId))].some(([index, { body }]) => canBeUsed(operation, index, body));
}

/** False for an answer about "now" that came before the day of the slice: it is not the answer to this slice. */
function isStillTrue(slice: Slice, page: LandedPage): boolean {
  return slice.class !== "snapshot" || dayOf(page.fetchedAt) >= slice.asOf;
}

const startOfJson = /^([[{"\d-]|(true|false|null)\b)/;

/** True for HTML or XML, which no answer is, and for other text that is no JSON unless the answer may be text. */
function beginsNoJson({ mayBeText }: Operation, body: Buffer): boolean {
  const text = body
    .subarray(0, 64)
    .toString()
    .replace(/^\uFEFF/, "")
    .replaceAll("\0", "")
    .trimStart();
  return mayBeText === true ? text.startsWith("<") : text !== "" && !startOfJson.test(text);
}

/** False for a stored page that must be requested again. */
function canBeUsed(operation: Operation, index: number, body: Buffer): boolean {
  return endsList(operation, index, body) || readIfUsable(operation, body) !== null;
}

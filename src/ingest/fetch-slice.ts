import { createHash } from "node:crypto";
import { operationById } from "../api/operations/all.ts";
import { fail } from "../core/errors.ts";
import { pagePrice, scopeKey, type Slice } from "../core/slice.ts";
import { callsOf, type Dataset, mostPagesOf } from "../datasets/shared/define-dataset.ts";
import { reprice } from "../ledger/amend-slices.ts";
import { digestOf } from "../ledger/batches.ts";
import { pagesOf } from "./paid-call.ts";
import type { IngestParts } from "./ingest-parts.ts";
import { prepareSlice, type SliceLoad } from "./prepare-slice.ts";
import { readPages } from "./read-pages.ts";

/** What a slice's answer is fetched and prepared with: `patiently` does work again that a busy or restarted database spoilt. */
type Ways = { readonly signal: AbortSignal; readonly patiently: <T>(work: () => Promise<T>) => Promise<T> };

/**
 * Fetches the answer of a slice and makes it ready to be loaded. An answer that says to the byte what is loaded already is not read:
 * there is nothing to load.
 */
export async function fetchSlice(
  parts: IngestParts,
  dataset: Dataset,
  slice: Slice,
  { signal, patiently }: Ways,
): Promise<SliceLoad> {
  const operation = operationById(slice.operation);
  const calls = callsOf(dataset, slice);
  const page = await pagesOf(parts, dataset, slice, signal);
  if (dataset.answersRepeat !== true || calls > 1 || operation.paging !== null) {
    const fetched = await readPages(operation, page, {
      calls,
      mostPages: mostPagesOf(slice),
      told: pricedAnew(slice, (work) => patiently(() => reprice(parts.db, slice, work))),
    });
    return patiently(() => prepareSlice(parts, dataset, slice, fetched));
  }
  const only = await page(0);
  const digest = answerDigest(parts.program, slice, only.body);
  const rows = await patiently(() => parts.batched.repeats({ sliceId: slice.sliceId, digest }));
  if (rows !== null)
    return { slice, digest, rows, fetchedAt: only.fetchedAt, drift: [], loads: [], invalid: [], unanswered: [] };
  const fetched = await readPages(operation, async () => only);
  return { ...(await patiently(() => prepareSlice(parts, dataset, slice, fetched))), digest };
}

/** Books how many pages an answer takes, at the price of the plan, whenever that is news; an attempt that was taken over asks for no more. */
function pricedAnew(slice: Slice, book: (work: Pick<Slice, "requests" | "credits">) => Promise<boolean>) {
  const perPage = pagePrice(slice);
  let known = slice.requests;
  return async (requests: number): Promise<void> => {
    if (requests === known) return;
    known = requests;
    if (!(await book({ requests, credits: requests * perPage }))) throw fail("fenced", { slice: slice.sliceId });
  };
}

/** SHA-256, as hex, over what a slice asks for, its answer, and the program that reads it: equal ones make equal rows. */
export function answerDigest(program: string, slice: Slice, body: Buffer): string {
  const { dataset, operation, scope, items, window } = slice;
  const question = [program, dataset, operation, scopeKey(scope), items && digestOf(items), window.start, window.end];
  return createHash("sha256").update(JSON.stringify(question)).update(body).digest("hex");
}

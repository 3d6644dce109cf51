import { operationById } from "../api/operations/all.ts";
import type { Slice } from "../core/slice.ts";
import { callsOf, mostPagesOf, type Dataset } from "../datasets/define-dataset.ts";
import { answerDigest } from "./answer-digest.ts";
import { pagesOf } from "./fetch-pages.ts";
import type { IngestParts } from "./parts.ts";
import { readPages } from "./read-pages.ts";
import { prepareSlice, type SliceLoad } from "./slice-load.ts";

/** What a slice's answer is fetched and prepared with: `patiently` does work again that a busy or restarted database spoilt. */
type Ways = { readonly signal: AbortSignal; readonly patiently: <T>(work: () => Promise<T>) => Promise<T> };

/**
 * Fetches the answer of a slice and makes it ready to be loaded. An answer that says to the byte what is loaded already is not read:
 * there is nothing to load.
 */
export async function fetchLoad(
  parts: IngestParts,
  dataset: Dataset,
  slice: Slice,
  { signal, patiently }: Ways,
): Promise<SliceLoad> {
  const operation = operationById(slice.operation);
  const calls = callsOf(dataset, slice);
  const page = await pagesOf(parts, dataset, slice, signal);
  if (dataset.answersRepeat !== true || calls > 1 || operation.paging !== null) {
    const fetched = await readPages(operation, page, calls, mostPagesOf(slice));
    return patiently(() => prepareSlice(parts, dataset, slice, fetched));
  }
  const only = await page(0);
  const digest = answerDigest(parts.program, slice, only.body);
  const rows = await patiently(() => parts.shared.repeats({ sliceId: slice.sliceId, digest }));
  if (rows !== null)
    return { slice, digest, rows, fetchedAt: only.fetchedAt, drift: [], loads: [], unfit: [], silent: [] };
  const fetched = await readPages(operation, async () => only);
  return { ...(await patiently(() => prepareSlice(parts, dataset, slice, fetched))), digest };
}

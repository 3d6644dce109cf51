import { operationById } from "../api/operations/all.ts";
import { fail } from "../core/errors.ts";
import type { Slice } from "../core/slice.ts";
import { datasetNamed } from "../datasets/shared/all.ts";
import { callsOf } from "../datasets/shared/define-dataset.ts";
import { mostPagesOf } from "../datasets/shared/scope-limits.ts";
import type { LandedPage } from "../raw/read-answers.ts";
import { readPages, type Fetched } from "../ingest/read-pages.ts";

/** A stored answer: its content, and which of the stored pages it uses. */
export type LandedAnswer = { readonly fetched: Fetched; readonly pages: readonly LandedPage[] };

/** Reads the whole answer of a slice from stored pages, by number; throws the error of the answer, `page_missing` if a page is missing. */
export async function landedAnswer(slice: Slice, pages: ReadonlyMap<number, LandedPage>): Promise<LandedAnswer> {
  const used: LandedPage[] = [];
  const fetched = await readPages(
    operationById(slice.operation),
    async (index) => {
      const page = pages.get(index);
      if (page === undefined) throw fail("page_missing", { page: index });
      used.push(page);
      return page;
    },
    {
      calls: callsOf(datasetNamed(slice.dataset), slice),
      mostPages: mostPagesOf(slice),
      // an answer that was not paid for to its end has the number of pages in the ledger
      pageLimit: () => (slice.requests > 1 && slice.requests === pages.size ? pages.size : Number.POSITIVE_INFINITY),
    },
  );
  return { fetched, pages: used };
}

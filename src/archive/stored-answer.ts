import { operationById } from "../api/operations/all.ts";
import { fail } from "../core/errors.ts";
import type { Slice, SliceState } from "../core/slice.ts";
import { datasetNamed } from "../datasets/shared/all.ts";
import { callsOf } from "../datasets/shared/define-dataset.ts";
import { mostPagesOf } from "../datasets/shared/scope-limits.ts";
import type { LandedPage } from "../raw/read-answers.ts";
import { readPages, type Fetched } from "../ingest/read-pages.ts";

/** A stored answer: its content, and which of the stored pages it uses. */
export type LandedAnswer = { readonly fetched: Fetched; readonly pages: readonly LandedPage[] };

/** A slice, with its state if it is in the ledger. */
type StoredSlice = Slice & { readonly state?: SliceState };

/**
 * Reads the whole answer of a slice from stored pages, by number; throws the error of the answer, `page_missing` if a page is missing.
 * `paidPages`: the number of pages that were paid for, by default that of the ledger. An answer with more of them is read up to there.
 */
export async function landedAnswer(
  slice: StoredSlice,
  pages: ReadonlyMap<number, LandedPage>,
  paidPages = paidPagesOf(slice),
): Promise<LandedAnswer> {
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
      // fewer pages than were paid for: one of them is missing
      pageLimit: () => (paidPages === pages.size ? pages.size : Number.POSITIVE_INFINITY),
    },
  );
  return { fetched, pages: used };
}

/** Until its answer is loaded, a slice may count one page because no page has been read yet. */
function paidPagesOf({ requests, state }: StoredSlice): number {
  return requests > 1 || state === "loaded" || state === "empty" ? requests : Number.POSITIVE_INFINITY;
}

/** True for an answer of which pages were not requested because they were not paid for, and not because the scope of its slice leaves them out. */
export function isUnpaid(slice: Slice, { fetched, pages }: LandedAnswer): boolean {
  return fetched.isCut === true && pages.length < mostPagesOf(slice);
}

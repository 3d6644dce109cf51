import type { Operation } from "../api/define-operation.ts";
import type { Drift } from "../api/drift.ts";
import { hasNextPage } from "../api/paging.ts";
import { readAnswer, type Unfit } from "../api/read-answer.ts";
import type { LandedPage } from "../warehouse/landed.ts";
import { doubtBetween, type PageSeen } from "./page-doubt.ts";

/** The whole answer of a slice: one checked value a page, what did not fit, what nobody knew. */
export type Fetched = {
  readonly pages: readonly unknown[];
  readonly unfit: readonly Unfit[];
  readonly drift: readonly Drift[];
  /** Epoch-ms at which the last page was in. */
  readonly fetchedAt: number;
};

/**
 * Reads the pages of an answer one after the other, from wherever `page` takes them, until the last; where it takes several `calls`,
 * each of them is a page. What lies past `mostPages` is left alone by choice: the answer counts as whole.
 */
export async function readPages(
  operation: Operation,
  page: (index: number) => Promise<LandedPage>,
  calls = 1,
  mostPages = Number.POSITIVE_INFINITY,
): Promise<Fetched> {
  const pages: unknown[] = [];
  const unfit: Unfit[] = [];
  const drift: Drift[] = [];
  let before: PageSeen | null = null;
  for (let index = 0; ; index += 1) {
    const { body, fetchedAt } = await page(index);
    const read = readAnswer(operation, body);
    pages.push(read.value);
    unfit.push(...read.unfit);
    drift.push(...read.drift);
    if (index + 1 < calls) continue;
    const seen: PageSeen = { body, value: read.value };
    const doubt = calls > 1 || before === null ? null : doubtBetween(operation, before, seen);
    // with something unfit beside it the answer is not taken for whole: nothing counts as gone, and the reason is kept
    if (doubt !== null) unfit.push({ reason: doubt.reason, item: null });
    if (doubt?.stuck === true) return { pages, unfit, drift, fetchedAt };
    before = seen;
    if (index + 1 >= mostPages) return { pages, unfit, drift, fetchedAt };
    if (!hasNextPage(operation, read.value, index, read.unfit.length)) return { pages, unfit, drift, fetchedAt };
  }
}

import type { Operation } from "../api/define-operation.ts";
import type { Drift } from "../api/drift.ts";
import { pagesTold } from "../api/paging.ts";
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
  /** True where there is more of it that was not asked for: then nothing counts as gone. */
  readonly isCut?: boolean;
};

/** How an answer is read: how many `calls` it takes, how many pages of it are wanted at most, and who is told of their number. */
type Reading = {
  readonly calls?: number;
  readonly mostPages?: number;
  /** Told after each page, before the next is asked for, how many pages will be asked for as far as is known by then. */
  readonly told?: (pages: number) => Promise<void>;
};

/**
 * Reads the pages of an answer one after the other, from wherever `page` takes them, until the last; where it takes several `calls`,
 * each of them is a page. What lies past `mostPages` is left alone.
 */
export async function readPages(
  operation: Operation,
  page: (index: number) => Promise<LandedPage>,
  { calls = 1, mostPages = Number.POSITIVE_INFINITY, told = async () => undefined }: Reading = {},
): Promise<Fetched> {
  const pages: unknown[] = [];
  const unfit: Unfit[] = [];
  const drift: Drift[] = [];
  let before: PageSeen | null = null;
  for (let index = 0; ; index += 1) {
    const { body, fetchedAt } = await page(index);
    const read = readAnswer(operation, body);
    pages.push(read.value);
    unfit.push(...read.unfit.map((one) => ({ ...one, page: index })));
    drift.push(...read.drift);
    if (index + 1 < calls) continue;
    const seen: PageSeen = { body, value: read.value };
    const doubt = calls > 1 || before === null ? null : doubtBetween(operation, before, seen);
    // with something unfit beside it the answer is not taken for whole: nothing counts as gone, and the reason is kept
    if (doubt !== null) unfit.push({ reason: doubt.reason, item: null });
    const there =
      doubt?.stuck === true
        ? index + 1
        : Math.max(index + 1, pagesTold(operation, read.value, index, read.unfit.length));
    const wanted = Math.max(index + 1, Math.min(mostPages, there));
    if (operation.paging !== null) await told(wanted);
    if (wanted === index + 1) return { pages, unfit, drift, fetchedAt, isCut: there > wanted };
    before = seen;
  }
}

import { pagePrice, scopeKey, type Slice } from "../core/slice.ts";
import { windowLength } from "../core/window.ts";
import { mostPagesOf } from "../datasets/shared/scope-limits.ts";
import { readLastPages } from "../ledger/coverage.ts";
import type { IngestParts } from "./ingest-parts.ts";

/** An answer may have this many times the pages of the last one. */
const mostTimesLast = 10;
/** This many pages are always paid for, and no more if no answer of the scope is known. */
export const alwaysPages = 100;

/**
 * The most pages of an answer that are paid for: a hundred or, if that is more, ten times as many as the last answer had for the same
 * number of days.
 */
export function pageLimit(last: { readonly count: number; readonly days: number } | undefined, days: number): number {
  if (last === undefined) return alwaysPages;
  return Math.max(alwaysPages, mostTimesLast * Math.ceil(last.count * Math.max(1, days / Math.max(1, last.days))));
}

/**
 * The most pages of a slice that are paid for. They never cost more credits than planned for this many pages: at a higher price there are
 * fewer. If the configuration sets a number of pages, that one applies.
 */
export async function pageLimitOf(
  { db, learned }: Pick<IngestParts, "db" | "learned">,
  slice: Slice,
  documented: number,
): Promise<() => number> {
  if (Number.isFinite(mostPagesOf(slice))) return () => Number.POSITIVE_INFINITY;
  const last = await readLastPages(db, slice.dataset, [slice.scope], { whole: true });
  const pages = pageLimit(last.get(scopeKey(slice.scope))?.get(slice.operation), windowLength(slice.window));
  const planned = Math.max(1, documented, pagePrice(slice));
  return () => Math.floor((pages * planned) / Math.max(planned, learned.get(slice.operation) ?? 0));
}

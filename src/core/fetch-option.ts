import { windowLength, type Window } from "./window.ts";

/** One option to fetch cells: what a call of an operation can carry and what it costs. */
export type FetchOption = {
  readonly operation: string;
  /** Credits a call is expected to cost. */
  readonly credits: number;
  /** Days that one call may span. */
  readonly maxDays: number;
  /** Items that one call may name. Without end where a call names none. */
  readonly maxItems: number;
  /** False where a list travels in a body, in which a comma splits nothing; true where it is left out. */
  readonly splitsAtComma?: boolean;
  /** Set where a call names no items and brings all that the account tracks: the only items that it can carry. */
  readonly tracked?: ReadonlySet<string>;
  /** Calls that it takes to bring what other fetch options bring in one, a device a call for instance; one when left out. */
  readonly calls?: number;
  /** Set where answers have pages. */
  readonly isPaged?: boolean;
  /** How many pages the last answer had, where answers have pages: as many are expected of the next one. One when left out. */
  readonly pages?: Pages;
};

/** So many pages, of an answer about so many days; at most so many are ever requested. */
export type Pages = { readonly count: number; readonly days: number; readonly most?: number };

/**
 * True when a call of this option can carry an item: the account tracks it where the option names no items, and no comma would split it in
 * a list.
 */
export function carries(option: FetchOption, item: string): boolean {
  if (option.tracked !== undefined) return option.tracked.has(item);
  return option.maxItems === 1 || !isSplit(option, item);
}

/** True when an item cannot stand in a list of this option: a comma in it would be read as the end of it. */
export function isSplit({ splitsAtComma = true }: FetchOption, item: string): boolean {
  return splitsAtComma && item.includes(",");
}

/** The credits that one use of a fetch option costs, all of its calls together. */
export function optionCost(option: FetchOption): number {
  return option.credits * (option.calls ?? 1);
}

/** The pages that an answer about a window is expected to have: as many a day as the last one had, but no more than one where that had one. */
export function pagesExpected({ pages }: FetchOption, window: Window): number {
  if (pages === undefined) return 1;
  // how full a single page was is not known
  if (pages.count === 1) return 1;
  return Math.min(pagesInAll(pages, window), pages.most ?? Number.POSITIVE_INFINITY);
}

/**
 * The most days that one call about a window may span and is expected to bring in as many pages; 0 where that is not known, or where the last
 * answer had as many pages as are ever requested: what it lacked cannot be foreseen.
 */
export function daysAtSamePrice({ maxDays, isPaged, pages }: FetchOption, window: Window): number {
  if (isPaged !== true) return maxDays;
  if (pages === undefined) return 0;
  const { count, days, most = Number.POSITIVE_INFINITY } = pages;
  if (count >= most) return 0;
  const inPages = (number: number) => Math.floor((number * days) / count);
  return Math.min(maxDays, inPages(most), count === 1 ? maxDays : inPages(pagesInAll(pages, window)));
}

function pagesInAll({ count, days }: Pages, window: Window): number {
  return Math.max(1, Math.ceil((count * windowLength(window)) / days));
}

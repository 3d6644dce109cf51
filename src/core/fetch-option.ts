import { windowLength, type Window } from "./window.ts";

/** One way to fetch cells: what a call of an operation can carry, and what it costs. */
export type FetchOption = {
  readonly operation: string;
  /** Expected credits per call. */
  readonly credits: number;
  /** Days that one call may span. */
  readonly maxDays: number;
  /** Items that one call may name. Infinite if a call names none. */
  readonly maxItems: number;
  /** False if lists are sent in a body, in which a comma separates nothing; true if left out. */
  readonly splitsAtComma?: boolean;
  /** Set if a call names no items and returns all that the account tracks: the only items that it can carry. */
  readonly tracked?: ReadonlySet<string>;
  /** Calls that it needs for what other fetch options return in one, for instance one call per device; one if left out. */
  readonly calls?: number;
  /** Set if answers have pages. */
  readonly isPaged?: boolean;
  /** How many pages the last answer had, if answers have pages: the next one is expected to have the same number. One if left out. */
  readonly pages?: Pages;
};

/** The pages of an answer, the days that it was about, and the most pages that are ever requested. */
export type Pages = { readonly count: number; readonly days: number; readonly most?: number };

/**
 * True if a call of this option can carry an item: if the option names no items, the account must track it; otherwise no comma may split it
 * in a list.
 */
export function carries(option: FetchOption, item: string): boolean {
  if (option.tracked !== undefined) return option.tracked.has(item);
  return option.maxItems === 1 || !isSplit(option, item);
}

/** True if an item cannot be in a list of this option: a comma in it would be read as its end. */
export function isSplit({ splitsAtComma = true }: FetchOption, item: string): boolean {
  return splitsAtComma && item.includes(",");
}

/** The credits that one use of a fetch option costs, for all of its calls together. */
export function optionCost(option: FetchOption): number {
  return option.credits * (option.calls ?? 1);
}

/** The expected pages of an answer about a window: as many per day as the last one had, but one if that had one. */
export function pagesExpected({ pages }: FetchOption, window: Window): number {
  if (pages === undefined) return 1;
  // it is unknown how full a single page was
  if (pages.count === 1) return 1;
  return Math.min(pagesInAll(pages, window), pages.most ?? Number.POSITIVE_INFINITY);
}

/**
 * The most days that one call about a window may span without more expected pages; 0 if that is unknown, or if the last answer had the most
 * pages that are ever requested: the rest of it is unknown.
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

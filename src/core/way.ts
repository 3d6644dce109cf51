import type { Day } from "./day.ts";
import type { Grid } from "./period.ts";
import { windowLength, type Window } from "./window.ts";

/** One way to fetch cells: what a call of an operation can carry and what it costs. */
export type Way = {
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
  /** Calls that it takes to bring what other ways bring in one, a device a call for instance; one when left out. */
  readonly calls?: number;
  /** How many pages the last answer had, where answers have pages: as many are expected of the next one. One when left out. */
  readonly pages?: Pages;
};

/** So many pages, of an answer about so many days; at most so many are ever asked for. */
export type Pages = { readonly count: number; readonly days: number; readonly most?: number };

/**
 * Of which days of the past a dataset asks. The newest `settleDays` (today counted) are not published yet; the `lookbackDays` before
 * them are restated by the source and asked for again; a sync that names no start reaches `historyDays` back, or to `firstDay`.
 * Nothing before `firstDay` is ever asked for.
 */
export type Reach = {
  readonly settleDays: number;
  readonly lookbackDays: number;
  readonly historyDays: number;
  readonly firstDay?: Day;
  /** The first day of which rows are kept: older ones are not asked for. */
  readonly keptFrom?: Day;
  /** Days that are asked for together where one call brings many at the price of one: the newest wait until so many are out. */
  readonly packDays?: number;
  /**
   * Days after which what was asked for and answered with nothing is asked for again, where that may mean "not connected" or "not
   * looked at yet"; an empty answer is final where it is left out.
   */
  readonly emptyHoldsDays?: number;
  /** Of the settled days the newest so many are asked for again after that, older ones no more; all of them where it is left out. */
  readonly emptyUntilDays?: number;
};

/** When a dataset is worth asking for. */
export type Timing =
  /** Only what holds now can be asked for: asked again when the last answer is `refreshDays` old or its fingerprint changed. */
  | { readonly kind: "snapshot"; readonly refreshDays: number }
  /** Days of the past can be asked for, each by itself or many in one call. */
  | ({ readonly kind: "series" } & Reach)
  /**
   * Answers are aggregates over the window that is asked for: whole periods of the grid, one a call, never spread over their days. A
   * period is asked for once its last day is published, and again while one of its days is restated; the one that holds the first day
   * asked for is asked for whole.
   */
  | ({ readonly kind: "period"; readonly grid: Grid } & Reach);

/** True when an item may travel by this way: the account tracks it where the way names no items, and no comma would split it in a list. */
export function carries(way: Way, item: string): boolean {
  if (way.tracked !== undefined) return way.tracked.has(item);
  return way.maxItems === 1 || !isSplit(way, item);
}

/** True when an item cannot stand in a list of this way: a comma in it would be read as the end of it. */
export function isSplit({ splitsAtComma = true }: Way, item: string): boolean {
  return splitsAtComma && item.includes(",");
}

/** What it costs to go this way once, all of its calls together. */
export function fare(way: Way): number {
  return way.credits * (way.calls ?? 1);
}

/** The pages that an answer about a window is expected to have: as many a day as the last one had, but no more than one where that had one. */
export function pagesExpected({ pages }: Way, window: Window): number {
  if (pages === undefined) return 1;
  // how full a single page was is not known
  if (pages.count === 1) return 1;
  const expected = Math.max(1, Math.ceil((pages.count * windowLength(window)) / pages.days));
  return Math.min(expected, pages.most ?? Number.POSITIVE_INFINITY);
}

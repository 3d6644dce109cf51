import type { Day } from "./day.ts";
import type { Grid } from "./period.ts";
import type { Window } from "./window.ts";

/** Days that have moved: answers about them from before `since` are out of date. */
export type Moved = { readonly window: Window; readonly since: Day };

/**
 * The days of the past that a dataset requests. The newest `settleDays` (including today) are not published yet; the `lookbackDays` before
 * them are restated by the source and requested again; a sync that names no start reaches `historyDays` back, or to `firstDay`. Nothing
 * before `firstDay` is ever requested.
 */
export type Reach = {
  readonly settleDays: number;
  readonly lookbackDays: number;
  readonly historyDays: number;
  readonly firstDay?: Day;
  /** The first day whose rows are kept: older days are not requested. */
  readonly keptFrom?: Day;
  /** Days that are requested together, if one call returns many at the price of one: the newest days wait until this many are published. */
  readonly packDays?: number;
  /** True if no call has room for more days than a pack: requesting days of a pack again costs a separate call. */
  readonly packIsFull?: true;
  /**
   * Days after which an empty answer is requested again, if empty may mean "not connected" or "not processed yet"; if left out, an empty
   * answer is final.
   */
  readonly emptyHoldsDays?: number;
  /** Only this many of the newest settled days are requested again after that; all of them if left out. */
  readonly emptyUntilDays?: number;
  /** Days before the restated ones that are known to have moved anyway, and are requested again. */
  readonly moved?: readonly Moved[];
};

/** When a dataset is worth a request. */
export type Timing =
  /** Only the present state can be requested: again when the last answer is `refreshDays` old or its fingerprint has changed. */
  | { readonly kind: "snapshot"; readonly refreshDays: number }
  /** Days of the past can be requested, each separately or many in one call. */
  | ({ readonly kind: "series" } & Reach)
  /**
   * Answers are aggregates over the window that is requested: whole periods of the grid, one per call, never spread over their days. A
   * period is requested when its last day is published, and again while one of its days is restated. The period that contains the first
   * requested day is requested as a whole.
   */
  | ({ readonly kind: "period"; readonly grid: Grid } & Reach);

/** A timing of days or periods of the past. */
export type Dated = Exclude<Timing, { readonly kind: "snapshot" }>;

/** A snapshot that is valid for this many days is requested only once. */
export const onceDays = 3650;

/** True for snapshots that are requested every day: one that is missed is lost for good by the next day. */
export function isLostByTomorrow(timing: Timing): boolean {
  return timing.kind === "snapshot" && timing.refreshDays === 1;
}

/** The longest month: the most days between calendar months. */
const daysOfMonth = 31;

/** The most days from one answer about a partition to the next one. */
export function daysBetweenAnswers(timing: Timing): number {
  if (timing.kind === "snapshot") return timing.refreshDays;
  const pack = timing.packDays ?? 1;
  if (timing.kind === "series") return pack;
  return Math.max(pack, "days" in timing.grid ? timing.grid.days : daysOfMonth);
}

import type { Day } from "./day.ts";
import type { Grid } from "./period.ts";
import type { Window } from "./window.ts";

/** Days that have moved: what was requested of them before `since` is out of date. */
export type Moved = { readonly window: Window; readonly since: Day };

/**
 * The days of the past that a dataset requests. The newest `settleDays` (today counted) are not published yet; the `lookbackDays` before
 * them are restated by the source and requested again; a sync that names no start reaches `historyDays` back, or to `firstDay`.
 * Nothing before `firstDay` is ever requested.
 */
export type Reach = {
  readonly settleDays: number;
  readonly lookbackDays: number;
  readonly historyDays: number;
  readonly firstDay?: Day;
  /** The first day of which rows are kept: older ones are not requested. */
  readonly keptFrom?: Day;
  /** Days that are requested together where one call returns many at the price of one: the newest wait until so many are out. */
  readonly packDays?: number;
  /** True where no call has room for more days than a pack: what is requested again of one costs a call of its own. */
  readonly packIsFull?: true;
  /**
   * Days after which an empty answer is requested again, where empty may mean "not connected" or "not processed yet"; an empty
   * answer is final where it is left out.
   */
  readonly emptyHoldsDays?: number;
  /** Only so many of the newest settled days are requested again after that; all of them where it is left out. */
  readonly emptyUntilDays?: number;
  /** Days before the restated ones that are known to have moved all the same, and are requested again. */
  readonly moved?: readonly Moved[];
};

/** When a dataset is worth a request. */
export type Timing =
  /** Only what holds now can be requested: again when the last answer is `refreshDays` old or its fingerprint changed. */
  | { readonly kind: "snapshot"; readonly refreshDays: number }
  /** Days of the past can be requested, each separately or many in one call. */
  | ({ readonly kind: "series" } & Reach)
  /**
   * Answers are aggregates over the window that is requested: whole periods of the grid, one a call, never spread over their days. A
   * period is requested once its last day is published, and again while one of its days is restated; the one that holds the first
   * requested day is requested whole.
   */
  | ({ readonly kind: "period"; readonly grid: Grid } & Reach);

/** A timing of days or periods of the past. */
export type Dated = Exclude<Timing, { readonly kind: "snapshot" }>;

/** A snapshot that holds for so many days is requested once. */
export const onceDays = 3650;

/** The longest month: calendar months are as far apart. */
const daysOfMonth = 31;

/** The most days from one answer about a partition to the next one. */
export function daysBetweenAnswers(timing: Timing): number {
  if (timing.kind === "snapshot") return timing.refreshDays;
  const pack = timing.packDays ?? 1;
  if (timing.kind === "series") return pack;
  return Math.max(pack, "days" in timing.grid ? timing.grid.days : daysOfMonth);
}

import type { Day } from "./day.ts";
import type { Grid } from "./period.ts";

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

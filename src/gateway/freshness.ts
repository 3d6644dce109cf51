import { addDays, type Day } from "../core/day.ts";
import type { Timing } from "../core/timing.ts";
import type { Window } from "../core/window.ts";
import { calendarOf } from "../plan/cover/gap-grid.ts";
import { missingCells, settledEnd } from "../plan/missing.ts";

/** What decides whether an answer is fresh. */
export type DatedAnswer = {
  /** The day that counted as today when it was requested. */
  readonly asOf: Day;
  /** The days that it is about; null if the call names none. */
  readonly window: Window | null;
  /** True if the answer may be empty: such an answer is final later than others. */
  readonly mayBeEmpty: boolean;
  /** True if the call is about the present state, regardless of the other timing of the dataset. */
  readonly isSnapshot: boolean;
};

/**
 * True if by each of these timings no plan would request the answer again now; null if the timings do not decide it: the call belongs to no
 * dataset, names no days, or names days that are not published yet.
 */
export function isFinalAnswer(answer: DatedAnswer, timings: readonly Timing[], today: Day): boolean | null {
  const verdicts = timings.map((timing) => verdictOf(answer, timing, today));
  if (verdicts.length === 0 || verdicts.includes(null)) return null;
  return verdicts.every((verdict) => verdict === true);
}

function verdictOf({ asOf, window, mayBeEmpty, isSnapshot }: DatedAnswer, timing: Timing, today: Day): boolean | null {
  if (timing.kind === "snapshot") return asOf > addDays(today, -timing.refreshDays);
  if (isSnapshot) return asOf >= today;
  if (window === null || window.end > settledEnd(timing, today)) return null;
  const state = mayBeEmpty ? "empty" : "loaded";
  const { restated } = missingCells({
    timing,
    items: null,
    calendar: calendarOf(window),
    covered: [{ scope: {}, operation: "", items: null, window, state, asOf, fingerprint: "", refused: false }],
    today,
    reprocess: "missing",
  });
  return restated.rows.length === 0;
}

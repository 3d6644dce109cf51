import type { Timing } from "../core/way.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** The newest night's work is in by then, counted from midnight. */
const nightMs = 6 * hourMs;
/** A whole night may be missed and made up for before anybody is told. */
const graceMs = dayMs;
/** What is asked for as seldom as that is asked for once. */
const onceDays = 3650;

/**
 * How long after the end of its newest day (ms) a dataset counts as late; null for what is asked for once. `freshHours` is the
 * limit that the settings name. Else it is what passes between two answers by the dataset's rhythm, and a night and a day more.
 */
export function freshnessLimit(timing: Timing, freshHours?: number): number | null {
  if (freshHours !== undefined) return freshHours * hourMs;
  const patience = nightMs + graceMs;
  if (timing.kind === "snapshot")
    return timing.refreshDays >= onceDays ? null : (timing.refreshDays - 1) * dayMs + patience;
  if (timing.kind === "period") {
    const longest = "days" in timing.grid ? timing.grid.days : 31;
    return (longest + timing.settleDays) * dayMs + patience;
  }
  return ((timing.packDays ?? 1) - 1 + timing.settleDays) * dayMs + patience;
}

/**
 * How old the newest day is (ms): from its end, where something came, else from when it was first planned, since which nothing came.
 * Never below 0: what holds today is asked for while its day lasts.
 */
export function freshnessAge(
  { newestEnd, plannedAt }: { readonly newestEnd: number | null; readonly plannedAt: number },
  now: number,
): number {
  return Math.max(0, now - (newestEnd ?? plannedAt));
}

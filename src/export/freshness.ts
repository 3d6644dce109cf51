import type { Timing } from "../core/way.ts";

/** After so many days without a new row a table is late, and after so many it is an error. */
export type Freshness = { readonly warnDays: number; readonly errorDays: number };

/** A night may fail and be made good by the next one; after that somebody should look. */
const nightsToWarn = 2;
const nightsToFail = 7;

/** How old the newest row may be that a dataset of this timing brings, counted from when it was fetched. */
export function freshnessOf(timing: Timing): Freshness {
  const every = daysBetweenAnswers(timing);
  return { warnDays: every + nightsToWarn, errorDays: every + nightsToFail };
}

/** Rows of a table that several datasets write are as late as those of the slowest. */
export function latest(all: readonly Freshness[]): Freshness {
  return {
    warnDays: Math.max(...all.map(({ warnDays }) => warnDays)),
    errorDays: Math.max(...all.map(({ errorDays }) => errorDays)),
  };
}

function daysBetweenAnswers(timing: Timing): number {
  if (timing.kind === "snapshot") return timing.refreshDays;
  const pack = timing.packDays ?? 1;
  if (timing.kind === "series") return pack;
  return Math.max(pack, "days" in timing.grid ? timing.grid.days : daysOfMonth);
}

const daysOfMonth = 31;

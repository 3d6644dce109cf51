import { daysBetween, type Day } from "../core/day.ts";
import { windowLength, type Window } from "../core/window.ts";
import { rankScale, type RankScale } from "./rank-scale.ts";

/** The ranks of one device by day: null where it was asked for and not ranked; a day that is left out was not asked for. */
export type RankSeries = { readonly device: string; readonly ranks: ReadonlyMap<Day, number | null> };

/** Where things stand in the picture of ranks. */
export type RankPlot = {
  readonly window: Window;
  readonly scale: RankScale;
  /** The middle of a day. */
  readonly x: (day: Day) => number;
  readonly y: (rank: number) => number;
  /** The width of a day. */
  readonly step: number;
};

/** The picture's own measures. Below the ranks a lane for the days that were asked for and brought no rank. */
export const size = {
  width: 960,
  height: 460,
  left: 92,
  right: 838,
  top: 96,
  bottom: 342,
  laneTop: 356,
  laneBottom: 384,
} as const;

/** Lays the days of a window and the ranks that occur into the picture. */
export function rankPlot(window: Window, series: readonly RankSeries[]): RankPlot {
  const known = series.flatMap(({ ranks }) => [...ranks.values()]).filter((rank) => rank !== null);
  // a long list of arguments would not fit onto the stack
  const worst = known.reduce((most, rank) => Math.max(most, rank), 1);
  const scale = rankScale(
    known.reduce((least, rank) => Math.min(least, rank), worst),
    worst,
  );
  const step = (size.right - size.left) / windowLength(window);
  return {
    window,
    scale,
    step,
    x: (day) => size.left + (daysBetween(window.start, day) + 0.5) * step,
    y: (rank) => size.top + scale.at(rank) * (size.bottom - size.top),
  };
}

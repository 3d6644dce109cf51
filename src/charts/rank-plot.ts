import { type Day, daysBetween } from "../core/day.ts";
import { daysOf, stretches, type Window, windowLength } from "../core/window.ts";
import { dayTicks } from "./day-axis.ts";
import { element, label } from "./picture.ts";

/** The ranks of one device by day: null where it was requested and not ranked; a day that is left out was not requested. */
export type RankSeries = { readonly device: string; readonly ranks: ReadonlyMap<Day, number | null> };

/** Positions in the picture of ranks. */
export type RankPlot = {
  readonly window: Window;
  readonly scale: RankScale;
  /** The middle of a day. */
  readonly x: (day: Day) => number;
  readonly y: (rank: number) => number;
  /** The width of a day. */
  readonly step: number;
};

/** The picture's own measures. Below the ranks a lane for the days that were requested and brought no rank. */
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

/** Positions of ranks, the best on top. `at` gives a share of the height, 0 for the first tick and 1 for the last one. */
type RankScale = {
  readonly ticks: readonly number[];
  readonly at: (rank: number) => number;
};

/** Up to this rank every place counts the same; beyond it, what happens near the top counts more. */
const mostLinear = 12;
const steps = [1, 2, 3, 5];

/**
 * The scale for ranks from `best` to `worst`: even where all are near the top, else logarithmic. It begins at 1, or at half of the best rank where
 * that is far down.
 */
function rankScale(best: number, worst: number): RankScale {
  if (worst <= mostLinear) {
    const end = Math.max(5, worst);
    const every = end > 8 ? 2 : 1;
    const ticks = Array.from({ length: end }, (_, index) => index + 1).filter((rank) => (rank - 1) % every === 0);
    return { ticks, at: (rank) => (rank - 1) / (end - 1) };
  }
  const ticks = logarithmic(best < farDown ? 1 : best / 2, worst);
  const [start, end] = [Math.log(ticks[0] ?? 1), Math.log(ticks.at(-1) ?? worst)];
  return { ticks, at: (rank) => (Math.log(rank) - start) / (end - start) };
}

const farDown = 20;

/** Round ranks, from the last one that is no worse than `from` to the first one that is no better than `to`. */
function logarithmic(from: number, to: number): readonly number[] {
  let ticks: number[] = [];
  for (let power = 1; ; power *= 10)
    for (const step of steps) {
      const rank = step * power;
      ticks = rank <= from ? [rank] : [...ticks, rank];
      if (rank >= to) return ticks;
    }
}

/** The lines behind the ranks, with their numbers, the days below, and what the two axes count. */
export function rankAxes({ window, scale, x, y }: RankPlot): string {
  const { left, right, top, bottom, laneTop, laneBottom } = size;
  const ranks = scale.ticks.flatMap((rank) => [
    element("line", { class: "grid", x1: left, x2: right, y1: y(rank), y2: y(rank) }),
    label(String(rank), { class: "tick", x: left - 10, y: y(rank) + 4, "text-anchor": "end" }),
  ]);
  const days = dayTicks(window).flatMap(({ day, text }) => [
    element("line", { class: "grid", x1: x(day), x2: x(day), y1: laneBottom, y2: laneBottom + 5 }),
    label(text, { class: "tick", x: x(day), y: laneBottom + 19, "text-anchor": "middle" }),
  ]);
  const middle = (top + bottom) / 2;
  return [
    ...ranks,
    element("rect", { class: "lane", x: left, y: laneTop, width: right - left, height: laneBottom - laneTop }),
    label("not ranked", { class: "tick", x: left - 10, y: (laneTop + laneBottom) / 2 + 4, "text-anchor": "end" }),
    ...days,
    label("rank in search results (less is better)", {
      class: "axis",
      x: 36,
      y: middle,
      "text-anchor": "middle",
      transform: `rotate(-90 36 ${middle})`,
    }),
    label("day of the crawl", { class: "axis", x: right + 16, y: laneBottom + 4 }),
  ].join("\n");
}

/** Hatches the days on which no device was requested; the legend uses the same hatching. */
export function notRequested({ window, x, step }: RankPlot, series: readonly RankSeries[]): string {
  const missing = daysOf(window).filter((day) => series.every(({ ranks }) => !ranks.has(day)));
  const { top, laneBottom } = size;
  const hatch = element(
    "pattern",
    { id: "hatch", width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    element("path", { class: "hatch", d: "M3 0V6" }),
  );
  const bands = stretches(missing).map((stretch) =>
    element("rect", {
      fill: "url(#hatch)",
      x: x(stretch.start) - step / 2,
      y: top - 8,
      width: windowLength(stretch) * step,
      height: laneBottom - top + 8,
    }),
  );
  return element("defs", {}, hatch) + bands.join("");
}

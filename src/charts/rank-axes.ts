import { daysOf, stretches, windowLength } from "../core/window.ts";
import { dayTicks } from "./day-axis.ts";
import { size, type RankPlot, type RankSeries } from "./rank-plot.ts";
import { element, label } from "./svg.ts";

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

/** Hatches the days on which no device was asked for; the legend uses the same hatching. */
export function notAsked({ window, x, step }: RankPlot, series: readonly RankSeries[]): string {
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

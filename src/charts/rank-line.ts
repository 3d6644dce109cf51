import type { Day } from "../core/day.ts";
import { daysOf } from "../core/window.ts";
import { deviceName, letterOf, mark } from "./rank-marks.ts";
import { size, type RankPlot, type RankSeries } from "./rank-plot.ts";
import { element, label, rounded } from "./svg.ts";

type Point = { readonly day: Day; readonly rank: number };

/** Marks keep so far apart: closer ones would hide the line. */
const marksApart = 22;

/** The line of one device, broken wherever a day has no rank, and its days without rank in the lane below. */
export function rankLine({ device, ranks }: RankSeries, plot: RankPlot, index: number): string {
  const { window, step, x, y } = plot;
  const stretches = unbroken(ranks, daysOf(window));
  const every = Math.ceil(marksApart / step);
  const paths = stretches
    .filter(({ length }) => length > 1)
    .map((points) => {
      const places = points.map(({ day, rank }) => `${rounded(x(day))} ${rounded(y(rank))}`);
      return element("path", { class: `line ${letterOf(index)}`, d: `M${places.join("L")}` });
    });
  const marked = stretches.flatMap((points) =>
    points.filter((_, place) => place % every === 0 || place === points.length - 1),
  );
  const lane = (size.laneTop + size.laneBottom) / 2 + (index - 0.5) * 9;
  const unranked = daysOf(window).filter((day) => ranks.get(day) === null);
  return element(
    "g",
    {},
    element("title", {}, deviceName(device)),
    ...paths,
    ...marked.map(({ day, rank }) => mark(index, { x: x(day), y: y(rank) })),
    ...unranked.map((day) => mark(index, { x: x(day), y: lane }, true)),
  );
}

/** The ranks as stretches of days that follow one another. */
function unbroken(ranks: RankSeries["ranks"], days: readonly Day[]): readonly (readonly Point[])[] {
  const found: Point[][] = [];
  let isOpen = false;
  for (const day of days) {
    const rank = ranks.get(day) ?? null;
    if (rank !== null && isOpen) found.at(-1)?.push({ day, rank });
    else if (rank !== null) found.push([{ day, rank }]);
    isOpen = rank !== null;
  }
  return found;
}

/** Space between two labels, so that they do not lie on each other. */
const apart = 17;

/** The newest rank of each device beside the end of its line, and where it stood before. */
export function endLabels(series: readonly RankSeries[], { y }: RankPlot): string {
  const ends = series
    .map(({ device, ranks }) => ({ device, rank: newest(ranks) }))
    .filter(({ rank }) => rank !== null)
    .sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0));
  let free = Number.NEGATIVE_INFINITY;
  const labels = ends.map(({ device, rank }) => {
    const at = Math.max(y(rank ?? 1) + 4, free + apart);
    free = at;
    return label(`#${rank} ${deviceName(device)}`, { class: "note", x: size.right + 16, y: at });
  });
  return element("g", {}, ...labels);
}

function newest(ranks: RankSeries["ranks"]): number | null {
  const known = [...ranks].filter(([, rank]) => rank !== null).sort(([a], [b]) => (a < b ? -1 : 1));
  return known.at(-1)?.[1] ?? null;
}

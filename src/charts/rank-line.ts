import type { Day } from "../core/day.ts";
import { daysOf } from "../core/window.ts";
import { element, label, rounded, widthOf } from "./picture.ts";
import { type RankPlot, type RankSeries, size } from "./rank-plot.ts";

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

/** The ranks as runs of consecutive days. */
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

/** The names of devices; others are shown by their code. */
const names: Readonly<Record<string, string>> = { IPHONE: "iPhone", IPAD: "iPad", ALL: "all devices" };

/** How a device is called in a picture. */
export function deviceName(code: string): string {
  return names[code] ?? code;
}

/** Lines differ by dash and mark as well as by colour, so that they differ in black and white. */
export const style = `.line{fill:none;stroke-width:2.25;stroke-linejoin:round;stroke-linecap:round}.a{stroke:#0072b2}.b{stroke:#d55e00;stroke-dasharray:7 4}.c{stroke:#009e73;stroke-dasharray:2 4}
.ma{fill:#0072b2}.mb{fill:#d55e00}.mc{fill:#009e73}.mark{stroke:#fff;stroke-width:1.25}.open{fill:none;stroke-width:1.75}.oa{stroke:#0072b2}.ob{stroke:#d55e00}.oc{stroke:#009e73}
.hatch{stroke:#c4ccd4;stroke-width:1.5}.lane{fill:#8c959f;fill-opacity:.1}.halo{stroke:#fff;stroke-width:4;paint-order:stroke;stroke-linejoin:round}
`;
export const dark = `.a,.oa{stroke:#56b4e9}.ma{fill:#56b4e9}.b,.ob{stroke:#e69f00}.mb{fill:#e69f00}.c,.oc{stroke:#2bc79a}.mc{fill:#2bc79a}.mark{stroke:#0d1117}.hatch{stroke:#3d444d}.halo{stroke:#0d1117}
`;

const letters = ["a", "b", "c"] as const;

/** The letter of a device's style: its place in the list. */
function letterOf(index: number): string {
  return letters[index % letters.length] ?? "a";
}

/** The mark of a day: a circle, a square or a diamond by device; hollow where nothing is ranked. */
function mark(index: number, at: { readonly x: number; readonly y: number }, isOpen = false): string {
  const { x, y } = at;
  const letter = letterOf(index);
  const looks = isOpen ? `open o${letter}` : `mark m${letter}`;
  // the square is drawn over the circle, which is seen behind it where both devices have one rank
  const r = 3.25;
  if (letter === "a") return element("circle", { class: looks, cx: x, cy: y, r: isOpen ? r : 5.25 });
  if (letter === "b") return element("rect", { class: looks, x: x - r, y: y - r, width: 2 * r, height: 2 * r });
  const [left, right, up, down] = [x - 4.5, x + 4.5, y - 4.5, y + 4.5].map(rounded);
  return element("path", {
    class: looks,
    d: `M${left} ${rounded(y)}L${rounded(x)} ${up}L${right} ${rounded(y)}L${rounded(x)} ${down}Z`,
  });
}

/** What lines and marks mean, in one line. */
export function rankLegend(devices: readonly string[], { x, y }: { readonly x: number; readonly y: number }): string {
  let at = x;
  const parts: string[] = [];
  const add = (sign: readonly string[], text: string, signWidth: number) => {
    parts.push(...sign, label(text, { class: "note", x: at + signWidth + 8, y }));
    at += signWidth + 8 + widthOf(text) * 12 + 26;
  };
  for (const [index, device] of devices.entries()) {
    const path = element("path", { class: `line ${letterOf(index)}`, d: `M${rounded(at)} ${y - 4}h34` });
    add([path, mark(index, { x: at + 17, y: y - 4 })], deviceName(device), 34);
  }
  const open = devices.map((_, index) => mark(index, { x: at + 5 + index * 12, y: y - 4 }, true));
  add(open, "requested, not ranked", 12 * devices.length);
  const box = element("rect", { fill: "url(#hatch)", class: "boxed", x: at, y: y - 11, width: 22, height: 14 });
  add([box], "not requested", 22);
  return element("g", {}, ...parts);
}

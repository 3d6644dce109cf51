import { addDays, type Day, daysBetween } from "../core/day.ts";
import { daysOf, type Window } from "../core/window.ts";
import { type CellCounts, type CellState, sumOfCells } from "../plan/cell-states.ts";
import { monthName, weekday, windowWords } from "./day-axis.ts";
import { element, isolated, label, margin, picture, rounded, widthOf } from "./picture.ts";

/** What a calendar shows: the cells of each day by state. `about` in words: the app and the country, or all. */
export type CoverageChart = {
  readonly dataset: string;
  readonly about: string;
  readonly window: Window;
  readonly days: ReadonlyMap<Day, CellCounts>;
};

const left = margin + 40;
const top = 118;
/** A year and a day touch so many weeks at most: longer calendars go on below. */
const mostWeeks = 53;

/** A calendar's measures: how far squares are apart, how many weeks stand side by side, and its width. */
type Grid = { readonly step: number; readonly cell: number; readonly width: number; readonly firstWeek: Day };

function gridOf({ start, end }: Window): Grid {
  const firstWeek = addDays(start, -weekday(start));
  const weeks = Math.min(mostWeeks, Math.ceil(daysBetween(firstWeek, end) / 7));
  const step = Math.max(17, Math.min(26, Math.floor(910 / weeks)));
  return { step, cell: step - 2, width: Math.max(720, left + weeks * step + margin), firstWeek };
}

/** A calendar of coverage as an SVG file: a column a week, a square a day in the style of the worst of its cells. */
export function coverageChart({ dataset, about, window, days }: CoverageChart): string {
  const grid = gridOf(window);
  const used = dayStyles.filter((style) => [...days.values()].some((cells) => styleOf(cells) === style));
  const blocks = [...Map.groupBy(daysOf(window), (day) => Math.floor(weekOf(day, grid) / mostWeeks))];
  const blockHeight = 7 * grid.step + 44;
  const legend = legendOf(used, top + blocks.length * blockHeight, grid.width);
  return picture(
    {
      width: grid.width,
      height: legend.bottom + 44,
      title: { before: "Coverage of ", name: dataset, after: "" },
      subtitle: { before: "", name: about, after: ` · ${windowWords(window)}` },
      description: `Calendar of ${windowWords(window)} for ${dataset}, ${isolated(about)}. ${inWords(window, days)}`,
      style,
      dark,
    },
    ...blocks.map(([index, of]) => block({ of, days }, grid, top + index * blockHeight)),
    legend.text,
    label("A square is a day and shows the worst of its cells (app, country and keyword).", {
      class: "sub",
      x: margin,
      y: legend.bottom + 26,
    }),
  );
}

function weekOf(day: Day, { firstWeek }: Grid): number {
  return Math.floor(daysBetween(firstWeek, day) / 7);
}

type Block = { readonly of: readonly Day[]; readonly days: CoverageChart["days"] };

function block({ of, days }: Block, grid: Grid, y: number): string {
  const { step, cell } = grid;
  const x = (day: Day) => left + (weekOf(day, grid) % mostWeeks) * step;
  const row = (index: number) => y + index * step;
  const names = of.filter((day, index) => day.endsWith("-01") || index === 0);
  // a month of which only the last days are there has no room for its name
  const named = names.filter((day, index) => index > 0 || names[1] === undefined || x(names[1]) - x(day) >= 64);
  return element(
    "g",
    {},
    ...named.map((day, index) =>
      label(`${monthName(day)}${index === 0 || day.slice(5, 7) === "01" ? ` ${day.slice(0, 4)}` : ""}`, {
        class: "tick",
        x: x(day),
        y: y - 8,
      }),
    ),
    ...["Mon", "", "Wed", "", "Fri", "", "Sun"].map((name, index) =>
      name === "" ? "" : label(name, { class: "tick", x: margin, y: row(index) + cell / 2 + 4 }),
    ),
    ...of.map((day) => square(day, days.get(day), { x: x(day), y: row(weekday(day)), cell })),
  );
}

type Place = { readonly x: number; readonly y: number; readonly cell: number };

function square(day: Day, cells: CellCounts | undefined, place: Place): string {
  const style = styleOf(cells);
  if (style === null) return "";
  const counts = Object.entries(cells ?? {}).map(([state, count]) => `${count} ${state}`);
  return element("g", {}, element("title", {}, `${day}: ${counts.join(", ")}`), box(style, place));
}

function box({ name, sign }: DayStyle, { x, y, cell }: Place): string {
  const body = element("rect", { class: `day f${name}`, x, y, width: cell, height: cell, rx: 3 });
  if (sign === "") return body;
  const transform = `translate(${x} ${y}) scale(${rounded(cell / 14)})`;
  return body + element("path", { class: `sign s${name}`, d: sign, transform });
}

function legendOf(
  styles: readonly DayStyle[],
  from: number,
  width: number,
): { readonly text: string; readonly bottom: number } {
  let [x, y] = [margin, from];
  const parts = styles.toReversed().flatMap((style) => {
    const long = legendCell + 8 + widthOf(style.text) * 12 + 22;
    if (x + long > width - margin) [x, y] = [margin, y + 24];
    const here = x;
    x += long;
    return [
      box(style, { x: here, y: y - 12, cell: legendCell }),
      label(style.text, { class: "note", x: here + legendCell + 8, y }),
    ];
  });
  return { text: element("g", {}, ...parts), bottom: y };
}

const legendCell = 15;

function inWords(window: Window, days: CoverageChart["days"]): string {
  const of = daysOf(window);
  const byStyle = dayStyles
    .map((style) => ({ style, count: of.filter((day) => styleOf(days.get(day)) === style).length }))
    .filter(({ count }) => count > 0);
  const cells = sumOfCells(of.map((day) => days.get(day) ?? {}));
  const reported = Object.entries(cells).map(([state, count]) => `${count} ${state}`);
  return `Days by their worst cell: ${byStyle.map(({ style, count }) => `${count} ${style.text}`).join(", ")}. Cells: ${reported.join(", ")}.`;
}

/** The days from the first to the last of which anything is known; null where nothing is. */
export function knownWindow(days: CoverageChart["days"]): Window | null {
  const known = [...days.keys()].sort();
  const [first, last] = [known[0], known.at(-1)];
  return first === undefined || last === undefined ? null : { start: first, end: addDays(last, 1) };
}

/** The style of a day by the worst of its cells: a colour, and a sign for black and white. */
export type DayStyle = {
  readonly states: readonly CellState[];
  readonly text: string;
  readonly name: string;
  readonly fill: string;
  /** Drawn over the colour, in a square from 0 to 14. */
  readonly sign: string;
  readonly ink: string;
};

const [white, black] = ["#ffffff", "#1f2328"];

/** From the worst to the best; a day has the style of the first that one of its cells is in. */
export const dayStyles: readonly DayStyle[] = [
  { states: ["failed"], text: "failed", name: "x", fill: "#d55e00", sign: "M4 4L10 10M10 4L4 10", ink: white },
  { states: ["missing"], text: "never requested", name: "m", fill: "#ffffff", sign: "M7 7h.01", ink: black },
  {
    states: ["deferred"],
    text: "waits for credits",
    name: "d",
    fill: "#f0e442",
    sign: "M3.5 8C5 5 6 5 7 7S9 9 10.5 6",
    ink: black,
  },
  {
    states: ["pending", "running"],
    text: "waits or runs",
    name: "p",
    fill: "#cc79a7",
    sign: "M5 4L10 7L5 10Z",
    ink: white,
  },
  {
    states: ["stale"],
    text: "to be requested again",
    name: "s",
    fill: "#56b4e9",
    sign: "M4.5 7a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0",
    ink: black,
  },
  { states: ["lost"], text: "lost for good", name: "t", fill: "#24292f", sign: "M4.5 4.5H9.5V9.5H4.5Z", ink: white },
  { states: ["skipped"], text: "unavailable", name: "k", fill: "#afb8c1", sign: "M4 7H10", ink: black },
  { states: ["dropped"], text: "kept no longer", name: "g", fill: "#eaeef2", sign: "M4 10L10 4", ink: black },
  { states: ["loaded"], text: "loaded", name: "l", fill: "#0072b2", sign: "", ink: white },
  { states: ["empty"], text: "requested, nothing there", name: "e", fill: "#cfe8f7", sign: "", ink: black },
];

/** The style of a day with these cells; null where nothing is known of it. */
function styleOf(cells: CellCounts | undefined): DayStyle | null {
  return dayStyles.find(({ states }) => states.some((state) => (cells?.[state] ?? 0) > 0)) ?? null;
}

/** The style sheet. */
const style = `.day{stroke:#57606a;stroke-width:.6}.sign{fill:none;stroke-width:1.7;stroke-linecap:round;stroke-linejoin:round}
${dayStyles.map(({ name, fill, ink }) => `.f${name}{fill:${fill}}.s${name}{stroke:${ink}}`).join("")}
`;
const dark = `.day{stroke:#6e7681}.fm{fill:#21262d}.sm{stroke:#f0f6fc}
`;

import { addDays, addMonths, daysBetween, monthStart, weekday, type Day } from "../core/day.ts";
import { daysOf, type Window } from "../core/window.ts";
import {
  stateWords,
  sumOfCells,
  worstFirst,
  worstState,
  type CellCounts,
  type CellState,
} from "../plan/cell-states.ts";
import type { Drawing, Library, Mark } from "./draw.ts";
import { legend } from "./legend.ts";
import { inks, stateLooks } from "./palette.ts";
import { monthWords, windowWords } from "./time.ts";
import { isolated } from "./words.ts";

/** What a calendar shows: the cells of each day by state. `about` in words: the app and the country, or all. */
export type CoverageChart = {
  readonly dataset: string;
  readonly about: string;
  readonly window: Window;
  readonly days: ReadonlyMap<Day, CellCounts>;
};

const width = 904;
/** The most months side by side, so that a square stays large enough for its sign. */
const mostMonths = 6;
/** The largest distance between squares: a calendar of one month need not fill the page. */
const largest = 44;
/** A month's size in squares: its head and six weeks by seven days, with some room before the next month. */
const block = { head: 1.5, rows: 8, columns: 7.6 };

/** A calendar of coverage: one block per month, one square per day, which looks like the worst of its cells. */
export function coverageChart({ dataset, about, window, days }: CoverageChart): Drawing {
  const months = monthsOf(window);
  const across = Math.min(mostMonths, months.length);
  const down = Math.ceil(months.length / across) * block.rows;
  const step = Math.min(largest, width / (across * block.columns - 0.6));
  const squares = daysOf(window).map((day) => squareOf(day, days.get(day), placeOf(day, months, across)));
  const below = legend(
    looksOf(squares).map((state) => ({ kind: "state", look: stateLooks[state], text: stateWords[state] }) as const),
    { below: 20, width: width },
  );
  const bottom = below.height + 48;
  return {
    width,
    height: Math.round(down * step) + bottom,
    title: { before: "Coverage of ", name: dataset, after: "" },
    subtitle: { before: "", name: about, after: ` · ${windowWords(window)}` },
    description: `Calendar of ${windowWords(window)} for ${dataset}, ${isolated(about)}. ${inWords(squares, window, days)}`,
    plot: (library) => ({
      marginTop: 0,
      marginLeft: 0,
      marginRight: width - (across * block.columns - 0.6) * step,
      marginBottom: bottom,
      x: { type: "linear", domain: [0, across * block.columns - 0.6], axis: null },
      y: { type: "linear", domain: [down, 0], axis: null },
      marks: [
        ...names(library, months, across),
        ...squareMarks(library, squares, step),
        ...below.marks(library),
        library.text(["Each square is a day and shows the worst state of its cells (app, country and keyword)."], {
          frameAnchor: "bottom-left",
          textAnchor: "start",
          dy: below.height + 34,
          fontSize: 12.5,
          fill: inks.soft.light,
        }),
      ],
    }),
  };
}

function monthsOf({ start, end }: Window): readonly Day[] {
  const months: Day[] = [];
  for (let month = monthStart(start); month < end; month = addMonths(month, 1)) months.push(month);
  return months;
}

type Place = { readonly x: number; readonly y: number };

/** The upper left corner of a day, in squares. */
function placeOf(day: Day, months: readonly Day[], across: number): Place {
  const first = monthStart(day);
  const month = cornerOf(months.indexOf(first), across);
  const week = Math.floor((daysBetween(first, day) + weekday(first)) / 7);
  return { x: month.x + weekday(day), y: month.y + block.head + week };
}

function cornerOf(index: number, across: number): Place {
  return { x: (index % across) * block.columns, y: Math.floor(index / across) * block.rows };
}

type Square = Place & { readonly state: CellState | null; readonly title: string };

function squareOf(day: Day, cells: CellCounts | undefined, place: Place): Square {
  const counts = Object.entries(cells ?? {}).map(([state, count]) => `${count} ${state}`);
  return { ...place, state: worstState(cells), title: `${day}: ${counts.join(", ") || "not requested"}` };
}

function names(library: Library, months: readonly Day[], across: number): readonly Mark[] {
  const corners = months.map((month, index) => ({ ...cornerOf(index, across), text: monthWords(month) }));
  const days = corners.flatMap(({ x, y }) =>
    ["M", "T", "W", "T", "F", "S", "S"].map((text, index) => ({ x: x + index + 0.5, y, text })),
  );
  return [
    library.text(corners, {
      x: "x",
      y: ({ y }: Place) => y + 0.45,
      text: "text",
      textAnchor: "start",
      lineAnchor: "middle",
      fontSize: 12.5,
      fontWeight: 600,
      fill: inks.text.light,
      className: "month",
    }),
    library.text(days, {
      x: "x",
      y: ({ y }: Place) => y + 1.2,
      text: "text",
      lineAnchor: "middle",
      fontSize: 9.5,
      fill: inks.soft.light,
    }),
  ];
}

function squareMarks(library: Library, squares: readonly Square[], step: number): readonly Mark[] {
  const known = squares.filter(({ state }) => state !== null);
  const inset = Math.max(1, step / 18);
  const area = {
    x1: "x",
    x2: ({ x }: Place) => x + 1,
    y1: "y",
    y2: ({ y }: Place) => y + 1,
    inset,
    rx: Math.min(3, step / 6),
    title: "title",
  } as const;
  return [
    library.rect(
      squares.filter(({ state }) => state === null),
      { ...area, fill: inks.lane.light, className: "none" },
    ),
    library.rect(known, {
      ...area,
      fill: ({ state }: Square) => stateLooks[state ?? "missing"].fill.light,
      stroke: inks.cell.light,
      strokeWidth: 0.6,
      className: "days",
    }),
    library.text(known, {
      x: ({ x }: Place) => x + 0.5,
      y: ({ y }: Place) => y + 0.5,
      text: ({ state }: Square) => stateLooks[state ?? "missing"].sign,
      fill: ({ state }: Square) => stateLooks[state ?? "missing"].ink.light,
      lineAnchor: "middle",
      fontSize: Math.min(16, step * 0.7),
      fontWeight: 700,
    }),
  ];
}

/** The states that are drawn, one for each look, from the best to the worst. */
function looksOf(squares: readonly Square[]): readonly CellState[] {
  const drawn = worstFirst.filter((state) => squares.some((square) => square.state === state));
  const looks = new Map(drawn.map((state) => [stateLooks[state], state]));
  return [...looks.values()].toReversed();
}

function inWords(squares: readonly Square[], window: Window, days: CoverageChart["days"]): string {
  const byState = Map.groupBy(squares, ({ state }) => (state === null ? "not requested" : stateWords[state]));
  const cells = sumOfCells(daysOf(window).map((day) => days.get(day) ?? {}));
  const worst = [...byState].map(([words, { length }]) => `${length} ${words}`);
  const all = Object.entries(cells).map(([state, count]) => `${count} ${state}`);
  return `Days by their worst cell: ${worst.join(", ")}. Cells: ${all.join(", ")}.`;
}

/** The days from the first to the last with a known state; null if none is known. */
export function knownWindow(days: CoverageChart["days"]): Window | null {
  const known = [...days.keys()].sort();
  const [first, last] = [known[0], known.at(-1)];
  return first === undefined || last === undefined ? null : { start: first, end: addDays(last, 1) };
}

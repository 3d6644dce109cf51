import { addDays, daysBetween, type Day } from "../core/day.ts";
import { daysOf, type Window } from "../core/window.ts";
import { sumOfCells, type CellCounts } from "../plan/cell-states.ts";
import { dark, dayLooks, lookOf, style, type DayLook } from "./coverage-states.ts";
import { monthName, weekday, windowWords } from "./day-axis.ts";
import { margin, picture } from "./picture.ts";
import { element, isolated, label, widthOf } from "./svg.ts";

/** What a calendar tells of: the cells of each day by state. `about` in words: the app and the country, or all. */
export type CoverageChart = {
  readonly dataset: string;
  readonly about: string;
  readonly window: Window;
  readonly days: ReadonlyMap<Day, CellCounts>;
};

const cell = 15;
const step = 17;
const left = margin + 36;
const firstTop = 124;
/** Seven days, the name of the months above, and air. */
const blockHeight = 7 * step + 46;
/** Fifty-four weeks touch a year. */
const width = left + 54 * step + margin;

/** A calendar of coverage as an SVG file: a block a year, a column a week, a square a day in the look of the worst of its cells. */
export function coverageChart({ dataset, about, window, days }: CoverageChart): string {
  const years = [...Map.groupBy(daysOf(window), (day) => day.slice(0, 4))];
  const used = dayLooks.filter((look) => [...days.values()].some((cells) => lookOf(cells) === look));
  const bottom = firstTop + years.length * blockHeight;
  const legend = legendOf(used, bottom);
  return picture(
    {
      width,
      height: legend.bottom + 20,
      title: `Coverage of ${dataset}`,
      subtitle: `${isolated(about)} · ${windowWords(window)} · a square is a day, in the state of the worst of its cells`,
      description: `Calendar of ${windowWords(window)} for ${dataset}, ${isolated(about)}. ${inWords(window, days)}`,
      style,
      dark,
    },
    ...years.map(([year, of], index) => yearBlock({ year, of, days }, firstTop + index * blockHeight)),
    legend.text,
  );
}

type Year = { readonly year: string; readonly of: readonly Day[]; readonly days: CoverageChart["days"] };

function yearBlock({ year, of, days }: Year, top: number): string {
  const start = `${year}-01-01` as Day;
  const column = (day: Day) => Math.floor((daysBetween(start, day) + weekday(start)) / 7);
  const squares = of.map((day) =>
    square(day, days.get(day), { x: left + column(day) * step, y: top + weekday(day) * step }),
  );
  const months = of.filter((day, index) => day.endsWith("-01") || index === 0);
  // a month that begins the picture late would lie on the name of the next one
  const named = months.filter(
    (day, index) => index > 0 || months[1] === undefined || column(months[1]) - column(day) > 2,
  );
  return element(
    "g",
    {},
    label(year, { class: "year", x: margin, y: top - 24 }),
    ...named.map((day) => label(monthName(day), { class: "tick", x: left + column(day) * step, y: top - 8 })),
    ...[0, 2, 4, 6].map((row) =>
      label(["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"][row] ?? "", {
        class: "tick",
        x: margin,
        y: top + row * step + 12,
      }),
    ),
    ...squares,
  );
}

type Place = { readonly x: number; readonly y: number };

function square(day: Day, cells: CellCounts | undefined, place: Place): string {
  const look = lookOf(cells);
  if (look === null) return "";
  const counts = Object.entries(cells ?? {}).map(([state, count]) => `${count} ${state}`);
  return element("g", {}, element("title", {}, `${day}: ${counts.join(", ")}`), box(look, place));
}

function box({ name, sign }: DayLook, { x, y }: Place): string {
  const body = element("rect", { class: `day f${name}`, x, y, width: cell, height: cell, rx: 3 });
  if (sign === "") return body;
  return body + element("path", { class: `sign s${name}`, d: sign, transform: `translate(${x + 0.5} ${y + 0.5})` });
}

function legendOf(looks: readonly DayLook[], top: number): { readonly text: string; readonly bottom: number } {
  let [x, y] = [left, top];
  const parts = looks.toReversed().flatMap((look) => {
    const long = cell + 8 + widthOf(look.text) * 12 + 22;
    if (x + long > width - margin) [x, y] = [left, y + 24];
    const here = x;
    x += long;
    return [box(look, { x: here, y: y - 12 }), label(look.text, { class: "note", x: here + cell + 8, y })];
  });
  return { text: element("g", {}, ...parts), bottom: y };
}

function inWords(window: Window, days: CoverageChart["days"]): string {
  const of = daysOf(window);
  const byLook = dayLooks
    .map((look) => ({ look, count: of.filter((day) => lookOf(days.get(day)) === look).length }))
    .filter(({ count }) => count > 0);
  const cells = sumOfCells(of.map((day) => days.get(day) ?? {}));
  const told = Object.entries(cells).map(([state, count]) => `${count} ${state}`);
  return `Days by their worst cell: ${byLook.map(({ look, count }) => `${count} ${look.text}`).join(", ")}. Cells: ${told.join(", ")}.`;
}

/** The days from the first to the last of which anything is known; null where nothing is. */
export function knownWindow(days: CoverageChart["days"]): Window | null {
  const known = [...days.keys()].sort();
  const [first, last] = [known[0], known.at(-1)];
  return first === undefined || last === undefined ? null : { start: first, end: addDays(last, 1) };
}

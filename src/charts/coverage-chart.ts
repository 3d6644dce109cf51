import { addDays, daysBetween, type Day } from "../core/day.ts";
import { daysOf, type Window } from "../core/window.ts";
import { sumOfCells, type CellCounts } from "../plan/cell-states.ts";
import { dark, dayLooks, lookOf, style, type DayLook } from "./coverage-states.ts";
import { monthName, weekday, windowWords } from "./day-axis.ts";
import { margin, picture } from "./picture.ts";
import { element, isolated, label, rounded, widthOf } from "./svg.ts";

/** What a calendar tells of: the cells of each day by state. `about` in words: the app and the country, or all. */
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

/** A calendar of coverage as an SVG file: a column a week, a square a day in the look of the worst of its cells. */
export function coverageChart({ dataset, about, window, days }: CoverageChart): string {
  const grid = gridOf(window);
  const used = dayLooks.filter((look) => [...days.values()].some((cells) => lookOf(cells) === look));
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
    label("A square is a day and shows the worst of its cells: who is asked about, and for which keyword.", {
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
  const look = lookOf(cells);
  if (look === null) return "";
  const counts = Object.entries(cells ?? {}).map(([state, count]) => `${count} ${state}`);
  return element("g", {}, element("title", {}, `${day}: ${counts.join(", ")}`), box(look, place));
}

function box({ name, sign }: DayLook, { x, y, cell }: Place): string {
  const body = element("rect", { class: `day f${name}`, x, y, width: cell, height: cell, rx: 3 });
  if (sign === "") return body;
  const transform = `translate(${x} ${y}) scale(${rounded(cell / 14)})`;
  return body + element("path", { class: `sign s${name}`, d: sign, transform });
}

function legendOf(
  looks: readonly DayLook[],
  from: number,
  width: number,
): { readonly text: string; readonly bottom: number } {
  let [x, y] = [margin, from];
  const parts = looks.toReversed().flatMap((look) => {
    const long = legendCell + 8 + widthOf(look.text) * 12 + 22;
    if (x + long > width - margin) [x, y] = [margin, y + 24];
    const here = x;
    x += long;
    return [
      box(look, { x: here, y: y - 12, cell: legendCell }),
      label(look.text, { class: "note", x: here + legendCell + 8, y }),
    ];
  });
  return { text: element("g", {}, ...parts), bottom: y };
}

const legendCell = 15;

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

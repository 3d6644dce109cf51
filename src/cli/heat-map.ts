import { addDays, type Day } from "../core/day.ts";
import { noBreak } from "../core/text-width.ts";
import { stateWords, worstFirst, worstState, type CellCounts, type CellState } from "../plan/cell-states.ts";

/** The sign of a day is that of the worst of its cells. */
const signs: Readonly<Record<CellState, string>> = {
  loaded: "#",
  empty: "_",
  skipped: "-",
  stale: "o",
  pending: ">",
  running: ">",
  deferred: "~",
  missing: ".",
  dropped: "d",
  failed: "x",
  lost: "L",
};

/** What the signs of a heat map mean. */
export const heatMapLegend = [
  ...new Set(Object.entries(signs).map(([state, sign]) => `${sign} ${stateWords[state as CellState]}`)),
]
  // a line break never separates a sign from its meaning
  .map((line) => line.replaceAll(" ", noBreak))
  .join("  ")
  .concat(
    `\nA day shows the sign of its worst cell: ${[...new Set(worstFirst.map((state) => signs[state]))].join(" ").replace(" ", " before ")}`,
  );

/** A calendar with one line per month and one sign per day, from the first of these days to the last; empty if there is none. */
export function heatMap(days: ReadonlyMap<Day, CellCounts>): string {
  const known = [...days.keys()].sort();
  const [first, last] = [known[0], known.at(-1)];
  if (first === undefined || last === undefined) return "";
  const months = new Map<string, string>();
  for (let day: Day = first; day <= last; day = addDays(day, 1)) {
    const month = day.slice(0, 7);
    const before = months.get(month) ?? " ".repeat(Number(day.slice(8)) - 1);
    months.set(month, before + signOf(days.get(day)));
  }
  return [...months].map(([month, line]) => `${month}  ${line}`.trimEnd()).join("\n");
}

function signOf(cells: CellCounts | undefined): string {
  const state = worstState(cells);
  return state === null ? " " : signs[state];
}

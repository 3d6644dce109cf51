import { addDays, type Day } from "../core/day.ts";
import { noBreak } from "../core/text-width.ts";
import type { CellCounts, CellState } from "../plan/cell-states.ts";

/** What stands for a day: the sign of the worst of its cells. */
const signs: readonly (readonly [CellState, string])[] = [
  ["failed", "x"],
  ["lost", "L"],
  ["missing", "."],
  ["deferred", "~"],
  ["pending", ">"],
  ["running", ">"],
  ["stale", "o"],
  ["skipped", "-"],
  ["loaded", "#"],
  ["dropped", "d"],
  ["empty", "_"],
];

/** What the signs of a heat map mean. */
export const legend = [
  "# loaded",
  "_ empty",
  "- unavailable",
  "o to be requested again",
  "> waits or runs",
  "~ waits for credits",
  ". never requested",
  "d dropped",
  "x failed",
  "L lost for good",
  // a sign stays beside its meaning where the line is broken
]
  .map((sign) => sign.replaceAll(" ", noBreak))
  .join("  ")
  .concat("\nA day has the sign of its worst cell: x before L . ~ > o - # d _");

/** A calendar with a line a month and a sign a day, from the first day to the last one of these; empty when there is none. */
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
  return signs.find(([state]) => (cells?.[state] ?? 0) > 0)?.[1] ?? " ";
}

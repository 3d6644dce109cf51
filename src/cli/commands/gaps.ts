import { type Command, Option } from "commander";
import { addDays, type Day } from "../../core/day.ts";
import { type CellCounts, type CellState, cellStates, sumOfCells } from "../../plan/cell-states.ts";
import { daysOf, type ScopeCoverage } from "../../planner/gaps.ts";
import { collect } from "../arguments.ts";
import { withApp } from "../with-app.ts";
import { type GapOptions, scopeCoverageFor } from "../gap-options.ts";
import { count, print, printJson } from "../output.ts";
import { addSyncOptions } from "../sync-options.ts";
import { table } from "../table.ts";

/** `storehouse gaps`: which cells are loaded, which wait, which failed and which were never requested. */
export function defineGaps(command: Command): void {
  addSyncOptions(command)
    .addOption(
      new Option("--app <id>", "only this app; may be repeated").argParser(collect).default([], "the whole portfolio"),
    )
    .addOption(
      new Option("--country <code>", "only this country; may be repeated")
        .argParser(collect)
        .default([], "the whole portfolio"),
    )
    .option("--json", "as JSON: every dataset, app, country and day")
    .addHelpText(
      "after",
      "\nWhat was requested is also in SQL: ops.coverage_daily, without the days that were never requested.",
    )
    .action((options: GapOptions) =>
      withApp(async (app) => {
        const coverage = await scopeCoverageFor(app, options);
        if (options.json) printJson(coverage.map((one) => ({ ...one, days: Object.fromEntries(one.days) })));
        else printCoverage(coverage);
      }, options.asOf),
    );
}

/** Rows of the table at most: what is left out is said. */
const most = 60;

function printCoverage(coverage: readonly ScopeCoverage[]): void {
  if (coverage.length === 0) {
    print(
      "The portfolio has no such cell. `storehouse datasets` names the datasets, `storehouse sync` reads the portfolio.",
    );
    return;
  }
  const shown = coverage.slice(0, most);
  const all = sumOfCells(coverage.flatMap(({ days }) => [...days.values()]));
  const states = cellStates.filter((state) => (all[state] ?? 0) > 0);
  print(table(["dataset", "store", "app", "country", "from", "to", ...states], shown.map(rowOf(states))));
  if (shown.length < coverage.length)
    print(
      `... and ${count(coverage.length - shown.length)} more: narrow it by --dataset, --app, --country, or see --json.`,
    );
  for (const [dataset, same] of Map.groupBy(coverage, (one) => one.dataset))
    print(`\n${dataset}\n${heatMap(daysOf(same))}`);
  print(`\n${legend}\nA day has the sign of its worst cell: x before . ~ > o - # d _`);
}

function rowOf(states: readonly CellState[]) {
  return ({ dataset, store, trackId, country, days }: ScopeCoverage) => {
    const cells = sumOfCells(days.values());
    const known = [...days.keys()];
    return [dataset, store, trackId, country, known[0], known.at(-1), ...states.map((state) => cells[state] ?? 0)];
  };
}

/** What stands for a day: the sign of the worst of its cells. */
const signs: readonly (readonly [CellState, string])[] = [
  ["failed", "x"],
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

/** What the signs of a heat map mean, in one line. */
const legend =
  "# loaded  _ empty  - unavailable  o to be requested again  > waits or runs  ~ waits for credits  . never requested  d dropped  x failed";

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

import { Option, type Command } from "commander";
import { daysOf, type Standing } from "../../ingest/gaps.ts";
import { cellStates, sumOfCells, type CellState } from "../../plan/cell-states.ts";
import { collect } from "../arguments.ts";
import { withApp } from "../environment.ts";
import { heatMap, legend } from "../heat-map.ts";
import { count, print, printJson } from "../output.ts";
import { standingsFor, type StandingOptions } from "../standings.ts";
import { addSyncOptions } from "../sync-options.ts";
import { table } from "../table.ts";

/** `storehouse gaps`: which cells are there, which wait, which failed and which nobody asked for. */
export function addGaps(program: Command): void {
  addSyncOptions(
    program
      .command("gaps")
      .description("show the cells of each dataset by state, as a table and a calendar; writes and spends nothing"),
  )
    .addOption(
      new Option("--app <id>", "only this app; may be repeated").argParser(collect).default([], "all followed"),
    )
    .addOption(
      new Option("--country <code>", "only this country; may be repeated")
        .argParser(collect)
        .default([], "all followed"),
    )
    .option("--json", "as JSON: every dataset, app, country and day")
    .addHelpText(
      "after",
      "\nWhat was asked for is also in SQL: ops.coverage_daily, without the days that nobody asked for.",
    )
    .action((options: StandingOptions) =>
      withApp(async (app) => {
        const standings = await standingsFor(app, options);
        if (options.json) printJson(standings.map((one) => ({ ...one, days: Object.fromEntries(one.days) })));
        else printStandings(standings);
      }, options.asOf),
    );
}

/** Rows of the table at most: what is left out is said. */
const most = 60;

function printStandings(standings: readonly Standing[]): void {
  if (standings.length === 0) {
    print(
      "No such cell is followed. `storehouse datasets` names the datasets, `storehouse sync` reads what is followed.",
    );
    return;
  }
  const shown = standings.slice(0, most);
  const all = sumOfCells(standings.flatMap(({ days }) => [...days.values()]));
  const states = cellStates.filter((state) => (all[state] ?? 0) > 0);
  print(table(["dataset", "store", "app", "country", "from", "to", ...states], shown.map(rowOf(states))));
  if (shown.length < standings.length)
    print(
      `... and ${count(standings.length - shown.length)} more: narrow it by --dataset, --app, --country, or see --json.`,
    );
  for (const [dataset, same] of Map.groupBy(standings, (one) => one.dataset))
    print(`\n${dataset}\n${heatMap(daysOf(same))}`);
  print(`\n${legend}\nA day has the sign of its worst cell: x before . ~ > o - # _`);
}

function rowOf(states: readonly CellState[]) {
  return ({ dataset, store, trackId, country, days }: Standing) => {
    const cells = sumOfCells(days.values());
    const known = [...days.keys()];
    return [dataset, store, trackId, country, known[0], known.at(-1), ...states.map((state) => cells[state] ?? 0)];
  };
}

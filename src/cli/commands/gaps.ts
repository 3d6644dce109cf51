import { type Command, InvalidArgumentError } from "commander";
import { readAppNames } from "../../ledger/read-app-names.ts";
import { type CellState, cellStates, sumOfCells } from "../../plan/cell-states.ts";
import { cellsOfScopes, type ScopeCoverage } from "../../planner/gaps.ts";
import { collect, several } from "../arguments.ts";
import { appWords } from "../../core/about.ts";
import { dayRange } from "../day-range.ts";
import { gapLines, gapStates, type GapLine } from "../../planner/gap-lines.ts";
import { earlierGapSteps, gapSteps } from "../gap-steps.ts";
import { heatMap, heatMapLegend } from "../heat-map.ts";
import { withApp } from "../with-app.ts";
import { type GapOptions, scopeCoverageFor } from "../gap-options.ts";
import { print, printJson } from "../output.ts";
import { count } from "../../core/words.ts";
import type { ReportedCells } from "../../ledger/reported-cells.ts";
import { noEarlierGaps, readEarlierGaps, type EarlierGaps } from "../../planner/earlier-gaps.ts";
import type { SyncRequest } from "../../planner/request.ts";
import { readReported, reportedIn, sumReported } from "../../planner/reported-cells.ts";
import { reportedWords } from "../reported-words.ts";
import { addSyncOptions, requestOf } from "../sync-options.ts";
import { table } from "../table.ts";

/** `storehouse gaps`: which cells are missing, and where. */
export function defineGaps(command: Command): void {
  addSyncOptions(command)
    .addOption(several("--app <id>", "only this app", "the whole portfolio"))
    .addOption(several("--country <code>", "only this country", "the whole portfolio"))
    .addOption(
      several(
        "--state <state>",
        "show cells in this state instead of missing ones",
        gapStates.join(", "),
        stateArgument,
      ),
    )
    .option("--json", "as JSON: every dataset, app, country and day")
    .addHelpText("after", "\nIn SQL, ops.coverage_daily has the same, except for days that were never requested.")
    .action((options: GapOptions & { readonly state: readonly CellState[] }) =>
      withApp(async (app) => {
        const coverage = await scopeCoverageFor(app, options);
        const states = options.state;
        const shown = states.length === 0 ? coverage : gapLines(coverage, states).map((line) => line.coverage);
        const { db } = app.warehouse;
        const request = requestOf(app, options);
        const reported = reportedIn(await readReported(db, { request, settings: app.config.settings }), coverage);
        if (options.json) printJson(shown.map((one) => withReported(one, reported)));
        else {
          const named = { apps: options.app, countries: options.country };
          const earlier =
            states.length > 0 ? noEarlierGaps : await readEarlierGaps(db, { request, named }, app.config.settings);
          // without --from only the days that a sync loads are shown, and open slices of a backfill may be about earlier ones
          const none = options.from === undefined ? "Nothing that a sync requests is missing" : "Nothing is missing";
          const { dataset: datasets } = options;
          printCoverage(coverage, {
            states,
            datasets,
            names: await readAppNames(db, coverage),
            none,
            reported,
            earlier,
          });
        }
      }, options.asOf),
    );
}

/** The most rows of the table; a line says how many are left out. */
const most = 30;

type Shown = { readonly states: readonly CellState[]; readonly names: ReadonlyMap<string, string> };

/** The message if no cell is missing. */
type None = { readonly none: string };

/** What is printed below the table: cells that other answers reported, and days that no sync reaches. */
type Beside = { readonly reported: readonly ReportedCells[]; readonly earlier: EarlierGaps };

/** A coverage as JSON: its days, and the cells that other answers reported, by source. */
function withReported(one: ScopeCoverage, reported: readonly ReportedCells[]) {
  const own = Map.groupBy(reportedIn(reported, [one]), ({ source }) => source);
  const bySource = [...own].map(([source, cells]) => [
    source,
    Object.fromEntries(cells.map((of) => [of.day, of.cells])),
  ]);
  return { ...one, days: Object.fromEntries(one.days), reportedBy: Object.fromEntries(bySource) };
}

function printCoverage(
  coverage: readonly ScopeCoverage[],
  { states, datasets, names, none, reported, earlier }: Shown & None & Beside & Pick<SyncRequest, "datasets">,
): void {
  if (coverage.length === 0) {
    print(
      "The portfolio has no such cell. `storehouse datasets` lists the datasets, `storehouse sync` reads the portfolio.",
    );
    return;
  }
  const lines = gapLines(coverage, states.length === 0 ? gapStates : states);
  const sum = sumOfCells(coverage.flatMap(({ days }) => [...days.values()]));
  const all = cellStates
    .flatMap((state) => (sum[state] === undefined ? [] : [`${count(sum[state])} ${state}`]))
    .join(", ");
  const sources = reportedWords(sumReported(reported));
  const steps = earlierGapSteps(earlier);
  if (lines.length === 0) {
    print(
      [`${states.length === 0 ? none : `No cell is ${states.join(" or ")}`}: ${all}.`, ...sources, ...steps].join("\n"),
    );
    return;
  }
  print(lineTable(lines.slice(0, most), { states, names }));
  if (lines.length > most)
    print(
      `... and ${count(lines.length - most)} more: narrow the list with --dataset, --app or --country, or use --json.`,
    );
  print([`\nAll cells: ${all}.`, ...sources, ...gapSteps(lines, datasets), ...steps].join("\n"));
  const shown = Map.groupBy(
    lines.map((line) => line.coverage),
    (one) => one.dataset,
  );
  for (const [dataset] of shown)
    print(`\n${dataset}\n${heatMap(cellsOfScopes(coverage.filter((one) => one.dataset === dataset)))}`);
  print(`\n${heatMapLegend}`);
}

function lineTable(lines: readonly GapLine[], { states, names }: Shown): string {
  // a state without cells gets no column
  const wanted = states.length === 0 ? gapStates : states;
  const columns = wanted.filter((state) => lines.some(({ cells }) => (cells[state] ?? 0) > 0));
  return table(
    ["dataset", "app", "country", ...columns, "days"],
    lines.map(({ coverage: { dataset, store, trackId, country }, cells, first, last }) => [
      dataset,
      appWords(trackId, names.get(`${store}:${trackId}`) ?? null) ?? store,
      country,
      ...columns.map((state) => cells[state] ?? 0),
      dayRange(first, last),
    ]),
  );
}

/** One state of `--state`, or several with commas. */
function stateArgument(text: string, previous: readonly CellState[]): readonly CellState[] {
  const named = collect(text, previous);
  const unknown = named.find((name) => !cellStates.some((state) => state === name));
  if (unknown !== undefined) throw new InvalidArgumentError(`Allowed are ${cellStates.join(", ")}.`);
  return cellStates.filter((state) => named.includes(state));
}

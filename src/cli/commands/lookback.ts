import { Option, type Command } from "commander";
import { lookbackWords } from "../../plan/lookback-words.ts";
import { readLookbacks, type AgeLine, type DatasetLookback } from "../../planner/lookback.ts";
import { collect } from "../arguments.ts";
import { count, print, printJson } from "../output.ts";
import { optional, table } from "../table.ts";
import { withApp } from "../with-app.ts";

/** `storehouse lookback`: for how long figures move after their day. */
export function defineLookback(command: Command): void {
  command
    .addOption(
      new Option("--dataset <name>", "only this dataset; may be repeated")
        .argParser(collect)
        .default([], "those whose figures are compared"),
    )
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      "\nFrom what nights have requested again in the last 90 days. `lookback: learned` under a dataset requests only days that still move, and all of the fixed lookback one night in fourteen.",
    )
    .action((options: { readonly dataset: readonly string[]; readonly json?: true }) =>
      withApp(async ({ config: { settings }, clock, warehouse: { db } }) => {
        const found = await readLookbacks(db, { settings, today: clock.today(), names: options.dataset });
        if (options.json) printJson(found);
        else for (const [index, one] of found.entries()) printLookback(one, index > 0);
      }),
    );
}

function printLookback({ dataset, fixedDays, isLearned, learned, ages }: DatasetLookback, isNext: boolean): void {
  if (isNext) print("");
  print(`${dataset} (${isLearned ? "learned" : "fixed"})`);
  print(lookbackWords(learned, fixedDays));
  if (ages.length > 0) print(table(headings, ages.map(rowOf)));
}

const headings = ["age", "days", "moved", "rows moved", optional("amount moved"), ""];

/** A picture of a share: so many signs for all. */
const widest = 20;

function rowOf({ age, compared, moved, rows, rowsMoved, amount, amountMoved }: AgeLine) {
  const share = moved / compared;
  return [
    age,
    count(compared),
    shareWords(moved, compared),
    shareWords(rowsMoved, rows),
    shareWords(amountMoved, amount),
    "#".repeat(Math.max(moved > 0 ? 1 : 0, Math.round(widest * share))),
  ];
}

function shareWords(part: number, whole: number): string {
  return whole === 0 ? "" : `${((100 * part) / whole).toFixed(1)} %`;
}

import type { Command } from "commander";
import { readLookbacks, type AgeLine, type DatasetLookback } from "../../planner/lookback.ts";
import { several } from "../arguments.ts";
import { checkNames } from "../dataset-names.ts";
import { print, printJson } from "../output.ts";
import { withApp } from "../with-app.ts";
import { lookbackWords } from "../../plan/lookback-words.ts";
import { optional, table } from "../table.ts";

/** `storehouse lookback`: for how long figures move after their day. */
export function defineLookback(command: Command): void {
  command
    .addOption(several("--dataset <name>", "only this dataset", "those whose figures are compared"))
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      "\nBased on days that were requested again in the last 90 days. With `lookback: learned` under a dataset, a night requests only days that still change, and one night in fourteen requests the whole fixed lookback.",
    )
    .action((options: { readonly dataset: readonly string[]; readonly json?: true }) =>
      withApp(async ({ config: { settings }, clock, warehouse: { db } }) => {
        await checkNames(options.dataset);
        const found = await readLookbacks(db, { settings, today: clock.today(), names: options.dataset });
        if (options.json) printJson(found);
        else if (found.length === 0)
          print("There are no figures to compare for these datasets: their days are not requested again.");
        else print(lookbackReports(found));
      }),
    );
}

/** The reports of some datasets, with an empty line between them. */
export function lookbackReports(found: readonly DatasetLookback[], columns?: number): string {
  return found.map((one) => lookbackReport(one, columns)).join("\n\n");
}

/** For how long the figures of a dataset keep changing: what is learned, and a line per age with a picture of the share that changed. */
function lookbackReport({ dataset, fixedDays, isLearned, learned, ages }: DatasetLookback, columns?: number): string {
  const lines = [`${dataset} (${isLearned ? "learned" : "fixed"})`, lookbackWords(learned, fixedDays)];
  return [...lines, ...(ages.length > 0 ? [table(headings, ages.map(rowOf), columns)] : [])].join("\n");
}

const headings = ["age", "days", "changed", "rows changed", optional("amount changed"), ""];

/** The number of signs in a picture of the whole. */
const widest = 20;

function rowOf({ age, compared, moved, rows, rowsMoved, amount, amountMoved }: AgeLine) {
  const share = moved / compared;
  return [
    age,
    compared,
    shareWords(moved, compared),
    shareWords(rowsMoved, rows),
    shareWords(amountMoved, amount),
    "#".repeat(Math.max(moved > 0 ? 1 : 0, Math.round(widest * share))),
  ];
}

function shareWords(part: number, whole: number): string {
  return whole === 0 ? "" : `${((100 * part) / whole).toFixed(1)} %`;
}

import { type Command } from "commander";
import { readLookbacks } from "../../planner/lookback.ts";
import { several } from "../arguments.ts";
import { checkNames } from "../dataset-names.ts";
import { lookbackReports } from "../lookback-report.ts";
import { print, printJson } from "../output.ts";
import { withApp } from "../with-app.ts";

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

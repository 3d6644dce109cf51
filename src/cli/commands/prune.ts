import { type Command, InvalidArgumentError } from "commander";
import { pruneRaw } from "../../warehouse/prune.ts";
import { withApp } from "../environment.ts";
import { print, printJson } from "../output.ts";

const dayMs = 86_400_000;

/** `storehouse prune`: keep stored answers for a number of days. */
export function addPrune(program: Command): void {
  program
    .command("prune")
    .description(
      "delete stored answers of loaded slices that are older than a number of days; they cannot be replayed any more",
    )
    .requiredOption("--keep-days <number>", "days to keep", days)
    .option("--json", "as JSON")
    .action((options: { readonly keepDays: number; readonly json?: true }) =>
      withApp(async ({ warehouse, clock }) => {
        const gone = await pruneRaw(warehouse.db, clock.now() - options.keepDays * dayMs);
        if (options.json) printJson(gone);
        else
          print(
            `${gone.answers.toLocaleString("en-US")} answers deleted, ${gone.bytes.toLocaleString("en-US")} bytes.`,
          );
      }),
    );
}

function days(text: string): number {
  if (!/^\d{1,5}$/.test(text))
    throw new InvalidArgumentError("It is no number of days: write a whole number, for instance 90.");
  return Number(text);
}

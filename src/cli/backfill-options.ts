import { Option, type Command } from "commander";
import type { App } from "../app.ts";
import { fail } from "../core/errors.ts";
import type { BackfillRequest } from "../planner/backfill-request.ts";
import { reprocesses, type Reprocess } from "../plan/missing.ts";
import { creditsArgument, dayArgument, pastDayArgument, planArgument, several } from "./arguments.ts";
import { requestOf, type SyncOptions } from "./sync-options.ts";

/** The options of `storehouse backfill`. */
export type BackfillOptions = SyncOptions & {
  readonly app: readonly string[];
  readonly country: readonly string[];
  readonly reprocess: Reprocess;
  readonly newestFirst?: true;
  readonly maxCredits?: number;
  readonly dryRun?: true;
  readonly plan?: string;
  readonly cancel?: true;
  readonly yes?: true;
};

/** A plan already fixes all of these. */
const partsOfAPlan = ["dataset", "from", "to", "app", "country", "reprocess", "newestFirst", "maxCredits"];

/** Adds the options of `storehouse backfill`. */
export function addBackfillOptions(command: Command): Command {
  return command
    .addOption(several("--dataset <name>", "the dataset, even if it is off", "none"))
    .option("--from <day>", "first day, inclusive (default: start of each dataset's history)", dayArgument)
    .option("--to <day>", "last day, inclusive (default: the newest published)", dayArgument)
    .addOption(several("--app <id>", "only this app, by track id", "the whole portfolio"))
    .addOption(several("--country <code>", "only this country", "the whole portfolio"))
    .addOption(
      new Option(
        "--reprocess <which>",
        "missing: never requested or still being restated; failed: only what failed; all: everything again",
      )
        .choices(reprocesses)
        .default("missing"),
    )
    .option(
      "--newest-first",
      "run the newest days first (default: the oldest, which leave the available history first)",
    )
    .option("--max-credits <number>", "limit the plan to what fits within this many credits", creditsArgument)
    .option("--dry-run", "make, keep and print the plan, but run nothing")
    .addOption(
      new Option("--plan <number>", "run this plan exactly as it was made, or what is left of it")
        .argParser(planArgument)
        .conflicts(partsOfAPlan),
    )
    .addOption(
      new Option(
        "--cancel",
        "cancel the rest of the plan that --plan names: nothing more of it is requested",
      ).conflicts([...partsOfAPlan, "dryRun", "yes"]),
    )
    .option("--yes", "run without confirmation, at any cost")
    .option(
      "--as-of <day>",
      "the day to treat as today, also for answers about the present (default: today in UTC)",
      pastDayArgument,
    )
    .option("--json", "as JSON");
}

/** The request that the options make. Throws a UsageError when no dataset is named or a day is in the future. */
export function backfillRequestOf(app: App, options: BackfillOptions): BackfillRequest {
  const { datasets, bounds } = requestOf(app, options);
  if (datasets.length === 0) throw fail("bad_argument", { problem: "--dataset is missing: name at least one" });
  return {
    datasets,
    bounds,
    apps: options.app,
    countries: options.country,
    reprocess: options.reprocess,
    newestFirst: options.newestFirst ?? false,
    mostCredits: options.maxCredits ?? null,
  };
}

import { type Command } from "commander";
import type { App } from "../app.ts";
import type { Day } from "../core/day.ts";
import { fail } from "../core/errors.ts";
import type { SyncRequest } from "../planner/request.ts";
import { boundsOf, dayArgument, pastDayArgument, several } from "./arguments.ts";

/** The options that say what to plan or sync. */
export type SyncOptions = {
  readonly dataset: readonly string[];
  readonly from?: Day;
  readonly to?: Day;
  readonly asOf?: Day;
  readonly json?: true;
};

/** Adds `--dataset --from --to --as-of` to a command. */
export function addSyncOptions(command: Command): Command {
  return command
    .addOption(several("--dataset <name>", "only this dataset, even if it is off", "those that are on"))
    .option("--from <day>", "first day, inclusive (default: start of each dataset's history)", dayArgument)
    .option("--to <day>", "last day, inclusive (default: the newest published)", dayArgument)
    .option(
      "--as-of <day>",
      "the day to treat as today, also for answers about the present (default: today in UTC)",
      pastDayArgument,
    );
}

/** The request that the options make. Throws a UsageError when a day is in the future. */
export function requestOf(app: App, options: SyncOptions): SyncRequest {
  const today = app.clock.today();
  if (options.from !== undefined && options.from > today)
    throw fail("bad_argument", { from: options.from, today, problem: "--from is in the future" });
  if (options.to !== undefined && options.to > today)
    throw fail("bad_argument", { to: options.to, today, problem: "--to is in the future" });
  return { datasets: options.dataset, bounds: boundsOf(options), today };
}

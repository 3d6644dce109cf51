import type { Command } from "commander";
import type { Day } from "../../core/day.ts";
import { datasetNamed, datasets } from "../../datasets/all.ts";
import { replay, type Replayed } from "../../ingest/replay.ts";
import { createDimensions } from "../../warehouse/dimensions.ts";
import { createPartitions } from "../../warehouse/partitions.ts";
import { boundsOf, collect, dayArgument } from "../arguments.ts";
import { withApp } from "../environment.ts";
import { print, printJson, remark } from "../output.ts";
import { table } from "../table.ts";

type Options = {
  readonly dataset: readonly string[];
  readonly from?: Day;
  readonly to?: Day;
  readonly keepPruned?: true;
  readonly json?: true;
};

/** `storehouse replay`: rebuild tables from landed answers. */
export function addReplay(program: Command): void {
  program
    .command("replay")
    .description("rebuild tables from the answers that are stored; asks the API nothing and spends nothing")
    .option("--dataset <name>", "only this dataset; may be repeated", collect, [])
    .option("--from <day>", "first day, counted in (default: all)", dayArgument)
    .option("--to <day>", "last day, counted in (default: all)", dayArgument)
    .option(
      "--keep-pruned",
      "leave rows whose answers are stored no more as they are, and histories with such rows alone",
    )
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      "\nA dataset with tables that have no days of their own (histories, descriptions) is rebuilt whole, whatever --from and --to say.\nExit codes: 0 all rebuilt, 1 some answers do not fit (their slices are failed), 2 usage, or answers are stored no more.",
    )
    .action((options: Options) => withApp((app) => rebuild(app, options)));
}

async function rebuild({ warehouse: { db }, clock }: Parameters<Parameters<typeof withApp>[0]>[0], options: Options) {
  const wanted = options.dataset.length > 0 ? [...new Set(options.dataset)].map(datasetNamed) : datasets;
  const request = { within: boundsOf(options), keepPruned: options.keepPruned === true };
  const parts = { db, clock, dimensions: createDimensions(db), partitions: createPartitions(db) };
  const done: Replayed[] = [];
  for (const dataset of wanted) done.push(await replay(parts, dataset, request));
  if (options.json) printJson(done);
  else
    print(
      table(
        ["dataset", "slices", "rows", "not whole or unfit", "kept without answer"],
        done.map((one) => [one.dataset, one.slices, one.rows, one.unfit, one.kept]),
      ),
    );
  if (done.every(({ unfit }) => unfit === 0)) return;
  remark(
    "Some stored answers do not fit: their slices are failed. `storehouse status` says why; `storehouse retry` asks again.",
  );
  process.exitCode = 1;
}

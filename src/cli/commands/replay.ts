import type { Command } from "commander";
import type { Day } from "../../core/day.ts";
import { datasetNamed, datasets } from "../../datasets/all.ts";
import { replay, type Replayed } from "../../ingest/replay.ts";
import { createDimensions } from "../../warehouse/dimensions.ts";
import { createPartitions } from "../../warehouse/partitions.ts";
import { boundsOf, collect, dayArgument } from "../arguments.ts";
import { withApp } from "../environment.ts";
import { print, printJson } from "../output.ts";
import { table } from "../table.ts";

type Options = { readonly dataset: readonly string[]; readonly from?: Day; readonly to?: Day; readonly json?: true };

/** `storehouse replay`: rebuild tables from landed answers. */
export function addReplay(program: Command): void {
  program
    .command("replay")
    .description("rebuild tables from the answers that are stored; asks the API nothing and spends nothing")
    .option("--dataset <name>", "only this dataset; may be repeated", collect, [])
    .option("--from <day>", "first day, counted in (default: all)", dayArgument)
    .option("--to <day>", "last day, counted in (default: all)", dayArgument)
    .option("--json", "as JSON")
    .action((options: Options) =>
      withApp(async ({ warehouse: { db }, clock }) => {
        const wanted = options.dataset.length > 0 ? options.dataset.map(datasetNamed) : datasets;
        const parts = { db, clock, dimensions: createDimensions(db), partitions: createPartitions(db) };
        const done: Replayed[] = [];
        for (const dataset of wanted) done.push(await replay(parts, dataset, boundsOf(options)));
        if (options.json) printJson(done);
        else
          print(
            table(
              ["dataset", "slices", "rows", "not whole or unfit"],
              done.map((one) => [one.dataset, one.slices, one.rows, one.unfit]),
            ),
          );
      }),
    );
}

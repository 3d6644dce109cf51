import type { Command } from "commander";
import path from "node:path";
import type { Day } from "../../core/day.ts";
import { strikerOf } from "../../core/secret.ts";
import { datasetNamed, datasets } from "../../datasets/all.ts";
import { exportRaw } from "../../ingest/raw-export.ts";
import { boundsOf, dayArgument, folderArgument, onlyDatasets } from "../arguments.ts";
import { withApp } from "../environment.ts";
import { count, countOf, print, printJson } from "../output.ts";

type Options = {
  readonly out: string;
  readonly dataset: readonly string[];
  readonly from?: Day;
  readonly to?: Day;
  readonly json?: true;
};

/** `storehouse raw export`: answers of loaded slices as files. */
export function addRawExport(raw: Command): void {
  raw
    .command("export")
    .description("write the answers of loaded slices as files that `storehouse raw import` loads elsewhere")
    .requiredOption("--out <folder>", "where to; what is there already is not written again", folderArgument)
    .addOption(onlyDatasets())
    .option("--from <day>", "only windows that reach this day or later", dayArgument)
    .option("--to <day>", "only windows that start on this day or earlier", dayArgument)
    .option("--json", "as JSON")
    .action((options: Options) =>
      withApp(async ({ warehouse: { db }, config }) => {
        const wanted = options.dataset.length > 0 ? options.dataset.map(datasetNamed) : datasets;
        const done = await exportRaw(db, {
          datasets: [...new Set(wanted.map(({ name }) => name))],
          within: boundsOf(options),
          out: path.resolve(options.out),
          strike: strikerOf(config.environment.API_TOKEN ?? ""),
        });
        if (options.json) printJson(done);
        else {
          const left =
            done.leftOut > 0
              ? `; ${countOf(done.leftOut, "answer cannot be read whole and is left out", "answers cannot be read whole and are left out")}`
              : "";
          print(`${countOf(done.written, "answer")} written, ${count(done.there)} there already${left}.`);
        }
      }),
    );
}

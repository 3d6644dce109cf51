import type { Command } from "commander";
import type { App } from "../../app.ts";
import { earliestKnown, latestKnown, type Day } from "../../core/day.ts";
import { programDigest } from "../../config/program.ts";
import { datasetNamed, datasets } from "../../datasets/shared/all.ts";
import type { Dataset } from "../../datasets/shared/define-dataset.ts";
import { notStored, rebuiltDays, replay, type Replayed, type ReplayRequest } from "../../archive/replay.ts";
import { missingAnswers, type MissingAnswers } from "../../ledger/landed-slices.ts";
import { forgetReplays } from "../../ledger/replay-progress.ts";
import { createDimensions } from "../../load/dimensions.ts";
import { createPartitions } from "../../load/partitions.ts";
import { tablesByDay } from "../../planner/dataset-settings.ts";
import { boundsOf, dayArgument, onlyDatasets } from "../arguments.ts";
import { withApp } from "../with-app.ts";
import { print, printJson, remark } from "../output.ts";
import { table } from "../table.ts";
import { sumBy } from "../../core/sum.ts";

type Options = {
  readonly dataset: readonly string[];
  readonly from?: Day;
  readonly to?: Day;
  readonly keepPruned?: true;
  readonly restart?: true;
  readonly json?: true;
};

/** `storehouse replay`: rebuild tables from landed answers. */
export function defineReplay(command: Command): void {
  command
    .addOption(onlyDatasets())
    .option("--from <day>", "first day, inclusive (default: all)", dayArgument)
    .option("--to <day>", "last day, inclusive (default: all)", dayArgument)
    .option(
      "--keep-pruned",
      "do not touch rows whose answers are no longer stored, or histories that contain such rows",
    )
    .option("--restart", "start from scratch instead of continuing an interrupted replay")
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      "\nA dataset whose tables are not by day (histories, descriptions) is rebuilt whole, regardless of --from and --to.\nAn interrupted replay, started again with the same options, continues after the last month that it finished.\nExit codes: 0 all rebuilt, 1 some answers are invalid (their slices are failed), 2 usage, or answers are no longer stored.",
    )
    .action((options: Options) => withApp((app) => rebuild(app, options)));
}

async function rebuild({ warehouse: { db }, clock, config }: App, options: Options): Promise<void> {
  const wanted = options.dataset.length > 0 ? [...new Set(options.dataset)].map(datasetNamed) : datasets;
  const request = { within: boundsOf(options), keepPruned: options.keepPruned === true, program: programDigest() };
  const partitions = createPartitions(db, tablesByDay(config.settings));
  const parts = { db, clock, dimensions: createDimensions(db), partitions };
  const names = wanted.map(({ name }) => name);
  await refuseWhatIsGone(db, wanted, request);
  if (options.restart) await forgetReplays(db, names);
  const done: Replayed[] = [];
  for (const dataset of wanted) done.push(await replay(parts, dataset, request));
  await forgetReplays(db, names);
  for (const { dataset, from } of done) if (from !== undefined) remark(resumed(dataset, from));
  const touched = done.filter(({ slices, invalid, kept, from }) => slices + invalid + kept > 0 || from !== undefined);
  if (options.json) printJson(done);
  else if (touched.length === 0)
    print("No stored answer matches: there is nothing to rebuild from. `storehouse sync` fetches what is missing.");
  else
    print(
      table(
        ["dataset", "slices", "rows", "incomplete or invalid", "kept without answer"],
        touched.map((one) => [one.dataset, one.slices, one.rows, one.invalid, one.kept]),
      ),
    );
  if (done.every(({ invalid }) => invalid === 0)) return;
  remark(
    "Some stored answers are incomplete or invalid: their slices are failed. `storehouse failures` says why; `storehouse retry` requests them again.",
  );
  process.exitCode = 1;
}

function resumed(dataset: string, from: Day | null): string {
  const what = from === null ? "all of it" : `the days before ${from}`;
  return `${dataset}: an interrupted replay had already rebuilt ${what}; --restart starts from scratch.`;
}

/** Throws the error of `notStored`, with every dataset that cannot be rebuilt, before the first is. */
async function refuseWhatIsGone(
  db: App["warehouse"]["db"],
  wanted: readonly Dataset[],
  { within, keepPruned }: ReplayRequest,
): Promise<void> {
  if (keepPruned) return;
  const gone: (MissingAnswers & { readonly dataset: string })[] = [];
  for (const dataset of wanted) {
    const missing = await missingAnswers(db, dataset.name, rebuiltDays(dataset, within));
    if (missing.slices > 0) gone.push({ ...missing, dataset: dataset.name });
  }
  if (gone.length === 0) return;
  throw notStored(gone.map(({ dataset }) => dataset).join(", "), {
    slices: sumBy(gone, ({ slices }) => slices),
    folded: sumBy(gone, ({ folded }) => folded),
    from: earliestKnown(gone.map(({ from }) => from)),
    to: latestKnown(gone.map(({ to }) => to)),
  });
}

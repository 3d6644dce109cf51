import type { Command } from "commander";
import type { App } from "../../app.ts";
import type { Day } from "../../core/day.ts";
import { fail } from "../../core/errors.ts";
import { datasetNamed, datasets } from "../../datasets/shared/all.ts";
import type { Dataset } from "../../datasets/shared/define-dataset.ts";
import { rebuiltDays, replay, type Replayed, type ReplayRequest } from "../../archive/replay.ts";
import { missingAnswers, type MissingAnswers } from "../../ledger/landed-slices.ts";
import { createDimensions } from "../../load/dimensions.ts";
import { createPartitions } from "../../load/partitions.ts";
import { boundsOf, dayArgument, onlyDatasets } from "../arguments.ts";
import { withApp } from "../with-app.ts";
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
export function defineReplay(command: Command): void {
  command
    .addOption(onlyDatasets())
    .option("--from <day>", "first day, inclusive (default: all)", dayArgument)
    .option("--to <day>", "last day, inclusive (default: all)", dayArgument)
    .option(
      "--keep-pruned",
      "leave rows whose answers are stored no more as they are, and histories with such rows alone",
    )
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      "\nA dataset with tables that have no days of their own (histories, descriptions) is rebuilt whole, regardless of --from and --to.\nExit codes: 0 all rebuilt, 1 some answers do not fit (their slices are failed), 2 usage, or answers are stored no more.",
    )
    .action((options: Options) => withApp((app) => rebuild(app, options)));
}

async function rebuild({ warehouse: { db }, clock }: App, options: Options): Promise<void> {
  const wanted = options.dataset.length > 0 ? [...new Set(options.dataset)].map(datasetNamed) : datasets;
  const request = { within: boundsOf(options), keepPruned: options.keepPruned === true };
  const parts = { db, clock, dimensions: createDimensions(db), partitions: createPartitions(db) };
  await refuseWhatIsGone(db, wanted, request);
  const done: Replayed[] = [];
  for (const dataset of wanted) done.push(await replay(parts, dataset, request));
  if (options.json) printJson(done);
  else if (done.every(({ slices, invalid, kept }) => slices + invalid + kept === 0))
    print("No stored answer fits: there is nothing to rebuild from. `storehouse sync` fetches what is missing.");
  else
    print(
      table(
        ["dataset", "slices", "rows", "not whole or invalid", "kept without answer"],
        done.map((one) => [one.dataset, one.slices, one.rows, one.invalid, one.kept]),
      ),
    );
  if (done.every(({ invalid }) => invalid === 0)) return;
  remark(
    "Some stored answers do not fit: their slices are failed. `storehouse failures` says why; `storehouse retry` requests them again.",
  );
  process.exitCode = 1;
}

/** Throws `answer_pruned` with every dataset that cannot be rebuilt, before the first is. */
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
  throw fail("answer_pruned", {
    slices: gone.reduce((sum, { slices }) => sum + slices, 0),
    dataset: gone.map(({ dataset }) => dataset).join(", "),
    from: gone.map(({ from }) => from).reduce(earlier),
    to: gone.map(({ to }) => to).reduce(later),
  });
}

function earlier(a: Day | null, b: Day | null): Day | null {
  return a !== null && (b === null || a < b) ? a : b;
}

function later(a: Day | null, b: Day | null): Day | null {
  return a !== null && (b === null || a > b) ? a : b;
}

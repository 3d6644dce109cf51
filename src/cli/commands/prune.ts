import { type Command } from "commander";
import type { App } from "../../app.ts";
import { fail } from "../../core/errors.ts";
import { prunable, pruneRaw, type Pruned } from "../../raw/prune.ts";
import { canConfirm, confirm } from "../confirm.ts";
import { exitCodeUnconfirmed } from "../exit-codes.ts";
import { withWarehouse } from "../environment.ts";
import { print, printJson, remark } from "../output.ts";
import { countOf } from "../../core/words.ts";
import { stopSignal } from "../stop-signal.ts";
import { table } from "../table.ts";
import { dayMs } from "../../core/day.ts";
import { daysText } from "../../core/window.ts";
import { wholeNumber } from "../arguments.ts";

type Options = {
  readonly keepDays: number;
  readonly dryRun?: true;
  readonly yes?: true;
  readonly json?: true;
};

const days = wholeNumber({ most: 99_999, says: "It is not a number of days: write a whole number, for instance 90." });

/** `storehouse prune`: keep stored answers for a number of days. */
export function definePrune(command: Command): void {
  command
    .requiredOption("--keep-days <number>", "keep answers of this many days", days)
    .option("--dry-run", "only report what would be deleted")
    .option("--yes", "run without confirmation")
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      "\nAt a terminal it requires confirmation. Elsewhere only --keep-days 0, which leaves nothing to replay, requires --yes.\nExit codes: 0 done, 2 usage, or not confirmed, 130 interrupted.",
    )
    .action((options: Options) => withWarehouse((app) => prune(app, options)));
}

async function prune({ warehouse: { db }, clock }: App, options: Options): Promise<void> {
  const before = clock.now() - options.keepDays * dayMs;
  if (options.dryRun) {
    const would = await prunable(db, before);
    if (options.json) return printJson(would);
    return print(would.answers === 0 ? nothingOld : `${tableOf(would)}\nThey would be deleted; nothing was.`);
  }
  if (!options.yes && !(await isAgreed(options, () => prunable(db, before)))) return remark("Nothing was deleted.");
  const gone = await pruneRaw(db, before);
  if (options.json) printJson(gone);
  else if (gone.answers === 0) print(nothingOld);
  else {
    print(`${countOf(gone.answers, "answer")} deleted, ${countOf(gone.bytes, "byte")}.`);
    print(`These days can no longer be replayed: ${gone.datasets.map(daysOf).join("; ")}.`);
  }
}

const nothingOld = "No answer is that old: nothing to delete.";

async function isAgreed({ keepDays }: Options, count: () => Promise<Pruned>): Promise<boolean> {
  if (!canConfirm()) {
    if (keepDays > 0) return true;
    const problem =
      "--keep-days 0 deletes every answer of loaded and skipped slices: add --yes, or --dry-run to see them first";
    throw fail("bad_argument", { problem });
  }
  const would = await count();
  if (would.answers === 0) return true;
  remark(tableOf(would));
  using stop = stopSignal();
  if (await confirm(`Delete ${countOf(would.answers, "answer")} for good?`, stop.signal)) return true;
  process.exitCode = exitCodeUnconfirmed(stop.signal);
  return false;
}

function tableOf({ datasets }: Pruned): string {
  return table(
    ["dataset", "from", "to", "answers", "bytes"],
    datasets.map((one) => [one.dataset, one.from, one.to, one.answers, one.bytes]),
  );
}

function daysOf({ dataset, from, to }: Pruned["datasets"][number]): string {
  return `${dataset} ${daysText(from, to)}`;
}

import { triedAgainText } from "../../core/retry-times.ts";
import type { Command } from "commander";
import { accountOf, accountWords } from "../../config/config-of-account.ts";
import { commandOf } from "../../incidents/open-incidents.ts";
import { readFailures, type Failure, type Failures } from "../../ledger/failures.ts";
import { aboutText } from "../../core/about.ts";
import { dayRange } from "../day-range.ts";
import { countArgument, onlyDatasets } from "../arguments.ts";
import { checkNames } from "../dataset-names.ts";
import { withWarehouse } from "../environment.ts";
import { print, printJson, remark } from "../output.ts";
import { countOf } from "../../core/words.ts";
import { toned } from "../screen.ts";
import { optional, table, type Cell } from "../table.ts";
import { timeCell, timeText, zoneNote } from "../times.ts";
import { withoutCode } from "../../core/errors.ts";

type Options = { readonly dataset: readonly string[]; readonly limit: number; readonly json?: true };

/** `storehouse failures`: which slices failed, why, and the command that fixes them. */
export function defineFailures(command: Command): void {
  command
    .addOption(onlyDatasets())
    .option("--limit <number>", "show at most this many slices", countArgument, 100)
    .option("--json", "as JSON")
    .action((options: Options) =>
      withWarehouse(async ({ config, warehouse: { db } }) => {
        const failures = await readFailures(db, options.dataset, options.limit);
        if (failures.total === 0) await checkNames(options.dataset);
        if (!options.json) return printFailures(failures, accountOf(config.settings));
        printJson(failures.failures);
        const left = leftOutWords(failures);
        if (left !== null) remark(left);
      }),
    );
}

function printFailures({ failures, total }: Failures, own: string): void {
  if (failures.length === 0) {
    print("No slices are failed. `storehouse gaps` shows what is missing for other reasons.");
    return;
  }
  for (const same of Map.groupBy(failures, causeOf).values()) printCause(same, own);
  const left = leftOutWords({ failures, total });
  if (left !== null) print(left);
  print(zoneNote());
}

function leftOutWords({ failures, total }: Failures): string | null {
  return failures.length < total
    ? `The first ${failures.length} of ${total}: use --dataset or --limit to see others.`
    : null;
}

/** Failures with one cause and of one account are shown and fixed together. */
function causeOf({ dataset, account, code, nextTryAt }: Failure): string {
  return JSON.stringify([dataset, account, code, nextTryAt === null]);
}

function printCause(same: readonly Failure[], own: string): void {
  const [first] = same;
  if (first === undefined) return;
  const { dataset, account, code, message, sliceId } = first;
  const [nextTryAt = null] = same.flatMap((one) => one.nextTryAt ?? []).sort((a, b) => Number(a) - Number(b));
  const ofOther = account === own ? "" : ` of ${accountWords(account)}`;
  const title = `${countOf(same.length, "slice")} of ${dataset}${ofOther}: ${code}`;
  print(toned(nextTryAt === null ? "bad" : "warn", title));
  print(`  ${withoutCode(message, code)}`);
  print(`\n${tableOf(same)}\n`);
  const typed = `\`storehouse retry --dataset ${dataset} --code ${code}\``;
  const command = commandOf(account, own, typed);
  print(
    nextTryAt === null
      ? `  -> ${command} requests ${same.length === 1 ? "it" : "them"} again; \`storehouse show ${sliceId}\` shows the newest in full.\n`
      : `  -> ${triedAgainText(nextTryAt, timeText(nextTryAt))}; ${command} does so now.\n`,
  );
}

function tableOf(same: readonly Failure[]): string {
  const hasNextTry = same.some(({ nextTryAt }) => nextTryAt !== null);
  const rows = same.map((failure): readonly Cell[] => [
    failure.sliceId,
    aboutText(failure),
    dayRange(failure.firstDay, failure.lastDay),
    failure.attempts,
    failure.retryCredits,
    timeCell(failure.failedAt),
    ...(hasNextTry ? [timeCell(failure.nextTryAt)] : []),
  ]);
  const headings = ["slice", "about", "days", optional("attempts"), "retry credits", "failed"];
  return table([...headings, ...(hasNextTry ? ["next try"] : [])], rows);
}

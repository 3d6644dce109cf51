import type { App } from "../../app.ts";
import { accountOf } from "../../config/config-of-account.ts";
import { type Command } from "commander";
import type { Day } from "../../core/day.ts";
import { retryInForeground } from "../../foreground.ts";
import { isNarrowed, retried } from "../../runs/sync.ts";
import { readHeld } from "../../ledger/held-answers.ts";
import { readWaitingRetries } from "../../ledger/waiting-slices.ts";
import { reopenable, unknownSlices, type Reopened, type Reopening } from "../../ledger/reopen.ts";
import { collectCodes, collectSlices, noSuchSlice, onlyDatasets, pastDayArgument, several } from "../arguments.ts";
import { withApi, withApp } from "../with-app.ts";
import { print, printJson } from "../output.ts";
import { countOf } from "../../core/words.ts";
import { datasetsAtLeast } from "../../planner/plan-work.ts";
import { exitHelp } from "../run-report.ts";
import { guessLines } from "../step-price.ts";
import { requestOf, type SyncOptions } from "../sync-options.ts";
import { table } from "../table.ts";
import { foreground, withProgress } from "./sync.ts";
import { sumBy } from "../../core/sum.ts";

type Options = SyncOptions & {
  readonly skipped?: true;
  readonly code: readonly string[];
  readonly slice: readonly string[];
  readonly since?: Day;
  readonly dryRun?: true;
};

/** `storehouse retry`: run failed slices again. */
export function defineRetry(command: Command): void {
  command
    .addOption(onlyDatasets())
    .addOption(several("--code <code>", "only those with this error code", "all", collectCodes))
    .addOption(several("--slice <number>", "only this slice", "all", collectSlices))
    .option("--since <day>", "only those that ended on this day (UTC) or later", pastDayArgument)
    .option("--skipped", "also slices that were skipped as unavailable (400, 404)")
    .option("--dry-run", "show which slices and what they would cost, run nothing")
    .option("--json", "print the result as JSON")
    .addHelpText(
      "after",
      `\nWithout --slice, --code and --since it also continues what an earlier retry left waiting.\n${exitHelp}`,
    )
    .action((options: Options) => (options.dryRun ? preview(options) : run(options)));
}

function whichOf({ skipped, code, slice, since }: Options): Omit<Reopening, "datasets"> {
  return {
    states: skipped ? ["failed", "skipped"] : ["failed"],
    ...(code.length === 0 ? {} : { codes: code }),
    ...(slice.length === 0 ? {} : { slices: slice }),
    ...(since === undefined ? {} : { since }),
  };
}

function run(options: Options): Promise<void> {
  return withApi(async (app) => {
    await checkSlices(app, options);
    return foreground(
      app,
      options,
      (how) => withProgress(app, (progress) => retryInForeground(app, { ...how, progress, which: whichOf(options) })),
      {
        nothingToRun: `Nothing to retry; no credits spent.${await heldWords(app, options)}`,
        runLimitSpent: leftWords,
      },
    );
  });
}

/** Says that slices of an earlier retry wait, if nothing else was retried. */
function leftWords(slicesLeft: string, isBegun = false): string {
  const nothing = isBegun ? "" : "Nothing to retry, but ";
  return `${nothing}${slicesLeft} waiting since an earlier retry: \`storehouse retry\` continues.`;
}

/** Throws a UsageError for a number that no slice has. */
async function checkSlices({ warehouse }: App, { slice }: Options): Promise<void> {
  const [unknown] = await unknownSlices(warehouse.db, slice);
  if (unknown !== undefined) throw noSuchSlice(unknown);
}

/** What to do about held answers, which no retry requests again; empty if there are none. */
async function heldWords(app: App, { dataset }: Options): Promise<string> {
  const held = await readHeld(app.warehouse.db, accountOf(app.config.settings));
  const slices = held.filter((one) => dataset.length === 0 || dataset.includes(one.dataset)).length;
  if (slices === 0) return "";
  return ` ${countOf(slices, "answer is", "answers are")} held: \`storehouse held\` shows what is held, and \`storehouse held --apply\` applies it.`;
}

function preview(options: Options): Promise<void> {
  return withApp(async (app) => {
    await checkSlices(app, options);
    const which = whichOf(options);
    const all = { ...retried(requestOf(app, options), which), account: accountOf(app.config.settings) };
    const failed = await reopenable(app.warehouse.db, all);
    const waiting = await readWaitingRetries(app.warehouse.db, all);
    const found = isNarrowed(which) ? failed : [...failed, ...waiting];
    const left = sumBy(waiting, ({ slices }) => slices);
    if (options.json) printJson(found);
    else if (found.length === 0 && left > 0) print(leftWords(countOf(left, "slice is", "slices are")));
    else if (found.length === 0) print(`Nothing to retry.${await heldWords(app, options)}`);
    else printFound(found, { command: commandOf(options), atLeast: datasetsAtLeast(found, app.config.settings) });
  });
}

/** The command that runs what was shown. */
function commandOf({ dataset, code, slice, since, skipped }: Options): string {
  return [
    "storehouse retry",
    ...dataset.map((name) => `--dataset ${name}`),
    ...code.map((one) => `--code ${one}`),
    ...slice.map((one) => `--slice ${one}`),
    ...(since === undefined ? [] : [`--since ${since}`]),
    ...(skipped ? ["--skipped"] : []),
  ].join(" ");
}

/** What a retry would cost, and its command. `atLeast`: datasets whose number of pages is a guess. */
type Priced = { readonly command: string; readonly atLeast: readonly string[] };

function printFound(found: readonly Reopened[], { command, atLeast }: Priced): void {
  print(
    table(
      ["dataset", "state", "code", "slices", "credits"],
      found.map((one) => [one.dataset, one.state, one.code, one.slices, one.credits]),
    ),
  );
  const slices = sumBy(found, (one) => one.slices);
  const credits = sumBy(found, (one) => one.credits);
  for (const line of guessLines(atLeast, "")) print(`\n${line}`);
  print(
    `\n${countOf(slices, "slice")}, ${atLeast.length > 0 ? "at least " : ""}${countOf(credits, "credit")}. Nothing was spent; \`${command}\` requests them now.`,
  );
}

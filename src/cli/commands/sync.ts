import type { Command } from "commander";
import type { App } from "../../app.ts";
import { syncInForeground, type ForegroundRun } from "../../foreground.ts";
import type { SyncResult } from "../../runs/run-parts.ts";
import { checkClock } from "../check-clock.ts";
import { creditsArgument } from "../arguments.ts";
import { withApi } from "../with-app.ts";
import { isAgreedAlready, syncByStep } from "../first-spending.ts";
import { noCellNotes } from "../../planner/no-cells.ts";
import { otherAccountsWords } from "../../planner/of-other-accounts.ts";
import { print, printJson, remark } from "../output.ts";
import { createProgressView } from "../progress.ts";
import { exitCodeOf, exitCodeUnconfirmed } from "../exit-codes.ts";
import { exitHelp, printResult, type RunWords } from "../run-report.ts";
import { stopSignal } from "../stop-signal.ts";
import { addSyncOptions, requestOf, type SyncOptions } from "../sync-options.ts";

/** The options of a foreground run. */
export type RunOptions = SyncOptions & { readonly maxCredits?: number; readonly yes?: true };

/** `storehouse sync`: plan what is missing and fetch it. */
export function defineSync(command: Command): void {
  addSyncOptions(command)
    .option("--max-credits <number>", "spend at most this many credits", creditsArgument)
    .option("--yes", "agree to the price of the account's first sync")
    .option("--json", "print the result as JSON")
    .addHelpText("after", `${firstHelp}\n${exitHelp}`)
    .action((options: RunOptions) =>
      withApi((app) => foreground(app, options, (how) => syncAgreed(app, options, how)), options.asOf),
    );
}

const firstHelp = `
The first sync of an account shows the price of each step and requires confirmation before it: at a terminal, or by --yes.
The database keeps the agreement: later syncs and workers need none. --max-credits counts as agreement up to that number.
With --from or --to the agreement covers this sync only: the database does not keep it.`;

/** Syncs what a person has agreed to, once for all syncs or step by step. Null if they do not agree. */
async function syncAgreed(app: App, options: RunOptions, how: ForegroundRun): Promise<SyncResult | null> {
  const run = (maxCredits: number | null) =>
    withProgress(app, (progress) => syncInForeground(app, { ...how, maxCredits, progress }));
  const agreed = how.request.datasets;
  if (options.maxCredits !== undefined || (await isAgreedAlready({ app, agreed }))) return run(how.maxCredits);
  const { request, stop } = how;
  return syncByStep({ app, request, agreed, command: "sync", yes: options.yes === true, stop, say: remark, run });
}

/** Runs something in the foreground, prints its result and sets the exit code. */
export async function foreground(
  app: App,
  options: RunOptions,
  run: (how: ForegroundRun) => Promise<SyncResult | null>,
  words: Partial<RunWords> = {},
): Promise<void> {
  using stop = stopSignal();
  await checkClock(app);
  const request = requestOf(app, options);
  const how = { request, maxCredits: options.maxCredits ?? null, stop: stop.signal, progress: () => undefined };
  const result = await run(how);
  if (result === null) {
    remark("Stopped: nothing is spent without your agreement.");
    process.exitCode = exitCodeUnconfirmed(stop.signal);
    return;
  }
  if (options.json) printJson({ ...result, error: result.error?.code ?? null });
  else {
    printResult(result, { ...syncWords, ...words });
    if (result.outcome === "loaded" && result.progress.total === 0 && words.nothingToRun === undefined)
      for (const note of await noCellNotes(app.warehouse.db, request, app.config.settings)) print(note);
    const others =
      result.outcome === "loaded" ? await otherAccountsWords(app.warehouse.db, request, app.config.settings) : null;
    if (others !== null) print(others);
  }
  process.exitCode = exitCodeOf(result);
}

/** Runs something with its progress on stderr. */
export async function withProgress<T>(app: App, run: (progress: ForegroundRun["progress"]) => Promise<T>): Promise<T> {
  const view = createProgressView({
    to: process.stderr,
    clock: app.clock,
    requestsPerSecond: app.config.settings.api.requests_per_second,
  });
  try {
    return await run((progress) => view.show(progress));
  } finally {
    view.done();
  }
}

const syncWords = {
  goOn: "run the same command again to continue",
  runLimitSpent: (left: string, isBegun: boolean) =>
    isBegun
      ? `Stopped at --max-credits: ${left} left. Run it again to continue.`
      : `Nothing fits within --max-credits: ${left} left. Run it again with a higher limit.`,
} as const;

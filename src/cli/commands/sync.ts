import type { Command } from "commander";
import type { App } from "../../app.ts";
import { syncInForeground, type ForegroundRun } from "../../foreground.ts";
import type { SyncResult } from "../../runs/run-parts.ts";
import { creditsArgument } from "../arguments.ts";
import { withApi } from "../with-app.ts";
import { printJson } from "../output.ts";
import { createProgressView } from "../progress.ts";
import { exitCodeOf, exitHelp, printResult } from "../run-report.ts";
import { stopSignal } from "../stop-signal.ts";
import { addSyncOptions, requestOf, type SyncOptions } from "../sync-options.ts";

/** The options of a foreground run. */
export type RunOptions = SyncOptions & { readonly maxCredits?: number };

/** `storehouse sync`: plan what is missing and fetch it. */
export function defineSync(command: Command): void {
  addSyncOptions(command)
    .option("--max-credits <number>", "spend at most this many credits", creditsArgument)
    .option("--json", "print the result as JSON")
    .addHelpText("after", exitHelp)
    .action((options: RunOptions) => withApi((app) => foreground(app, options, syncInForeground), options.asOf));
}

/** Runs something in the foreground with progress on stderr, prints its result and sets the exit code. */
export async function foreground(
  app: App,
  options: RunOptions,
  run: (app: App, how: ForegroundRun) => Promise<SyncResult>,
): Promise<void> {
  const stop = stopSignal();
  const view = createProgressView({
    to: process.stderr,
    clock: app.clock,
    requestsPerSecond: app.config.settings.api.requests_per_second,
  });
  try {
    const request = requestOf(app, options);
    const result = await run(app, {
      request,
      maxCredits: options.maxCredits ?? null,
      stop: stop.signal,
      progress: (progress) => view.show(progress),
    });
    view.done();
    if (options.json) printJson({ ...result, error: result.error?.code ?? null });
    else printResult(result, syncWords);
    process.exitCode = exitCodeOf(result);
  } finally {
    stop.dispose();
  }
}

const syncWords = {
  goOn: "run the same command again to go on",
  budgetSpent: (left: string, isBegun: boolean) =>
    isBegun
      ? `Stopped at --max-credits: ${left} left. Run again to go on.`
      : `Nothing fits under --max-credits: ${left} left. Run again with more.`,
} as const;

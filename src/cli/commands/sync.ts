import type { Command } from "commander";
import { syncInForeground, retryInForeground, type ForegroundRun } from "../../foreground.ts";
import type { App } from "../../app.ts";
import type { SyncResult } from "../../ingest/sync.ts";
import { creditsArgument } from "../arguments.ts";
import { withApi } from "../environment.ts";
import { print, printJson, remark } from "../output.ts";
import { createProgressView } from "../progress.ts";
import { stopSignal } from "../stop-signal.ts";
import { addSyncOptions, requestOf, type SyncOptions } from "../sync-options.ts";

/** What each outcome means to the shell. */
const exitCodes = { loaded: 0, failed: 1, aborted: 2, deferred: 3, interrupted: 130 } as const satisfies Record<
  SyncResult["outcome"],
  number
>;

type Options = SyncOptions & { readonly maxCredits?: number };

/** `storehouse sync`: plan what is missing and fetch it. */
export function addSync(program: Command): void {
  addSyncOptions(
    program.command("sync").description("fetch what is missing, in the foreground; can be interrupted and run again"),
  )
    .option("--max-credits <number>", "spend at most this many credits", creditsArgument)
    .option("--json", "print the result as JSON")
    .addHelpText("after", exitHelp)
    .action((options: Options) => withApi((app) => foreground(app, options, syncInForeground), options.asOf));
}

/** `storehouse retry`: run failed slices again. */
export function addRetry(program: Command): void {
  program
    .command("retry")
    .description("run failed slices again, in the foreground")
    .option(
      "--dataset <name>",
      "only this dataset; may be repeated",
      (text: string, previous: string[]) => [...previous, text],
      [],
    )
    .option("--json", "print the result as JSON")
    .addHelpText("after", exitHelp)
    .action((options: Options) => withApi((app) => foreground(app, options, retryInForeground)));
}

const exitHelp =
  "\nExit codes: 0 all loaded, 1 some slices failed, 2 usage, settings or token, 3 stopped by credits, 130 interrupted.";

async function foreground(
  app: App,
  options: Options,
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
    else printResult(result);
    process.exitCode = exitCodes[result.outcome];
  } finally {
    stop.dispose();
  }
}

function printResult({ outcome, progress, leftOut, error }: SyncResult): void {
  const done = progress.total - progress.open - progress.failed;
  const facts = [
    `${done.toLocaleString("en-US")} of ${progress.total.toLocaleString("en-US")} slices done`,
    `${progress.credits.toLocaleString("en-US")} credits spent`,
  ];
  if (progress.skipped > 0) facts.push(`${progress.skipped} cannot be had`);
  if (progress.failed > 0) facts.push(`${progress.failed} failed`);
  print(progress.total === 0 ? "Everything asked for is loaded; no credits spent." : `${facts.join(", ")}.`);
  if (error !== null) remark(error.message);
  if (progress.failed > 0) print("See `storehouse status`; `storehouse retry` runs failed slices again.");
  if (outcome === "deferred") print(deferredWords(progress.deferred, leftOut, progress.nextDueAt));
  if (outcome === "interrupted") print("Interrupted: what was fetched is loaded; run the same command again to go on.");
}

function deferredWords(deferred: number, leftOut: number, nextDueAt: number | null): string {
  const when =
    nextDueAt === null
      ? "Run again with more credits to go on."
      : `It can go on at ${new Date(nextDueAt).toISOString()}: run it again then, or leave it to \`storehouse worker\`.`;
  const limits = leftOut > 0 ? `${leftOut} slices left out by --max-credits` : `${deferred} slices wait for credits`;
  return `Stopped by credits: ${limits}. ${when}`;
}

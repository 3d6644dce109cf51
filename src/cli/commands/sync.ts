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
    .option("--skipped", "also those that were skipped as not to be had (400, 404)")
    .option("--json", "print the result as JSON")
    .addHelpText("after", exitHelp)
    .action((options: Options & { skipped?: true }) =>
      withApi((app) =>
        foreground(app, options, (one, run) => retryInForeground(one, { ...run, skipped: options.skipped === true })),
      ),
    );
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

function printResult({ outcome, progress, leftOut, left, error }: SyncResult): void {
  const { total, open, failed, skipped, deferred } = progress;
  const facts = [
    `${count(total - open - failed - skipped)} of ${count(total)} slices loaded`,
    `${count(progress.credits)} credits spent`,
  ];
  if (skipped > 0) facts.push(`${count(skipped)} cannot be had`);
  if (failed > 0) facts.push(`${count(failed)} failed`);
  if (total > 0) print(`${facts.join(", ")}.`);
  else
    print(
      outcome === "loaded"
        ? "Everything asked for is loaded; no credits spent."
        : "Nothing new to ask for; no credits spent.",
    );
  if (error !== null) remark(error.message);
  for (const dataset of left.barren)
    print(
      `Nothing of ${dataset} could be had: see \`storehouse status\`; are API_BASE_URL and api.store_words right? \`storehouse retry --skipped\` asks again.`,
    );
  if (left.failedBefore > 0) print(`${count(left.failedBefore)} slices failed earlier and are not loaded.`);
  if (failed + left.failedBefore > 0)
    print("`storehouse status` says why; `storehouse retry` runs failed slices again.");
  if (outcome === "deferred") print(deferredWords(deferred, leftOut, progress.nextDueAt));
  if (outcome === "interrupted") print("Interrupted: what was fetched is loaded; run the same command again to go on.");
}

function deferredWords(deferred: number, leftOut: number, nextDueAt: number | null): string {
  if (nextDueAt === null)
    return `Stopped at --max-credits: ${count(deferred + leftOut)} slices are left. Run again to go on.`;
  const when = new Date(nextDueAt).toISOString();
  return `Stopped by credits: ${count(deferred + leftOut)} slices wait. It can go on at ${when}: run it again then, or leave it to \`storehouse worker\`.`;
}

function count(number: number): string {
  return number.toLocaleString("en-US");
}

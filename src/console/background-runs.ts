import type { App } from "../app.ts";
import { fail, StorehouseError } from "../core/errors.ts";
import type { ReportedProgress, SyncResult } from "../runs/run-parts.ts";

/** A run that the console started. */
type BackgroundRun = {
  /** What it does, as a sentence without a full stop. */
  readonly what: string;
  readonly startedAt: number;
  readonly progress: ReportedProgress | null;
  /** Null while it runs. */
  readonly ended: { readonly at: number; readonly result: SyncResult | null; readonly problem: string | null } | null;
};

/** What a run is started with: a signal that stops it, and where it reports its progress. */
type RunControl = { readonly stop: AbortSignal; readonly progress: (progress: ReportedProgress) => void };

/** Runs of the console's actions, one at a time. Disposing stops the one that runs, as Ctrl-C stops a command. */
export interface BackgroundRuns extends AsyncDisposable {
  /** Throws `console_busy` while one runs. */
  readonly checkFree: () => void;
  /** Starts a run that goes on when the answer has been sent. Throws `console_busy` while another one runs. */
  readonly start: (what: string, work: (control: RunControl) => Promise<SyncResult>) => void;
  /** The run that runs, or the last one; null before the first. */
  readonly latest: () => BackgroundRun | null;
  /** Stops the one that runs. */
  readonly stop: () => void;
}

/** Makes the runs of a console. */
export function createBackgroundRuns({ clock, log, hide }: Pick<App, "clock" | "log" | "hide">): BackgroundRuns {
  let latest: BackgroundRun | null = null;
  let working: Promise<void> = Promise.resolve();
  let stopping = new AbortController();

  function end(result: SyncResult | null, problem: string | null): void {
    if (latest === null) return;
    latest = { ...latest, ended: { at: clock.now(), result, problem } };
    if (problem !== null) log.error({ problem }, "console.run_failed");
  }

  const checkFree = () => {
    if (latest !== null && latest.ended === null) throw fail("console_busy", { what: latest.what });
  };
  return {
    checkFree,
    start: (what, work) => {
      checkFree();
      latest = { what, startedAt: clock.now(), progress: null, ended: null };
      stopping = new AbortController();
      const control: RunControl = {
        stop: stopping.signal,
        progress: (progress) => (latest = latest && { ...latest, progress }),
      };
      working = work(control).then(
        (result) => end(result, result.error && hide(result.error.message)),
        (error: unknown) => end(null, problemOf(error, hide)),
      );
    },
    latest: () => latest,
    stop: () => stopping.abort(),
    [Symbol.asyncDispose]: async () => {
      stopping.abort();
      await working;
    },
  };
}

function problemOf(error: unknown, hide: App["hide"]): string {
  return error instanceof StorehouseError
    ? hide(error.message)
    : "an unforeseen error ended it; see the log of the console";
}

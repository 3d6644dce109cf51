import type { App } from "../app.ts";
import { noMoreOfIt } from "../foreground.ts";
import { count, countOf } from "../core/words.ts";
import { fail, loggedText, StorehouseError } from "../core/errors.ts";
import { retry, type Backoff } from "../core/retry.ts";
import { isLostConnection, isPassing } from "../postgres/database-errors.ts";
import type { ReportedProgress, SyncResult } from "../runs/run-parts.ts";
import { tryRecord } from "./audit.ts";

/** How a run ended: its result and its problem, each null if there is none. */
export type RunEnd = { readonly at: number; readonly result: SyncResult | null; readonly problem: string | null };

/** A run that the console started. */
type BackgroundRun = {
  /** What it does, as a sentence without a full stop. */
  readonly what: string;
  readonly startedAt: number;
  readonly progress: ReportedProgress | null;
  /** True once it was stopped: calls under way are completed, since they are paid for. */
  readonly isStopping: boolean;
  /** Null while it runs. */
  readonly ended: RunEnd | null;
};

/** What a run is started with: a signal that stops it, and where it reports its progress. */
export type RunControl = { readonly stop: AbortSignal; readonly progress: (progress: ReportedProgress) => void };

/** A run to be started: what it does, as a sentence without a full stop, and the work. */
export type BackgroundWork = {
  readonly what: string;
  readonly work: (control: RunControl) => Promise<SyncResult>;
};

/** Callbacks that record the number of a run as soon as it has one, and how it ended. */
type RunRecord = {
  readonly onRun: (runId: string) => Promise<void>;
  readonly onEnd: (end: RunEnd) => Promise<void>;
};

/** Runs of the console's actions, one at a time. Disposing stops the present one, as Ctrl-C stops a command. */
export interface BackgroundRuns extends AsyncDisposable {
  /**
   * The run that was started at an instant, while it runs. Throws `console_nothing_runs` while none runs, `console_bad_input` while another
   * one does.
   */
  readonly checkRunning: (startedAt: number) => BackgroundRun;
  /** Starts a run that continues after the response is sent. Throws `console_busy` while another one runs. */
  readonly start: (work: BackgroundWork, record: RunRecord) => void;
  /** The present run, or the last one; null before the first. */
  readonly latest: () => BackgroundRun | null;
  /** Stops the run that was started at an instant, so that no worker continues it. Throws what `checkRunning` does. */
  readonly stop: (startedAt: number) => void;
}

/** A record is repeated at these intervals while the database does not respond. */
const recordTries: Backoff = { firstMs: 1_000, longestMs: 30_000 };

/** Makes the runs of a console. */
export function createBackgroundRuns({ clock, log, hide }: Pick<App, "clock" | "log" | "hide">): BackgroundRuns {
  let latest: BackgroundRun | null = null;
  let working: Promise<unknown> = Promise.resolve();
  let stopping = new AbortController();

  const closing = new AbortController();

  /** Records something, and repeats that until the database responds or the console closes. `onFailure`: called at each failure. */
  const record = (write: () => Promise<void>, onFailure: () => void) =>
    tryRecord(
      { log, hide },
      retry(
        {
          clock,
          backoff: recordTries,
          signal: closing.signal,
          again: (error) => {
            onFailure();
            return isLostConnection(error) || isPassing(error);
          },
        },
        write,
      ),
    );

  async function toEnd(running: Promise<SyncResult>, recorded: (end: RunEnd) => Promise<void>): Promise<void> {
    const ended = await running.then(
      (result): RunEnd => ({ at: clock.now(), result, problem: result.error && hide(result.error.message) }),
      (error: unknown): RunEnd => {
        log.error({ problem: loggedText(error, hide) }, "console.run_failed");
        return { at: clock.now(), result: null, problem: problemText(error, hide) };
      },
    );
    if (ended.result !== null && ended.problem !== null) log.error({ problem: ended.problem }, "console.run_failed");
    await recorded(ended);
    latest = latest && { ...latest, ended };
  }

  const checkRunning = (startedAt: number) => {
    if (latest === null || latest.ended !== null) throw fail("console_nothing_runs");
    if (latest.startedAt === startedAt) return latest;
    throw fail("console_bad_input", {
      problem: `the run that was shown has ended, and another one is running: ${latest.what}`,
    });
  };
  return {
    checkRunning,
    start: ({ what, work }, { onRun, onEnd }) => {
      if (latest !== null && latest.ended === null) throw fail("console_busy", { what: latest.what });
      latest = { what, startedAt: clock.now(), progress: null, isStopping: false, ended: null };
      stopping = new AbortController();
      let number = Promise.resolve();
      const failed = Promise.withResolvers<void>();
      const control: RunControl = {
        stop: stopping.signal,
        progress: (progress) => {
          if (latest?.progress == null) number = record(() => onRun(progress.runId), failed.resolve);
          latest = latest && { ...latest, progress };
        },
      };
      let recording = Promise.resolve();
      const ending = toEnd(work(control), (end) => {
        // in this order, even if it ends at once
        recording = number.then(() => record(() => onEnd(end), failed.resolve));
        // recorded before it is shown as ended, unless the database does not respond
        return Promise.race([recording, failed.promise]);
      });
      working = Promise.all([working, ending.then(() => recording)]);
    },
    latest: () => latest,
    stop: (startedAt) => {
      latest = { ...checkRunning(startedAt), isStopping: true };
      stopping.abort(noMoreOfIt);
    },
    [Symbol.asyncDispose]: async () => {
      stopping.abort();
      closing.abort();
      await working;
    },
  };
}

function problemText(error: unknown, hide: App["hide"]): string {
  return error instanceof StorehouseError
    ? hide(error.message)
    : "an unexpected error ended it; see the log of the console";
}

/** Whether a run did what it was started for, and its outcome as a sentence. A run that a person stopped counts as done. */
export function endOf({ result, problem }: RunEnd): { readonly isDone: boolean; readonly text: string } {
  if (result === null) return { isDone: false, text: problem ?? "" };
  const { outcome, runId } = result;
  const text = `Run ${runId} ended as ${outcome}: ${resultText(result)}.${problem === null ? "" : ` ${problem}`}`;
  return { isDone: problem === null && outcome !== "failed" && outcome !== "aborted", text };
}

/** What a run did, as the rest of a sentence: "8 of 19 slices loaded, 11 failed again, 24 credits spent". */
export function resultText({ progress, atStop }: SyncResult): string {
  const { total, open, failed, skipped, credits } = progress;
  const { failedAgain = 0, cancelled = 0 } = atStop ?? {};
  const others = [
    [failed, "failed"],
    [failedAgain, "failed again"],
    [cancelled, "never requested"],
    [skipped, "skipped"],
    [Math.max(0, open - failedAgain - cancelled), "left"],
  ] as const;
  return [
    `${count(total - open - failed - skipped)} of ${countOf(total, "slice")} loaded`,
    ...others.filter(([slices]) => slices > 0).map(([slices, what]) => `${count(slices)} ${what}`),
    `${countOf(credits, "credit")} spent`,
  ].join(", ");
}

import { backoffMs, type Backoff } from "../core/retry.ts";
import { cancelBeyondLimit } from "../ledger/cancel-slices.ts";
import { closeRun, runProgress, type RunOutcome, type RunProgress } from "../ledger/runs.ts";
import type { Unfinished } from "./unfinished.ts";
import { spentIntervalMs } from "./spent-interval.ts";
import { retryAround, retryDatabase } from "../ingest/retry-database.ts";
import type { ReportedProgress, SyncParts, SyncResult } from "./run-parts.ts";

/** What a run does until nothing is left. */
export type RunSteps = {
  readonly runId: string;
  /** Queues the next slices. */
  readonly round: () => Promise<Round>;
  /** Whether another living process has slices of the same work open. */
  readonly areOthersAtWork: () => Promise<boolean>;
  /** Reads the open slices of the same work in other runs. */
  readonly readLeft: () => Promise<Unfinished>;
};

/** What a round queued. */
export type Round = {
  readonly taken: number;
  /** Slices that the limit of the run does not pay for. */
  readonly leftOut: number;
  /** Whether it is the last round, as far as is known. */
  readonly isWhole: boolean;
};

/** Queues and runs, round by round, until nothing is due and no other process runs any of the work; then closes the run. */
export async function runToEnd(
  parts: SyncParts,
  { runId, round, areOthersAtWork, readLeft }: RunSteps,
): Promise<SyncResult> {
  const { clock } = parts.ingest;
  let [adoptedAgain, elsewhere] = [false, 0];
  for (let waits = 1; ;) {
    let tries = 0;
    // before the round: it counts slices that others have open as covered, and these may be cancelled before the next check
    const hadOthers = await retryDatabase(parts.ingest, areOthersAtWork);
    const { taken, leftOut, isWhole } = await retryAround(parts.ingest, async () => {
      tries += 1;
      // the next round is planned from slices that a try queued before its connection broke
      if (tries > 1) await drain(parts, { runId, isWhole: false, elsewhere: 0 });
      return round();
    });
    parts.wake();
    await drain(parts, { runId, isWhole, elsewhere: hadOthers ? elsewhere : 0 });
    const stopped = isStopped(parts);
    // a retried round may have been queued the first time: then the next one is still to come
    if ((taken > 0 || tries > 1) && !stopped) continue;
    const left = await retryDatabase(parts.ingest, readLeft);
    // slices of a process that has just ended are adopted in the next round; slices left after that do not fit the limit
    const orphaned: boolean = left.orphaned > 0 && !adoptedAgain;
    const isOver = left.runningElsewhere === 0 && !hadOthers;
    if (stopped || leftOut > 0 || (isOver && !orphaned))
      return finish(parts, { runId, leftOut: leftOut + left.orphaned, left });
    adoptedAgain = orphaned;
    if (orphaned || left.runningElsewhere === 0) continue;
    elsewhere = left.runningElsewhere;
    await clock
      .sleep(backoffMs(checksElsewhere, waits), AbortSignal.any([parts.ingest.stop, parts.ingest.halted]))
      .catch(() => undefined);
    waits += 1;
  }
}

/** Counting is cheap for a short run and expensive for a long one, so the interval grows. */
const checks: Backoff = { firstMs: 100, longestMs: 2_000, factor: 1.5 };
/** Another process may take long. */
const checksElsewhere: Backoff = { firstMs: 100, longestMs: 5_000, factor: 1.3 };
/** In a run of millions of slices a count itself takes long: counting may take at most a fifth of the time. */
const countingShare = 4;

/** What is reported in addition to the counts of a run. */
type Known = Pick<ReportedProgress, "runId" | "isWhole" | "elsewhere">;

/** Waits until no slice of the run is pending or running, or until everything must stop. */
export async function drain(parts: SyncParts, { runId, isWhole, elsewhere }: Known): Promise<void> {
  const { db, clock } = parts.ingest;
  let wake = nextEnd(parts);
  const begun = clock.now();
  let spent = { credits: 0, dueAt: begun };
  for (let counted = 1; ; counted += 1) {
    const from = clock.now();
    // before the count: slices that end during the count cause another one at once
    if (wake.aborted) wake = nextEnd(parts);
    const known = from < spent.dueAt ? spent.credits : undefined;
    const progress = await retryDatabase(parts.ingest, () => runProgress(db, runId, clock.now(), known));
    if (known === undefined) spent = { credits: progress.credits, dueAt: nextSum(begun, from, clock.now()) };
    const isOver = progress.due === 0 || isStopped(parts);
    // the last report stays on the screen, next to the credits that the run reports as spent
    const isExact = known === undefined || !isOver;
    const last = isExact ? progress : await retryDatabase(parts.ingest, () => runProgress(db, runId, clock.now()));
    parts.progress({ ...last, runId, isWhole, elsewhere: isOver ? elsewhere : 0 });
    if (isOver) return;
    await clock
      .sleep(Math.max(backoffMs(checks, counted), (clock.now() - from) * countingShare), wake)
      .catch(() => undefined);
  }
}

/** When the credits of a run that began at `begun` are added up again, after a sum that took from `from` to `until`; all in epoch-ms. */
function nextSum(begun: number, from: number, until: number): number {
  return until + spentIntervalMs({ ranMs: until - begun, tookMs: until - from });
}

/** True once a person or an error has stopped the run. */
function isStopped({ ingest: { stop, stoppedBy } }: SyncParts): boolean {
  return stop.aborted || stoppedBy() !== null;
}

/** Aborted at a stop, and when the last slice of this process has ended: then a count may show that nothing is left. */
function nextEnd({ ingest: { stop, halted, claimedSlices } }: SyncParts): AbortSignal {
  const idle = new AbortController();
  void claimedSlices.idle().then(() => idle.abort());
  return AbortSignal.any([stop, halted, idle.signal]);
}

/** What is left when a run ends. */
export type RunRemainder = { readonly runId: string; readonly leftOut: number; readonly left: Unfinished };

/** Closes a run with the outcome that the ledger shows. */
export async function finish(
  parts: SyncParts,
  { runId, leftOut: beyondLimit, left }: RunRemainder,
): Promise<SyncResult> {
  const { db, clock } = parts.ingest;
  const readProgress = (credits?: number) =>
    retryDatabase(parts.ingest, () => runProgress(db, runId, clock.now(), credits));
  const before = await readProgress();
  const error = parts.ingest.stoppedBy();
  // slices that the limit does not pay for are not left to workers, which have no limit
  if (before.deferred > 0) await retryDatabase(parts.ingest, () => cancelBeyondLimit(db, runId, parts.runLimit.left()));
  const { deferred, nextDueAt } = before.deferred > 0 ? await readProgress(before.credits) : before;
  const progress = { ...before, deferred, nextDueAt };
  const leftOut = beyondLimit + before.deferred - deferred;
  const facts = { progress, left, leftOut, aborted: error !== null, stopped: parts.ingest.stop.aborted };
  const outcome = outcomeOf(facts);
  // earlier failures count for the run in which they failed; the person who runs this one only gets a reminder
  const own = outcomeOf({ ...facts, left: { ...left, failedBefore: 0 } });
  const reason = error === null ? null : { code: error.code, message: parts.ingest.scrub(error.message) };
  await retryDatabase(parts.ingest, () => closeRun(db, runId, own, { now: clock.now(), error: reason }));
  return { runId, outcome, progress, leftOut, left, error };
}

type Facts = Omit<RunRemainder, "runId"> & {
  readonly progress: RunProgress;
  readonly aborted: boolean;
  readonly stopped: boolean;
};

function outcomeOf({ progress, left, leftOut, aborted, stopped }: Facts): RunOutcome {
  if (aborted) return "aborted";
  if (stopped) return "interrupted";
  if (progress.deferred > 0 || leftOut > 0) return "deferred";
  return progress.failed > 0 || left.failedBefore > 0 || left.unavailable.length > 0 ? "failed" : "loaded";
}

import type { Settings } from "../config/settings.ts";
import type { StorehouseError } from "../core/errors.ts";
import { creditClasses, type SliceDraft } from "../core/slice.ts";
import type { Budget } from "../credits/budget.ts";
import { datasetNamed, datasets as allDatasets } from "../datasets/all.ts";
import { ownTask } from "../ledger/jobs.ts";
import {
  adoptOpen,
  closeRun,
  enqueue,
  noteNaivePrice,
  openRun,
  reopen,
  runProgress,
  type RunOutcome,
  type RunProgress,
} from "../ledger/runs.ts";
import { buryDead } from "../ledger/workers.ts";
import { planningLock } from "../warehouse/planning-lock.ts";
import { standing, type Standing } from "./left-open.ts";
import { throughOutage } from "./outage.ts";
import type { IngestParts } from "./parts.ts";
import { datasetsOf, planRequest, type SyncRequest } from "./planning.ts";

/** What a foreground run needs beside the parts that slices take. */
export type SyncParts = {
  readonly ingest: IngestParts;
  readonly settings: Settings;
  readonly budget: Budget;
  /** Aborted when the person or the system wants the process to end. */
  readonly stop: AbortSignal;
  /** The error that stopped all asking, null while there is none. */
  readonly aborted: () => StorehouseError | null;
  readonly progress: (progress: RunProgress) => void;
};

/** How a foreground run ended. */
export type SyncResult = {
  readonly runId: string;
  readonly outcome: RunOutcome;
  readonly progress: RunProgress;
  readonly leftOut: number;
  readonly left: Standing;
  readonly error: StorehouseError | null;
};

/**
 * Plans what is missing and runs it to the end, wave by wave: the apps, then their countries, then their keywords, then the market,
 * since each is planned from what the one before brought. Ends when nothing is due.
 */
export async function sync(parts: SyncParts, request: SyncRequest, maxCredits: number | null): Promise<SyncResult> {
  const { db, clock, workerId } = parts.ingest;
  const names = datasetsOf(request, parts.settings).map((dataset) => dataset.name);
  await buryDead(db, clock);
  const runId = await openRun(
    db,
    { kind: "sync", workerId, asOf: request.today, datasets: names, maxCredits },
    clock.now(),
  );
  const wave = { runId, names, request };
  let lookedAgain = false;
  for (let wait = firstLookMs; ;) {
    const { taken, leftOut } = await throughOutage(parts.ingest, () => planWave(parts, wave));
    await drain(parts, runId);
    const stopped = parts.stop.aborted || parts.aborted() !== null;
    if (taken > 0 && !stopped) continue;
    const left = await throughOutage(parts.ingest, () =>
      standing(db, { runId, datasets: names, within: request.bounds }),
    );
    // what a process left that has only just gone is taken over in the next wave; what is left then does not fit the budget
    const orphaned: boolean = left.abandoned > 0 && !lookedAgain;
    if (stopped || leftOut > 0 || (left.elsewhere === 0 && !orphaned))
      return finish(parts, { runId, leftOut: leftOut + left.abandoned, left });
    lookedAgain = orphaned;
    if (orphaned) continue;
    // another process has the rest in hand; what it leaves undone is taken over
    await clock.sleep(wait, AbortSignal.any([parts.stop, parts.ingest.halted])).catch(() => undefined);
    wait = Math.min(slowestLookMs * 10, wait * 1.3);
  }
}

type Wave = { readonly runId: string; readonly names: readonly string[]; readonly request: SyncRequest };

/** Queues what is to be done next: first what others left open, since the plan takes it for covered, then what is planned from all that is in. */
function planWave(parts: SyncParts, { runId, names, request }: Wave): Promise<{ taken: number; leftOut: number }> {
  const { db, clock, workerId } = parts.ingest;
  const task = ownTask(workerId);
  return planningLock(db, async (locked) => {
    const adopted = await adoptOpen(locked, { runId, task, datasets: names, mostCredits: parts.budget.left() });
    if (adopted > 0) return { taken: adopted, leftOut: 0 };
    const { plans } = await planRequest(locked, request, parts.settings);
    const { kept, left } = withinBudget(
      plans.flatMap((plan) => plan.slices),
      parts.budget.left(),
    );
    if (left === 0)
      await noteNaivePrice(
        locked,
        runId,
        plans.reduce((sum, plan) => sum + plan.naiveCredits, 0),
      );
    return { taken: await enqueue(locked, runId, task, kept, clock.now()), leftOut: left };
  });
}

/** Runs failed slices again, to the end: of every dataset when none is named, since what was loaded by hand fails as well. */
export async function retryFailed(parts: SyncParts, request: SyncRequest, skipped: boolean): Promise<SyncResult> {
  const { db, clock, workerId } = parts.ingest;
  const datasets = (request.datasets.length > 0 ? request.datasets.map(datasetNamed) : allDatasets).map(
    ({ name }) => name,
  );
  await buryDead(db, clock);
  const runId = await openRun(
    db,
    { kind: "retry", workerId, asOf: request.today, datasets, maxCredits: null },
    clock.now(),
  );
  await reopen(db, { runId, task: ownTask(workerId), datasets, states: skipped ? ["failed", "skipped"] : ["failed"] });
  await drain(parts, runId);
  return finish(parts, { runId, leftOut: 0, left: await standing(db, { runId, datasets, within: {} }) });
}

/** Counting is cheap for a short run and dear for a long one, so the looks grow rarer. */
const firstLookMs = 25;
const slowestLookMs = 500;

/** Waits until no slice of the run is pending or running, or until everything is to stop. */
async function drain(parts: SyncParts, runId: string): Promise<void> {
  const { db, clock, halted } = parts.ingest;
  const ended = AbortSignal.any([parts.stop, halted]);
  for (let wait = firstLookMs; ; wait = Math.min(slowestLookMs, wait * 1.3)) {
    const progress = await throughOutage(parts.ingest, () => runProgress(db, runId, clock.now()));
    parts.progress(progress);
    if (progress.due === 0 || parts.stop.aborted || parts.aborted() !== null) return;
    // a stop ends the wait early; the next turn sees it
    await clock.sleep(wait, ended).catch(() => undefined);
  }
}

/** The dearest promise first: slices in order of class until the budget is full. */
function withinBudget(slices: readonly SliceDraft[], credits: number): { kept: readonly SliceDraft[]; left: number } {
  let sum = 0;
  const byClass = [...slices].sort((a, b) => creditClasses.indexOf(a.class) - creditClasses.indexOf(b.class));
  const kept = byClass.filter((slice) => {
    const fits = sum + slice.credits <= credits;
    if (fits) sum += slice.credits;
    return fits;
  });
  return { kept, left: slices.length - kept.length };
}

type End = { readonly runId: string; readonly leftOut: number; readonly left: Standing };

async function finish(parts: SyncParts, { runId, leftOut, left }: End): Promise<SyncResult> {
  const { db, clock } = parts.ingest;
  const progress = await throughOutage(parts.ingest, () => runProgress(db, runId, clock.now()));
  const error = parts.aborted();
  const outcome = outcomeOf({ progress, left, leftOut, aborted: error !== null, stopped: parts.stop.aborted });
  await throughOutage(parts.ingest, () => closeRun(db, runId, outcome, clock.now()));
  return { runId, outcome, progress, leftOut, left, error };
}

type Facts = Omit<End, "runId"> & {
  readonly progress: RunProgress;
  readonly aborted: boolean;
  readonly stopped: boolean;
};

function outcomeOf({ progress, left, leftOut, aborted, stopped }: Facts): RunOutcome {
  if (aborted) return "aborted";
  if (stopped) return "interrupted";
  if (progress.deferred > 0 || leftOut > 0) return "deferred";
  return progress.failed > 0 || left.failedBefore > 0 || left.barren.length > 0 ? "failed" : "loaded";
}

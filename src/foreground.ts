import type { App } from "./app.ts";
import { FencedError } from "./core/errors.ts";
import { openIngest, startWork } from "./open-ingest.ts";
import { liftAnsweredStop } from "./credits/account-stop.ts";
import { createRunLimit } from "./credits/run-limit.ts";
import type { BackfillPlan } from "./planner/backfill-plan.ts";
import { runPlan } from "./runs/backfill.ts";
import { checkBalance } from "./ingest/balance-check.ts";
import type { OpenAtStop, ReportedProgress, SyncParts, SyncResult } from "./runs/run-parts.ts";
import type { SyncRequest } from "./planner/request.ts";
import { retryFailed, sync } from "./runs/sync.ts";
import { cancelBeyondPrices, cancelUnfinished, type EndedSlices } from "./ledger/cancel-slices.ts";
import { cancelRestOfPlan, returnToFailed } from "./ledger/end-stopped.ts";
import type { Reopening } from "./ledger/reopen.ts";
import { runProgress } from "./ledger/runs.ts";
import { databaseOutage, isLostConnection } from "./postgres/database-errors.ts";

/**
 * The reason of a stop after which nothing of the run goes on: the rest of its plan is cancelled. After any other stop a worker, or
 * `storehouse backfill --plan`, goes on with that rest.
 */
export const noMoreOfIt = new DOMException("The run is stopped, and nothing of it goes on.", "AbortError");

/** A run in the foreground: what to do, how much it may spend, when to stop, and where it reports its progress. */
export type ForegroundRun = {
  readonly request: SyncRequest;
  readonly maxCredits: number | null;
  readonly stop: AbortSignal;
  readonly progress: (progress: ReportedProgress) => void;
};

/** The free balance check, before a person agrees to a price: a wrong token or address shows first. Throws as `checkBalance` does. */
export async function checkAccount(app: App, stop: AbortSignal): Promise<void> {
  await using ingest = await openIngest(app, "command", createRunLimit(null), { stop });
  await checkBalance(ingest.parts, stop);
}

/** Plans and fetches what is missing, in this process, to the end. */
export function syncInForeground(app: App, run: ForegroundRun): Promise<SyncResult> {
  return inForeground(app, run, (parts) => sync(parts, run.request, run.maxCredits));
}

/** Runs failed slices again, in this process, to the end, or those that `which` names. */
export function retryInForeground(
  app: App,
  { which, ...run }: ForegroundRun & { readonly which: Omit<Reopening, "datasets"> },
): Promise<SyncResult> {
  return inForeground(app, run, (parts) =>
    retryFailed(parts, { request: run.request, which, maxCredits: run.maxCredits }),
  );
}

/** The result of a plan, and the slices that ended because its price was spent. */
export type PlanResult = SyncResult & { readonly beyondPrice: EndedSlices };

/**
 * Runs a plan of a backfill, or what is left of it, in this process, to the end. `maxCredits`: what is left of its price. Slices that a
 * spent price does not pay for are ended, as workers end them: while they were open, no other plan would request their cells.
 */
export async function planInForeground(
  app: App,
  run: Omit<ForegroundRun, "request"> & { readonly plan: BackfillPlan },
): Promise<PlanResult> {
  const result = await inForeground(app, run, (parts) => runPlan(parts, run.plan));
  // slices that wait for a reset of credits continue then
  const isSpent = result.outcome === "deferred" && result.progress.nextDueAt === null;
  if (!isSpent) return { ...result, beyondPrice: { cancelled: 0, failed: 0 } };
  const { progress, leftOut } = result;
  const { warehouse, clock } = app;
  const beyondPrice = await cancelBeyondPrices(warehouse.db, run.plan.planId);
  const { deferred } = await runProgress(warehouse.db, result.runId, clock.now(), progress.credits);
  return {
    ...result,
    progress: { ...progress, deferred },
    leftOut: leftOut + progress.deferred - deferred,
    beyondPrice,
  };
}

async function inForeground(
  app: App,
  run: Omit<ForegroundRun, "request">,
  work: (parts: SyncParts) => Promise<SyncResult>,
): Promise<SyncResult> {
  const runLimit = createRunLimit(run.maxCredits);
  await using ingest = await openIngest(app, "foreground", runLimit, { stop: run.stop });
  const runner = startWork(app, ingest);
  // at once: what is not sent yet is given back, however much of it this process has claimed
  run.stop.addEventListener("abort", ingest.halt, { once: true });
  try {
    // a wrong token is known before anything is planned, and the balance before anything is spent
    await checkBalance(ingest.parts, run.stop).catch((error: unknown) => {
      // a run that is stopped this early is on record too, with its plan as the reason says
      if (!run.stop.aborted || !(error instanceof FencedError)) throw error;
    });
    const result = await work({
      ingest: ingest.parts,
      settings: app.config.settings,
      runLimit,
      progress: run.progress,
      wake: runner.wake,
    });
    if (result.outcome !== "interrupted" && result.outcome !== "aborted") {
      await liftAnsweredStop(app.warehouse.db, ingest.parts.accountId, result.runId);
      return result;
    }
    ingest.halt();
    await runner.stop();
    // calls that were under way have ended by now, and count
    const progress = await runProgress(app.warehouse.db, result.runId, app.clock.now());
    const atStop = await endStopped(app, result.runId, run.stop.reason === noMoreOfIt);
    return { ...result, progress, atStop };
  } catch (error) {
    // the driver's own text says little and may say where
    throw isLostConnection(error) ? databaseOutage(error) : error;
  } finally {
    run.stop.removeEventListener("abort", ingest.halt);
    ingest.halt();
    await runner.stop();
  }
}

/** Ends what a stopped run has open: workers, which know no limit, do not go on with it. The rest of a plan, which has a price, is cancelled only with `wantsNoMore`. */
async function endStopped({ warehouse: { db }, clock }: App, runId: string, wantsNoMore: boolean): Promise<OpenAtStop> {
  const cancelled = await cancelUnfinished(db, runId);
  const failedAgain = await returnToFailed(db, runId, clock.now());
  const rest = wantsNoMore ? await cancelRestOfPlan(db, runId) : { cancelled: 0, failed: 0 };
  return { failedAgain: failedAgain + rest.failed, cancelled: cancelled + rest.cancelled };
}

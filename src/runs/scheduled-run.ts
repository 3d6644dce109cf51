import { accountOf } from "../config/config-of-account.ts";
import type { Settings } from "../config/settings.ts";
import { dayOf } from "../core/day.ts";
import { inGroups } from "../core/read-ahead.ts";
import { AbortError, StorehouseError } from "../core/errors.ts";
import { readBudgets } from "../credits/budgets.ts";
import type { Dataset } from "../datasets/shared/define-dataset.ts";
import type { IngestParts } from "../ingest/ingest-parts.ts";
import { requestFailedAgain } from "./later-tries.ts";
import { adoptInto } from "./orphans.ts";
import { takeOver } from "./take-over.ts";
import { resumeWithinBudgets } from "../ledger/budget-waits.ts";
import { isAnyWaitingForCredits, resumeAffordable } from "../ledger/queue.ts";
import { announceQueued } from "../ledger/shared-queue.ts";
import { closeRun, enqueue, openRun, type RunStart } from "../ledger/runs.ts";
import { noteLostDays } from "../ledger/lost-days.ts";
import { budgetsOf } from "../config/credit-budgets.ts";
import { datasetsOf, planStarts, startsOf, type PlanChunk } from "../planner/plan-stream.ts";
import { noteTimings } from "../planner/record-timings.ts";
import { scheduled } from "../planner/scheduled-datasets.ts";
import { withAdvisoryLock } from "../postgres/advisory-lock.ts";
import type { Database } from "../postgres/database.ts";

/** Plans what is due today and queues it for any worker, beside failed slices whose next try is due; adopts orphaned slices. Returns nothing: the result is in the ledger. */
export async function planDue(parts: IngestParts, settings: Settings, names: readonly string[]): Promise<void> {
  const { db, clock, log, halted } = parts;
  await resumeOnCredits(parts, settings);
  await resumeOnBudgets(parts, settings);
  await requestFailedAgain(parts, settings);
  const chosen = scheduled(names, settings);
  if (chosen.length === 0) return;
  const request = { datasets: chosen, bounds: {}, today: clock.today() };
  await parts.reapDeadWorkers();
  await withAdvisoryLock(db, "planning", async (locked) => {
    const named = datasetsOf(request, settings).map(({ name }) => name);
    const { runId, adopted } = await openScheduled(parts, locked, { named, account: accountOf(settings) });
    const taken = await takeOver(parts, locked, { runId, request, settings, mostCredits: Number.POSITIVE_INFINITY });
    if (taken > 0) await announceQueued(locked);
    let planned = 0;
    let stage: Dataset["stage"] | null = null;
    const starts = await startsOf(locked, request, settings);
    const together = { most: slicesAtOnce, weigh: ({ slices }: PlanChunk) => slices.length };
    for await (const chunks of inGroups(planStarts(locked, starts), together)) {
      const slices = chunks.flatMap((chunk) => chunk.slices);
      planned += await enqueue(locked, runId, slices, clock.now());
      stage = chunks.at(-1)?.stage ?? stage;
      // what is left is planned by the next worker at its start
      if (halted.aborted) break;
    }
    if (!halted.aborted) await noteLostDays(locked, { runId, today: request.today, now: clock.now() });
    if (!halted.aborted) await noteTimings(locked, { request, settings, now: clock.now(), starts });
    await closeRun(locked, runId, halted.aborted ? "interrupted" : "planned", clock.now());
    log.info({ run_id: runId, stage, slices: planned, adopted }, "schedule.planned");
  });
}

/** Slices that are queued together, at least: a night's parts of a plan have few, and a transaction for each would cost more than they do. */
const slicesAtOnce = 1_000;

/** Opens a run of the schedule and adopts what foreground runs left unfinished, save what is beyond the price of a plan that a person agreed to. */
async function openScheduled(
  { clock, log }: IngestParts,
  db: Database,
  { named, account }: Pick<RunStart, "account"> & { readonly named: readonly string[] },
): Promise<{ readonly runId: string; readonly adopted: number }> {
  const runId = await openRun(
    db,
    { kind: "schedule", workerId: null, account, asOf: clock.today(), datasets: named, maxCredits: null },
    clock.now(),
  );
  const adopted = await adoptInto(db, runId, log);
  return { runId, adopted };
}

/** Resumes slices that wait for a budget which has room since its limit was raised. */
async function resumeOnBudgets({ db, clock, log, accountId, queueId }: IngestParts, settings: Settings): Promise<void> {
  const now = clock.now();
  const uses = await readBudgets(db, { accountId, budgets: budgetsOf(settings), day: dayOf(now) });
  const woken = await resumeWithinBudgets(
    db,
    uses.filter(({ refusedAt }) => refusedAt !== null),
    now,
    queueId,
  );
  if (woken > 0) log.info({ slices: woken }, "credits.resumed");
}

/**
 * Where slices wait for the reset of their credits, checks the balance and resumes the slices that it pays for: credits may
 * have been bought. When the check fails they stay deferred.
 */
async function resumeOnCredits(parts: IngestParts, settings: Settings): Promise<void> {
  const { db, clock, log, accountId, queueId } = parts;
  if (!(await isAnyWaitingForCredits(db, clock.now(), queueId))) return;
  try {
    await parts.refreshBalance();
  } catch (error) {
    if (!(error instanceof StorehouseError)) throw error;
    if (error instanceof AbortError) parts.abort(error);
    return;
  }
  const woken = await resumeAffordable(db, { accountId, floors: settings.credits.floors, queueId }, clock.now());
  if (woken > 0) log.info({ slices: woken }, "credits.resumed");
}

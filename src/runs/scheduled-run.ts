import { accountOf } from "../config/config-of-account.ts";
import type { Settings } from "../config/settings.ts";
import { isCovered } from "../core/credit-budget.ts";
import { dayOf } from "../core/day.ts";
import { readAgreed } from "../credits/agreement.ts";
import { dropOldPrices } from "../credits/costs.ts";
import type { IngestParts } from "../ingest/ingest-parts.ts";
import { resumeWithinBudgets, type BudgetWait } from "../ledger/budget-waits.ts";
import { callWorkers, openShards } from "../ledger/run-shards.ts";
import { openRun, type RunStart } from "../ledger/runs.ts";
import { announceQueued } from "../ledger/shared-queue.ts";
import { agreedOf } from "../planner/agreed-datasets.ts";
import type { BudgetRoom } from "../plan/over-budget.ts";
import { readRooms } from "../planner/credit-budgets.ts";
import { datasetsOf, readInputs } from "../planner/plan-stream.ts";
import type { SyncRequest } from "../planner/request.ts";
import { scheduled } from "../planner/scheduled-datasets.ts";
import { requestFailedAgain } from "./queue-retries.ts";
import { adoptOrphans, endBeyondPrices } from "./orphans.ts";
import { cancelOutOfPortfolio } from "./out-of-portfolio.ts";
import { checkBalanceIfDue, resumeOnCredits } from "./resume-on-credits.ts";
import { joinPlanning, planRun, stepAfter } from "./scheduled-planning.ts";
import { takeOver } from "./take-over.ts";

/**
 * Plans what is due today of these datasets (all that are on if none is named), as far as someone has agreed to them. The agreement is read
 * here, not when the job is queued: a yes counts from the next planning job on for all workers, and a job that another worker left in the
 * queue plans no more than was agreed to.
 */
export async function planAgreed(parts: IngestParts, settings: Settings, names: readonly string[]): Promise<void> {
  const chosen = agreedOf(names, await readAgreed(parts.db, parts.accountId), settings);
  const leftOut = scheduled(names, settings).filter((name) => !chosen.includes(name));
  if (leftOut.length > 0) parts.log.info({ datasets: leftOut.join(", ") }, "run.not_agreed");
  await planDue(parts, settings, chosen);
}

/**
 * Plans what is due today of the chosen datasets into the shared queue, with failed slices that are due for another try and orphaned slices.
 * If none is chosen, only resumes what waits.
 */
export async function planDue(parts: IngestParts, settings: Settings, chosen: readonly string[]): Promise<void> {
  await cancelOutOfPortfolio(parts, settings, { datasets: chosen, isWorker: true });
  await dropOldPrices(parts.db, parts.learned);
  const isAnyWaiting = await checkBalanceIfDue(parts);
  // the others after the plan: before it they would take the credits that snapshots of the night need
  if (isAnyWaiting) await resumeOnCredits(parts, settings, { onlySnapshots: true });
  await resumeOnBudgets(parts, settings);
  await endBeyondPrices(parts);
  await requestFailedAgain(parts, settings);
  if (chosen.length > 0) await planChosen(parts, settings, chosen);
  if (isAnyWaiting && !parts.halted.aborted) await resumeOnCredits(parts, settings, {});
}

async function planChosen(parts: IngestParts, settings: Settings, chosen: readonly string[]): Promise<void> {
  await parts.reapDeadWorkers();

  await adoptOrphans(parts, accountOf(settings));
  // first the planning that another worker has started or left unfinished, so that it is not planned again
  await joinPlanning(parts, settings);
  if (parts.halted.aborted) return;
  const request = { datasets: chosen, bounds: {}, today: parts.clock.today(), isScheduled: true } as const;
  const { runId, shards } = await openScheduled(parts, settings, request);
  const called = { account: accountOf(settings), workerId: parts.workerId, most: shards - 1 };
  if (shards > 1) await callWorkers(parts.db, called);
  await planRun(parts, settings, runId);
}

/** Opens a run of the schedule with the shards of its first stage. Takes over slices that wait for another account's credits. */
async function openScheduled(parts: IngestParts, settings: Settings, request: SyncRequest) {
  const { db, clock } = parts;
  const named = datasetsOf(request, settings);
  const start: RunStart = {
    kind: "schedule",
    workerId: null,
    account: accountOf(settings),
    asOf: request.today,
    datasets: named.map(({ name }) => name),
    maxCredits: null,
  };
  const inputs = await readInputs(db, request, settings);
  const runId = await db.transaction().execute(async (transaction) => {
    const opened = await openRun(transaction, start, clock.now());
    await openShards(transaction, opened, stepAfter(null, inputs));
    return opened;
  });
  const taken = await takeOver(parts, { runId, request, settings, mostCredits: Number.POSITIVE_INFINITY });
  if (taken > 0) await announceQueued(db);
  return { runId, shards: inputs.shards.length };
}

/** Resumes slices that wait for budgets that have room by now, because a limit was raised or nights took less. */
async function resumeOnBudgets({ db, clock, log, accountId, queueId }: IngestParts, settings: Settings): Promise<void> {
  const now = clock.now();
  const rooms = await readRooms(db, { settings, accountId, day: dayOf(now), now });
  const refuses = (room: BudgetRoom, { isForNights, cheapest }: BudgetWait) =>
    room.left - (isForNights ? room.forNights : 0) < cheapest;
  const isRefused = (wait: BudgetWait) => rooms.some((room) => isCovered(wait, room) && refuses(room, wait));
  const woken = await resumeWithinBudgets(db, isRefused, now, queueId);
  if (woken > 0) log.info({ slices: woken }, "credits.resumed");
}

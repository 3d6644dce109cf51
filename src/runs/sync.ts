import { accountOf } from "../config/config-of-account.ts";
import { datasetNamed, datasets as allDatasets } from "../datasets/shared/all.ts";
import { stages } from "../datasets/shared/define-dataset.ts";
import { reopen, type Reopening } from "../ledger/reopen.ts";
import { adoptOrphanedSlices, enqueue, recordNaivePrice, openRun } from "../ledger/runs.ts";
import { withAdvisoryLock } from "../postgres/advisory-lock.ts";
import type { Database } from "../postgres/database.ts";
import { noteLostDays } from "../ledger/lost-days.ts";
import { queueTries } from "../ledger/later-tries.ts";
import { dueTries } from "./later-tries.ts";
import { takeOver } from "./take-over.ts";
import { cutPlan } from "../planner/cut-to-budget.ts";
import { readUnfinished } from "./unfinished.ts";
import { noteTimings } from "../planner/record-timings.ts";
import { datasetsOf, planStarts, startsOf } from "../planner/plan-stream.ts";
import { drain, finish, runToEnd, type Wave } from "./run-to-end.ts";
import type { SyncParts, SyncResult } from "./run-parts.ts";
import type { SyncRequest } from "../planner/request.ts";
import { unreadLists, withUnread } from "../planner/unread-lists.ts";

/**
 * Plans what is missing and runs it to the end, wave by wave: the apps, then their countries, then their keywords, then the market,
 * since each is planned from what the one before loaded. Ends when nothing is due.
 */
export async function sync(parts: SyncParts, request: SyncRequest, maxCredits: number | null): Promise<SyncResult> {
  const { db, clock, workerId } = parts.ingest;
  const names = datasetsOf(request, parts.settings).map((dataset) => dataset.name);
  await parts.ingest.reapDeadWorkers();
  const account = accountOf(parts.settings);
  const runId = await openRun(
    db,
    { kind: "sync", workerId, account, asOf: request.today, datasets: names, maxCredits },
    clock.now(),
  );
  const wave = { runId, names, request };
  return runToEnd(parts, {
    runId,
    wave: () => planWave(parts, wave),
    readLeft: async () => {
      const left = await readUnfinished(db, { runId, datasets: names, within: request.bounds });
      // it checks again when the others are done
      if (left.runningElsewhere > 0) return left;
      return { ...left, unavailable: withUnread(left.unavailable, await unreadLists(db, request, parts.settings)) };
    },
  });
}

type WaveRequest = { readonly runId: string; readonly names: readonly string[]; readonly request: SyncRequest };

/** Queues what is to be done next: first orphaned slices, failed ones whose next try is due and those that wait for another account's credits, which the plan counts as covered, then what is planned from all that is in. */
function planWave(parts: SyncParts, { runId, names, request }: WaveRequest): Promise<Wave> {
  const { db, clock } = parts.ingest;
  return withAdvisoryLock(db, "planning", async (locked) => {
    const adopted = await adoptOrphanedSlices(locked, { runId, datasets: names, mostCredits: parts.budget.left() });
    const failed = await takeFailed(parts, locked, { runId, names });
    const { settings } = parts;
    const taking = { runId, request, settings, mostCredits: parts.budget.left() };
    const taken = adopted + failed > 0 ? 0 : await takeOver(parts.ingest, locked, taking);
    if (adopted + failed + taken > 0) return { taken: adopted + failed + taken, leftOut: 0, isWhole: false };
    const starts = await startsOf(locked, request, settings);
    const known = request.only === undefined ? { starts } : {};
    await noteTimings(locked, { request, settings, now: clock.now(), ...known });
    const { chunks, leftOut } = await cutPlan(() => planStarts(locked, starts), {
      mostCredits: parts.budget.left(),
      newestFirst: true,
    });
    let queued = 0;
    let isWhole = true;
    for await (const { slices, stage, naiveCredits } of chunks) {
      queued += await enqueue(locked, runId, slices, clock.now());
      parts.wake();
      isWhole = stage === stages.at(-1);
      if (leftOut.slices === 0) await recordNaivePrice(locked, runId, naiveCredits);
    }
    await noteLostDays(locked, { runId, today: request.today, now: clock.now() });
    return { taken: queued, leftOut: leftOut.slices, isWhole };
  });
}

/** Queues failed slices in the run whose next try is due. */
async function takeFailed(
  { ingest, settings, budget }: SyncParts,
  db: Database,
  { runId, names }: Pick<WaveRequest, "runId" | "names">,
): Promise<number> {
  const which = { settings, datasets: names, mostCredits: budget.left() };
  const { tries } = await dueTries(db, ingest.clock, which);
  return tries.length === 0 ? 0 : queueTries(db, { runId, tries, now: ingest.clock.now() });
}

/** Which slices a retry runs again: of every dataset when none is named, since what was loaded by hand fails as well. */
export function retried(request: SyncRequest, which: Omit<Reopening, "datasets">): Reopening {
  const named = request.datasets.length > 0 ? request.datasets.map(datasetNamed) : allDatasets;
  return { ...which, datasets: named.map(({ name }) => name) };
}

/** A retry: of which datasets, which of their slices, and what it may spend. */
type Retry = {
  readonly request: SyncRequest;
  readonly which: Omit<Reopening, "datasets">;
  readonly maxCredits: number | null;
};

/** Runs slices again that failed, to the end. */
export async function retryFailed(parts: SyncParts, { request, which, maxCredits }: Retry): Promise<SyncResult> {
  const { db, clock, workerId } = parts.ingest;
  const account = accountOf(parts.settings);
  const reopening = { ...retried(request, which), account };
  const { datasets } = reopening;
  await parts.ingest.reapDeadWorkers();
  const start = { kind: "retry", workerId, account, asOf: request.today, datasets, maxCredits } as const;
  const runId = await openRun(db, start, clock.now());
  await reopen(db, { ...reopening, runId });
  parts.wake();
  await drain(parts, runId, true);
  const left = await readUnfinished(db, { runId, datasets, within: {} });
  // one of named slices says nothing of others that failed before
  const { states: _, ...named } = which;
  const isOfSome = Object.keys(named).length > 0;
  return finish(parts, { runId, leftOut: 0, left: isOfSome ? { ...left, failedBefore: 0 } : left });
}

import { accountOf } from "../config/config-of-account.ts";
import { fail } from "../core/errors.ts";
import { noteQueued, readPlanElsewhere, runOfPlan } from "../ledger/plans.ts";
import { adoptOrphanedSlices } from "../ledger/adopt-slices.ts";
import { enqueueWithin, recordNaivePrice, openRun } from "../ledger/runs.ts";
import type { Database } from "../postgres/database.ts";
import { lockNumbers } from "../postgres/advisory-lock.ts";
import { planAgain, type BackfillPlan } from "../planner/backfill-plan.ts";
import { readUnfinished, type Unfinished } from "./unfinished.ts";
import { retryDatabase } from "../ingest/retry-database.ts";
import { createTally } from "../planner/plan-tally.ts";
import { locksOf, wholePlan } from "../planner/shards.ts";
import { runToEnd } from "./run-to-end.ts";
import type { SyncParts, SyncResult } from "./run-parts.ts";

/*
 * A plan is either not queued at all or queued whole: all of its slices are written in one transaction, which commits only if planning
 * again gives the digest of the plan. So a crash in the middle leaves nothing, and what runs is what was priced. From then on the plan
 * consists of its open slices, in any run.
 */

/**
 * Runs a plan exactly as it was made, or what is left of it. Throws `plan_changed` if it would be different now; then nothing was queued.
 */
export async function runPlan(parts: SyncParts, plan: BackfillPlan): Promise<SyncResult> {
  const { db, clock } = parts.ingest;
  const begun = plan.queuedAt === null ? await retryDatabase(parts.ingest, () => begin(parts, plan)) : null;
  const runId = begun ?? (await openRun(db, runStart(parts, plan), clock.now()));
  return runToEnd(parts, {
    runId,
    round: async () => ({ taken: await takeUp(parts, plan, runId), leftOut: 0, isWhole: true }),
    areOthersAtWork: async () => (await readPlanElsewhere(db, plan.planId, runId)).runningElsewhere > 0,
    readLeft: () => readLeft(db, plan, runId),
  });
}

function runStart(parts: SyncParts, plan: BackfillPlan) {
  return {
    kind: "backfill",
    workerId: parts.ingest.workerId,
    account: accountOf(parts.settings),
    asOf: plan.asOf,
    datasets: plan.request.datasets,
    maxCredits: plan.credits,
    planId: plan.planId,
  } as const;
}

/** Queues a plan and returns its run; null if another process has already queued it. */
function begin(parts: SyncParts, plan: BackfillPlan): Promise<string | null> {
  const { db, clock, workerId } = parts.ingest;
  return db.transaction().execute(async (transaction) => {
    await lockNumbers(transaction, "planning", locksOf(wholePlan));
    // the reply to a commit may be lost: then this process has queued the plan without knowing it
    if (!(await noteQueued(transaction, plan.planId, clock.now())))
      return runOfPlan(transaction, plan.planId, workerId);
    const runId = await openRun(transaction, runStart(parts, plan), clock.now());
    await queueAll(transaction, { parts, plan, runId });
    if (plan.naiveCredits !== null) await recordNaivePrice(transaction, runId, plan.naiveCredits);
    return runId;
  });
}

/** Slices that are written at a time. */
const queuedAtOnce = 2_000;

async function queueAll(
  transaction: Database,
  { parts, plan, runId }: { parts: SyncParts; plan: BackfillPlan; runId: string },
): Promise<void> {
  const { clock } = parts.ingest;
  const tally = createTally();
  let queued = 0;
  const { chunks } = await planAgain(transaction, plan, parts.settings);
  for await (const chunk of chunks) {
    tally.add(chunk);
    for (let from = 0; from < chunk.slices.length; from += queuedAtOnce) {
      const drafts = chunk.slices.slice(from, from + queuedAtOnce);
      queued += await enqueueWithin(transaction, runId, drafts, clock.now());
    }
    // already more than the plan has: the rest is not needed
    if (queued > plan.slices) break;
  }
  // fewer are queued than planned if another run has one of them open
  if (queued !== plan.slices || tally.sum().digest !== plan.digest) throw fail("plan_changed", { plan: plan.planId });
}

/** Adopts open slices of a plan that no process runs: left by a run that ended too early, or deferred until credits were available. */
function takeUp(parts: SyncParts, plan: BackfillPlan, runId: string): Promise<number> {
  return adoptOrphanedSlices(parts.ingest.db, {
    runId,
    datasets: plan.request.datasets,
    planId: plan.planId,
    mostCredits: parts.runLimit.left(),
  });
}

async function readLeft(db: Database, plan: BackfillPlan, runId: string): Promise<Unfinished> {
  const { runningElsewhere, orphaned } = await readPlanElsewhere(db, plan.planId, runId);
  const found = await readUnfinished(db, { runId, datasets: plan.request.datasets, within: {} });
  return { ...found, runningElsewhere, orphaned, failedBefore: 0, nextTryAt: null };
}

import { accountOf } from "../config/config-of-account.ts";
import { insertBatches } from "../ledger/batches.ts";
import { joinWaiting } from "../ledger/join-waiting.ts";
import type { TimingLine } from "../ledger/dataset-timings.ts";
import { endOldTries, hasLaterTries } from "../ledger/failed-retries.ts";
import { endUnpaidTries } from "../ledger/retry-limits.ts";
import { noteLostDays } from "../ledger/lost-days.ts";
import type { PastWanted } from "../ledger/past-slices.ts";
import { addPlanned } from "../ledger/runs.ts";
import { insertSlices } from "../ledger/slices.ts";
import type { IngestParts } from "../ingest/ingest-parts.ts";
import type { LimitCut } from "../planner/cut-to-limit.ts";
import { pastOf } from "../planner/plan-coverage.ts";
import { planStarts, startsIn, type PlanningInputs } from "../planner/plan-stream.ts";
import { recordSettings, ownTimings, type OwnTimings } from "../planner/record-settings.ts";
import { locksOf, wholePlan, type Shard } from "../planner/shards.ts";
import type { Dataset } from "../datasets/shared/define-dataset.ts";
import type { SliceDraft } from "../core/slice.ts";
import { lockNumbers } from "../postgres/advisory-lock.ts";
import type { Database } from "../postgres/database.ts";

/** A shard to plan: its run, and what it is planned from. */
export type ShardOrder = {
  readonly runId: string;
  readonly inputs: PlanningInputs;
  readonly shard: Shard;
  readonly stage: Dataset["stage"];
  /** Removes what the limit of the run does not pay for; if left out, everything is planned. */
  readonly cut?: LimitCut["cut"];
};

/** The result of a shard. `isWhole` is false if the process was halted before all of it was planned. */
export type PlannedShard = {
  readonly slices: number;
  readonly naiveCredits: number;
  readonly timings: readonly TimingLine[];
  /** Past days that are worth summarising before the next night. */
  readonly past: readonly PastWanted[];
  readonly isWhole: boolean;
};

/** Slices that are written at a time: a shard of one night has fewer, and a long history must not fill the memory. */
const queuedAtOnce = 10_000;

/**
 * Plans a shard and queues it, in a transaction of the caller that does nothing after it: until it ends, no other process plans the same
 * cells.
 */
export async function planShard(
  { db, clock, halted, crashPoint }: Pick<IngestParts, "db" | "clock" | "halted" | "crashPoint">,
  transaction: Database,
  { runId, inputs, shard, stage, cut = (plan) => plan }: ShardOrder,
): Promise<PlannedShard> {
  await lockNumbers(transaction, "planning", locksOf(shard));
  const starts = await startsIn(transaction, inputs, { shard, stage });
  const ids: string[] = [];
  let drafts: SliceDraft[] = [];
  let naiveCredits = 0;
  const queue = async () => {
    // not in the transaction: another shard with the same new list would wait for it to end
    await insertBatches(db, drafts);
    const wider = await joinWaiting(transaction, runId, drafts);
    for (const id of await insertSlices(transaction, runId, wider, clock.now())) ids.push(id);
    drafts = [];
  };
  for await (const chunk of cut(planStarts(transaction, starts))) {
    for (const slice of chunk.slices) drafts.push(slice);
    naiveCredits += chunk.naiveCredits;
    if (drafts.length >= queuedAtOnce) await queue();
    if (halted.aborted) break;
  }
  await queue();
  await crashPoint?.("in a shard");
  // last: it locks the run for others that plan for it
  if (ids.length > 0) await addPlanned(transaction, runId, ids);
  return {
    slices: ids.length,
    naiveCredits,
    timings: ownTimings(starts),
    past: starts.flatMap((start) => pastOf(start) ?? []),
    isWhole: !halted.aborted,
  };
}

/**
 * Records what is known after a run has planned: when datasets are requested again, which failed slices are too old or too expensive to
 * retry, and which days can no longer be requested. In a transaction of the caller, while nothing is planned.
 */
export async function endPlanning(
  { clock }: Pick<IngestParts, "clock">,
  transaction: Database,
  { runId, request, settings, own }: PlanningEnd,
): Promise<void> {
  await lockNumbers(transaction, "planning", locksOf(wholePlan));
  await recordSettings(transaction, { request, settings, own });
  if (await hasLaterTries(transaction)) {
    await endOldTries(transaction, request.today);
    const { retries_a_day: creditsADay } = settings.credits;
    await endUnpaidTries(transaction, { account: accountOf(settings), creditsADay });
  }
  await noteLostDays(transaction, { runId, today: request.today, now: clock.now() });
}

/** A run that has planned; `own` as for `recordSettings`. */
export type PlanningEnd = Pick<PlanningInputs, "request" | "settings"> & {
  readonly runId: string;
  readonly own: OwnTimings | undefined;
};

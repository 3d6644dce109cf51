import type { Day } from "../core/day.ts";
import { accountOf } from "../config/config-of-account.ts";
import { readRefusedLately, type RefusedLately } from "../credits/account-stop.ts";
import { datasetNamed, datasets as allDatasets } from "../datasets/shared/all.ts";
import { stages, type Dataset } from "../datasets/shared/define-dataset.ts";
import type { TimingLine } from "../ledger/dataset-timings.ts";
import { reopen, type Reopening } from "../ledger/reopen.ts";
import { adoptOrphanedSlices, type Adoption } from "../ledger/adopt-slices.ts";
import { isOfAccount, isOpen } from "../ledger/open-slices.ts";
import { sql, type SqlFragment } from "../postgres/sql.ts";
import { openRun, readPlansAfter, recordNaivePrice } from "../ledger/runs.ts";
import { withLastRequests } from "../ledger/last-requests.ts";
import { lockNumbers } from "../postgres/advisory-lock.ts";
import type { Database } from "../postgres/database.ts";
import { readWaitingRetries } from "../ledger/waiting-slices.ts";
import { sumBy } from "../core/sum.ts";
import { queueTries } from "../ledger/failed-retries.ts";
import { putOffTries } from "../ledger/retry-limits.ts";
import { dueTries } from "./queue-retries.ts";
import { cancelOutOfPortfolio } from "./out-of-portfolio.ts";
import { takeOver } from "./take-over.ts";
import { limitCut, withoutRefused } from "../planner/cut-to-limit.ts";
import { areOthersAtWork, readUnfinished } from "./unfinished.ts";
import { datasetsOf, planStage, readInputs, type PlanChunk } from "../planner/plan-stream.ts";
import { locksOf, wholePlan } from "../planner/shards.ts";
import { endPlanning, planShard } from "./plan-shard.ts";
import { drain, finish, runToEnd, type Round } from "./run-to-end.ts";
import type { SyncParts, SyncResult } from "./run-parts.ts";
import type { SyncRequest } from "../planner/request.ts";
import { unreadLists, withUnread } from "../planner/unread-lists.ts";

/**
 * Plans what is missing and runs it to the end, one round of planning after the other: the apps, then their countries, then their keywords, then the market, since
 * each round is planned from what the one before loaded. Ends when nothing is due.
 */
export async function sync(parts: SyncParts, request: SyncRequest, maxCredits: number | null): Promise<SyncResult> {
  const { db, clock, workerId } = parts.ingest;
  const names = datasetsOf(request, parts.settings).map((dataset) => dataset.name);
  await cancelOutOfPortfolio(parts.ingest, parts.settings, { datasets: names, isWorker: false });
  const account = accountOf(parts.settings);
  const isTaken = sql`(s.state = 'failed' or ${isOpen()})`;
  const others = await plannedFrom(db, isTaken, { datasets: names, account, today: request.today });
  // its own rounds plan these, unless days or a limit keep it from that
  const isWhole = Object.keys(request.bounds).length === 0 && maxCredits === null;
  const plansAfter = isWhole && others.every((name) => names.includes(name)) ? [] : others;
  const own = { workerId, account, asOf: request.today, within: request.bounds, maxCredits };
  const runId = await openRun(db, { kind: "sync", ...own, datasets: names, plansAfter }, clock.now());
  const round = { runId, names, request };
  return runToEnd(parts, {
    runId,
    round: () => planRound(parts, round),
    areOthersAtWork: () => areOthersAtWork(db, { runId, datasets: names }),
    readLeft: async () => {
      const left = await readUnfinished(db, { runId, datasets: names, within: request.bounds });
      // the run checks again when the others are done
      if (left.runningElsewhere > 0) return left;
      return { ...left, unavailable: withUnread(left.unavailable, await unreadLists(db, request, parts.settings)) };
    },
  });
}

/** What the runs of today would have planned from those lists among these datasets that a slice `s` with `isMeant` is about. */
async function plannedFrom(
  db: Database,
  isMeant: SqlFragment,
  { datasets, account, today }: { readonly datasets: readonly string[]; readonly account: string; readonly today: Day },
): Promise<readonly string[]> {
  const lists = datasets.filter((name) => datasetNamed(name).stage !== "market");
  if (lists.length === 0) return [];
  return readPlansAfter(db, sql`${isMeant} and s.dataset = any (${lists}::text[]) and ${isOfAccount(account)}`, today);
}

type RoundRequest = { readonly runId: string; readonly names: readonly string[]; readonly request: SyncRequest };

/**
 * Queues the next slices: first waiting snapshots and failed slices whose next try is due, which the plan counts as covered, then those
 * planned from all that is loaded. Other slices that wait from earlier nights are queued with those of the market, where each class goes
 * before the next: queued before the plan, they would take the credits that tonight's snapshots need. Under a limit of credits they get
 * what the plan leaves. Operations that were refused lately come last, in a round of their own: they may end the run, and a list of the
 * account among them would keep everything that comes after it from being planned.
 */
async function planRound(parts: SyncParts, round: RoundRequest): Promise<Round> {
  const isLimited = parts.runLimit.left() !== Number.POSITIVE_INFINITY;
  const snapshots = await adopt(parts, round, { onlySnapshots: true, withoutRefused: true });
  const first = snapshots + (isLimited ? 0 : await takeFailed(parts, round, { withoutRefused: true }));
  if (first > 0) return { taken: first, leftOut: 0, isWhole: false };
  const refused = await readRefusedLately(parts.ingest.db, accountOf(parts.settings));
  if (refused.size > 0) {
    const others = await planRest(parts, round, { refused, leavesOut: true });
    const isPlanned = isLimited ? others.taken === 0 : others.isWhole;
    const waiting = isPlanned ? await takeOwnWaiting(parts, round, { withoutRefused: true }) : 0;
    if (others.taken + waiting > 0) return { ...others, taken: others.taken + waiting, isWhole: false };
  }
  const planned = await planRest(parts, round, { refused, leavesOut: false });
  if (isLimited ? planned.taken > 0 : !planned.isWhole) return planned;
  const rest = await takeWaiting(parts, round);
  return rest > 0 ? { taken: planned.taken + rest, leftOut: 0, isWhole: !isLimited } : planned;
}

/** Queues orphaned slices and failed ones whose next try is due; if there are none, those that wait for another account's credits. */
async function takeWaiting(parts: SyncParts, round: RoundRequest): Promise<number> {
  const { runId, request } = round;
  const taken = await takeOwnWaiting(parts, round);
  if (taken > 0) return taken;
  return takeOver(parts.ingest, { runId, request, settings: parts.settings, mostCredits: parts.runLimit.left() });
}

/** Queues orphaned slices and failed ones whose next try is due. */
async function takeOwnWaiting(
  parts: SyncParts,
  round: RoundRequest,
  which: Pick<Adoption, "withoutRefused"> = {},
): Promise<number> {
  return (await adopt(parts, round, which)) + (await takeFailed(parts, round, which));
}

function adopt(
  { ingest: { db }, runLimit }: SyncParts,
  { runId, names }: RoundRequest,
  which: Pick<Adoption, "onlySnapshots" | "withoutRefused"> = {},
): Promise<number> {
  return adoptOrphanedSlices(db, { runId, datasets: names, mostCredits: runLimit.left(), ...which });
}

/**
 * Plans the first stage that has something to do within the limit, shard by shard, and records what is known after it. A list that costs
 * more than the limit stays as it was last read: otherwise a sync with such a limit would request only lists from the day it is due.
 */
async function planRest(
  { ingest, settings, runLimit, wake }: SyncParts,
  { runId, request }: RoundRequest,
  { refused, leavesOut }: { readonly refused: RefusedLately; readonly leavesOut: boolean },
): Promise<Round> {
  const { db } = ingest;
  const inputs = await readInputs(db, request, settings);
  const wanted = (plan: AsyncIterable<PlanChunk>) => (leavesOut ? withoutRefused(plan, refused) : plan);
  const own = { datasets: [] as string[], lines: [] as TimingLine[] };
  let [queued, leftOut, stage] = [0, 0, stages[0] as Dataset["stage"]];
  for (stage of stages) {
    const limit = { mostCredits: runLimit.left(), newestFirst: true, refused, completed: withTurns(db) };
    const { cut, leftOut: beyond } = await limitCut(() => wanted(planStage(db, inputs, { stage })), limit);
    leftOut += beyond.slices;
    for (const shard of inputs.shards) {
      const planned = await db.transaction().execute(async (transaction) => {
        const found = await planShard(ingest, transaction, {
          runId,
          inputs,
          shard,
          stage,
          cut: (plan) => cut(wanted(plan)),
        });
        if (leftOut === 0 && found.naiveCredits > 0) await recordNaivePrice(transaction, runId, found.naiveCredits);
        return found;
      });
      if (planned.slices > 0) wake();
      queued += planned.slices;
      own.lines.push(...planned.timings);
    }
    own.datasets.push(...inputs.chosen.filter((one) => one.stage === stage).map(({ name }) => name));
    if (queued > 0 || ingest.halted.aborted) break;
  }
  const end = { runId, request, settings, own: request.only === undefined ? own : undefined };
  await db.transaction().execute((transaction) => endPlanning(ingest, transaction, end));
  return { taken: queued, leftOut, isWhole: stage === stages.at(-1) };
}

/** Adds the days on which snapshots were last requested: a limit takes those first that were requested longest ago. */
function withTurns(db: Database): (chunk: PlanChunk) => Promise<PlanChunk> {
  return async (chunk) => ({ ...chunk, slices: await withLastRequests(db, chunk.dataset, chunk.slices) });
}

/** Queues failed slices whose next try is due in the run, while no other process plans their cells. */
async function takeFailed(
  { ingest: { db, clock }, settings, runLimit }: SyncParts,
  { runId, names }: RoundRequest,
  which: Pick<Adoption, "withoutRefused">,
): Promise<number> {
  const tried = { settings, datasets: names, mostCredits: runLimit.left(), ...which };
  const found = await dueTries(db, clock, tried);
  await putOffTries(db, found.ofNextDay, found.now);
  if (found.tries.length === 0) return 0;
  return db.transaction().execute(async (transaction) => {
    await lockNumbers(transaction, "planning", locksOf(wholePlan));
    const { tries } = await dueTries(transaction, clock, tried);
    return tries.length === 0 ? 0 : queueTries(transaction, { runId, tries, now: clock.now() });
  });
}

/** Which slices a retry runs again: of every dataset if none is named, since slices of datasets that were fetched by hand fail too. */
export function retried(request: SyncRequest, which: Omit<Reopening, "datasets">): Reopening {
  const named = request.datasets.length > 0 ? request.datasets.map(datasetNamed) : allDatasets;
  return { ...which, datasets: named.map(({ name }) => name) };
}

/** True for a retry of some slices of its datasets: it says nothing about the others. */
export function isNarrowed(which: Omit<Reopening, "datasets">): boolean {
  return Object.keys(which).some((key) => key !== "states");
}

/** A retry: its datasets, which of their slices, and what it may spend. */
type Retry = {
  readonly request: SyncRequest;
  readonly which: Omit<Reopening, "datasets">;
  readonly maxCredits: number | null;
};

/**
 * Runs failed slices again, to the end, and without a limit of credits those that an earlier retry did not finish. A retry of some slices
 * leaves these alone: if it finds nothing to do, its result counts them as left out.
 */
export async function retryFailed(parts: SyncParts, { request, which, maxCredits }: Retry): Promise<SyncResult> {
  const { db, clock, workerId } = parts.ingest;
  const account = accountOf(parts.settings);
  const reopening = { ...retried(request, which), account };
  const { datasets } = reopening;
  const plansAfter = await plannedFrom(db, sql`s.state = 'failed'`, { datasets, account, today: request.today });
  const own = { workerId, account, asOf: request.today, maxCredits };
  const runId = await openRun(db, { kind: "retry", ...own, datasets, plansAfter }, clock.now());
  const isOfSome = isNarrowed(which);
  const reopened = await db.transaction().execute((transaction) => reopen(transaction, { ...reopening, runId }));
  // a limit is the price of what failed: others would use it up
  if (!isOfSome && maxCredits === null)
    await adoptOrphanedSlices(db, { runId, datasets, onlyRetries: true, mostCredits: parts.runLimit.left() });
  parts.wake();
  await drain(parts, { runId, isWhole: true, elsewhere: 0 });
  const left = await readUnfinished(db, { runId, datasets, within: {} });
  if (!isOfSome) return finish(parts, { runId, leftOut: 0, left });
  const waiting = reopened > 0 ? [] : await readWaitingRetries(db, { ...which, datasets, account });
  const leftOut = sumBy(waiting, ({ slices }) => slices);
  return finish(parts, { runId, leftOut, left: { ...left, failedBefore: 0 } });
}

import { accountOf } from "../config/config-of-account.ts";
import type { Settings } from "../config/settings.ts";
import { datasets } from "../datasets/shared/all.ts";
import { stages, type Dataset } from "../datasets/shared/define-dataset.ts";
import type { IngestParts } from "../ingest/ingest-parts.ts";
import {
  addToShard,
  awaitShard,
  claimShard,
  closePlanning,
  endShard,
  leavePlanning,
  openShards,
  readShardTimings,
  runInPlanning,
  runsInPlanning,
  type PlanningStep,
  type RunShard,
} from "../ledger/run-shards.ts";
import { sumUpPast, type PastWanted } from "../ledger/past-slices.ts";
import { datasetsOf, readInputs, type PlanningInputs } from "../planner/plan-stream.ts";
import { scheduled } from "../planner/scheduled-datasets.ts";
import { hasDataset } from "../planner/shards.ts";
import type { Database } from "../postgres/database.ts";
import { endPlanning, planShard } from "./plan-shard.ts";

/*
 * A scheduled run is planned shard by shard, by any number of workers. Each takes the next shard that no other worker has locked. At the
 * end it waits for the last shards of the others, and takes over if one of them dies. The last shard of a stage opens the next stage if
 * nothing was due, otherwise the end, which closes the run.
 */

type Parts = Pick<IngestParts, "db" | "clock" | "log" | "halted" | "crashPoint">;

/** Shards that a process plans at a time: while one waits for the database, another is computed. */
const atOnce = 2;

/**
 * Takes part in planning that other workers of the account do, or left unfinished, until it is complete. Unfinished planning of an earlier
 * day is dropped.
 */
export async function joinPlanning(parts: Parts, settings: Settings): Promise<void> {
  const { db, clock, halted } = parts;
  for (const { runId, asOf } of await runsInPlanning(db, accountOf(settings))) {
    if (halted.aborted) return;
    if (asOf === clock.today()) await planRun(parts, settings, runId);
    else await db.transaction().execute((transaction) => leavePlanning(transaction, runId, clock.now()));
  }
}

/** Plans a run until it is complete, or the process is halted. Datasets that were switched off after it started take no part. */
export async function planRun(parts: Parts, settings: Settings, runId: string): Promise<void> {
  const { db, clock, halted } = parts;
  const run = await runInPlanning(db, runId);
  if (run === null) return;
  const leave = () => db.transaction().execute((transaction) => leavePlanning(transaction, runId, clock.now()));
  const known = run.datasets.filter((name) => datasets.some((dataset) => dataset.name === name));
  // an empty list of names would mean all that are on
  const names = known.length === 0 ? [] : scheduled(known, settings);
  if (names.length === 0) return leave();
  const request = { datasets: names, bounds: {}, today: run.asOf, isScheduled: true } as const;
  const chosen = datasetsOf(request, settings).filter(({ name }) => run.datasets.includes(name));
  const inputs = await readInputs(db, request, settings, chosen);
  const loops = Math.min(atOnce, inputs.shards.length);
  await Promise.all(Array.from({ length: loops }, () => planShards(parts, runId, inputs)));
  // the rest is planned by another worker, or by the next one when it starts
  if (halted.aborted) await leave();
}

async function planShards(parts: Parts, runId: string, inputs: PlanningInputs): Promise<void> {
  const { db, halted } = parts;
  const planNext = (transaction: Database) => planOne(parts, transaction, { runId, inputs });
  while (!halted.aborted) {
    const past = await db.transaction().execute(planNext);
    if (past === null && !(await awaitShard(db, runId))) return;
    // the plan is queued by now, and nobody waits for this
    for (const one of past ?? []) await sumUpPast(db, one);
  }
}

/**
 * Plans the next shard that no other process has, or ends the run if that shard is the end. Returns the past days that are worth
 * summarising after it; null if there is no shard.
 */
async function planOne(
  parts: Parts,
  transaction: Database,
  { runId, inputs }: Pick<Claimed, "runId" | "inputs">,
): Promise<readonly PastWanted[] | null> {
  const claimed = await claimShard(transaction, runId);
  if (claimed === null) return null;
  if (claimed.step !== "end") return planClaimed(parts, transaction, { runId, inputs, claimed, stage: claimed.step });
  await close(parts, transaction, { runId, inputs });
  return [];
}

type Claimed = {
  readonly runId: string;
  readonly inputs: PlanningInputs;
  readonly claimed: RunShard;
  readonly stage: Dataset["stage"];
};

async function planClaimed(
  parts: Parts,
  transaction: Database,
  { runId, inputs, claimed, stage }: Claimed,
): Promise<readonly PastWanted[]> {
  const order = { runId, inputs, shard: claimed, stage };
  const { slices, timings, past, isWhole } = await planShard(parts, transaction, order);
  if (!isWhole) {
    // the rest of it is planned by the next worker
    await addToShard(transaction, runId, { ...claimed, slices });
    return [];
  }
  const planned = await endShard(transaction, runId, { ...claimed, slices, timings, now: parts.clock.now() });
  if (planned !== null) await openShards(transaction, runId, planned > 0 ? end : stepAfter(stage, inputs));
  return past;
}

const end = { step: "end", shards: [{ number: 0, of: 1 }] } as const;

/** The step after a stage, or after null the first one: the next stage that has datasets, with its shards, or the end. */
export function stepAfter(
  stage: Dataset["stage"] | null,
  { chosen, shards }: Pick<PlanningInputs, "chosen" | "shards">,
): { readonly step: PlanningStep; readonly shards: readonly Pick<RunShard, "number" | "of">[] } {
  const from = stage === null ? 0 : stages.indexOf(stage) + 1;
  for (const step of stages.slice(from)) {
    const own = chosen.filter((dataset) => dataset.stage === step);
    const needed = shards.filter((shard) => own.some((dataset) => hasDataset(shard, dataset)));
    if (needed.length > 0) return { step, shards: needed };
  }
  return end;
}

async function close(
  parts: Parts,
  transaction: Database,
  { runId, inputs: { request, settings, chosen } }: Pick<Claimed, "runId" | "inputs">,
): Promise<void> {
  const { clock, log } = parts;
  const found = await readShardTimings(transaction, runId);
  const steps = new Set(found.map(({ step }) => step));
  const own = {
    datasets: chosen.filter((dataset) => steps.has(dataset.stage)).map(({ name }) => name),
    lines: found.flatMap(({ timings }) => timings ?? []),
  };
  await endPlanning(parts, transaction, { runId, request, settings, own });
  const slices = await closePlanning(transaction, runId, { outcome: "planned", now: clock.now() });
  log.info({ run_id: runId, stage: stages.findLast((stage) => steps.has(stage)) ?? null, slices }, "schedule.planned");
}

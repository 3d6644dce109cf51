import type { Settings } from "../config/settings.ts";
import { AbortError, StorehouseError } from "../core/errors.ts";
import { datasets as allDatasets } from "../datasets/shared/all.ts";
import type { Dataset } from "../datasets/shared/define-dataset.ts";
import type { IngestParts } from "../ingest/ingest-parts.ts";
import { isAnyPutOff, wakeAffordable } from "../ledger/queue.ts";
import { type Adoption, adoptOpen, closeRun, enqueue, isAnyBrokenOff, openRun } from "../ledger/runs.ts";
import { dropBeyondLimit, dropBeyondPrices } from "../ledger/unpaid-slices.ts";
import { datasetsOf, planChunks } from "../planner/plan-stream.ts";
import { noteTimings } from "../planner/record-timings.ts";
import { scheduled } from "../planner/scheduled-datasets.ts";
import { planningLock } from "../postgres/advisory-lock.ts";
import type { Database } from "../postgres/database.ts";

/** Plans what is due today and queues it for any worker; takes over what dead processes left open. Returns nothing: the ledger tells. */
export async function planDue(parts: IngestParts, settings: Settings, names: readonly string[]): Promise<void> {
  const { db, clock, log, halted } = parts;
  await wakeBought(parts, settings);
  const chosen = scheduled(names, settings);
  if (chosen.length === 0) return;
  const request = { datasets: chosen, bounds: {}, today: clock.today() };
  await parts.freeTheDead();
  await planningLock(db, async (locked) => {
    const { runId, adopted } = await takeOver(parts, locked, settings, { datasets: chosen, leftBy: "foreground" });
    let planned = 0;
    let stage: Dataset["stage"] | null = null;
    for await (const chunk of planChunks(locked, request, settings)) {
      planned += await enqueue(locked, runId, chunk.slices, clock.now());
      stage = chunk.stage;
      // what is left is planned by the next worker at its start
      if (halted.aborted) break;
    }
    if (!halted.aborted) await noteTimings(locked, { request, settings, now: clock.now() });
    await closeRun(locked, runId, halted.aborted ? "interrupted" : "loaded", clock.now());
    log.info({ run_id: runId, stage, slices: planned, adopted }, "schedule.planned");
  });
}

/** Takes over what foreground runs left that died; what was stopped in good order waits for the next tick. */
export async function takeOverDead(parts: IngestParts, settings: Settings): Promise<void> {
  if (!(await isAnyBrokenOff(parts.db))) return;
  await planningLock(parts.db, async (locked) => {
    if (!(await isAnyBrokenOff(locked))) return;
    const wanted = { datasets: scheduled([], settings), leftBy: "broken_off" } as const;
    const { runId, adopted } = await takeOver(parts, locked, settings, wanted);
    await closeRun(locked, runId, "loaded", parts.clock.now());
    parts.log.warn({ run_id: runId, adopted }, "runs.adopted");
  });
}

/** Opens a run of the schedule and moves into it what others left open, save what is beyond a limit or the price of a plan that a person agreed to. */
async function takeOver(
  { clock, log }: IngestParts,
  db: Database,
  settings: Settings,
  { datasets, leftBy }: Pick<Adoption, "datasets" | "leftBy">,
): Promise<{ readonly runId: string; readonly adopted: number }> {
  const request = { datasets, bounds: {}, today: clock.today() };
  const named = datasetsOf(request, settings).map(({ name }) => name);
  const runId = await openRun(
    db,
    { kind: "schedule", workerId: null, asOf: request.today, datasets: named, maxCredits: null },
    clock.now(),
  );
  const dropped = (await dropBeyondLimit(db)) + (await dropBeyondPrices(db));
  if (dropped > 0) log.info({ slices: dropped }, "runs.over_budget");
  const adopted = await adoptOpen(db, {
    runId,
    // also of datasets that are off: what was begun by hand and put off goes on by itself
    datasets: allDatasets.map((dataset) => dataset.name),
    mostCredits: Number.POSITIVE_INFINITY,
    ...(leftBy === undefined ? {} : { leftBy }),
  });
  return { runId, adopted };
}

/**
 * Where slices wait for the reset of their credits, asks for the balance, which is free, and lets go on what it pays for: credits may
 * have been bought. When the question fails they wait on.
 */
async function wakeBought(parts: IngestParts, settings: Settings): Promise<void> {
  const { db, clock, log, accountId } = parts;
  if (!(await isAnyPutOff(db, clock.now()))) return;
  try {
    await parts.refreshBalance();
  } catch (error) {
    if (!(error instanceof StorehouseError)) throw error;
    if (error instanceof AbortError) parts.abort(error);
    return;
  }
  const woken = await wakeAffordable(db, { accountId, floors: settings.credits.floors }, clock.now());
  if (woken > 0) log.info({ slices: woken }, "credits.resumed");
}

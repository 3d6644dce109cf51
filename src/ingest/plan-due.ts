import type { Settings } from "../config/settings.ts";
import { dayOf } from "../core/day.ts";
import { datasetNamed, datasets as allDatasets } from "../datasets/all.ts";
import type { Dataset } from "../datasets/define-dataset.ts";
import { dropBeyondLimit } from "../ledger/beyond-limit.ts";
import { dropBeyondPrices } from "../ledger/plan-prices.ts";
import { adoptOpen, closeRun, enqueue, isAnyBrokenOff, openRun, type Adoption } from "../ledger/runs.ts";
import type { Database } from "../warehouse/database.ts";
import { planningLock } from "../warehouse/planning-lock.ts";
import { wakeBought } from "./bought-credits.ts";
import { noteTimings } from "./note-timings.ts";
import type { IngestParts } from "./parts.ts";
import { datasetsOf, planChunks } from "./planning.ts";

/**
 * Which of the datasets that a line of the schedule names take part: none that the configuration switches off, and no list of what the
 * account follows where it does not count. Those that are on when none is named.
 */
export function scheduled(names: readonly string[], settings: Settings): readonly string[] {
  if (names.length === 0) return datasetsOf(everythingOn, settings).map(({ name }) => name);
  const counts = ({ stage }: Dataset) => stage !== "portfolio" || settings.portfolio.source !== "config";
  return names.filter((name) => settings.datasets[name]?.on !== false && counts(datasetNamed(name)));
}

/** The names of datasets do not depend on the day. */
const everythingOn = { datasets: [], bounds: {}, today: dayOf(0) };

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
    parts.log.warn({ run_id: runId, adopted }, "runs.taken_over");
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
  if (dropped > 0) log.info({ slices: dropped }, "runs.beyond_their_limit");
  const adopted = await adoptOpen(db, {
    runId,
    // also of datasets that are off: what was begun by hand and put off goes on by itself
    datasets: allDatasets.map((dataset) => dataset.name),
    mostCredits: Number.POSITIVE_INFINITY,
    ...(leftBy === undefined ? {} : { leftBy }),
  });
  return { runId, adopted };
}

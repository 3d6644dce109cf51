import { sql } from "kysely";
import type { Settings } from "../config/settings.ts";
import type { Slice } from "../core/slice.ts";
import { datasets as allDatasets } from "../datasets/all.ts";
import type { Dataset } from "../datasets/define-dataset.ts";
import { sharedQueue } from "../ledger/queue.ts";
import { adoptOpen, closeRun, enqueue, openRun } from "../ledger/runs.ts";
import { buryDead } from "../ledger/workers.ts";
import { planningLock } from "../warehouse/planning-lock.ts";
import type { IngestParts } from "./parts.ts";
import { datasetsOf, planChunks } from "./planning.ts";

/** Plans what is due today and queues it for any worker; takes over what dead processes left open. Returns nothing: the ledger tells. */
export async function planDue(parts: IngestParts, settings: Settings, names: readonly string[]): Promise<void> {
  const { db, clock, log } = parts;
  const request = { datasets: names, bounds: {}, today: clock.today() };
  const datasets = datasetsOf(request, settings).map((dataset) => dataset.name);
  await buryDead(db, clock);
  await planningLock(db, async (locked) => {
    const runId = await openRun(
      locked,
      { kind: "schedule", workerId: null, asOf: request.today, datasets, maxCredits: null },
      clock.now(),
    );
    const adopted = await adoptOpen(locked, {
      runId,
      // also of datasets that are off: what was begun by hand and put off goes on by itself
      datasets: allDatasets.map((dataset) => dataset.name),
      mostCredits: Number.POSITIVE_INFINITY,
    });
    let planned = 0;
    let stage: Dataset["stage"] | null = null;
    for await (const chunk of planChunks(locked, request, settings)) {
      planned += await enqueue(locked, runId, chunk.slices, clock.now());
      stage = chunk.stage;
    }
    await closeRun(locked, runId, "loaded", clock.now());
    log.info({ run_id: runId, stage, slices: planned, adopted }, "schedule.planned");
  });
}

/** Slices of one wave end one after the other; planning waits until so many first waits after an error have passed without one. */
const quiet = 2;

/**
 * Plans again soon after a slice of the shared queue brought what is followed, since the next wave is planned from it.
 * A foreground sync plans its own waves.
 */
export async function planAfter(parts: IngestParts, slice: Slice): Promise<void> {
  if (parts.queueId !== sharedQueue) return;
  const at = new Date(parts.clock.now() + quiet * parts.retryMs).toISOString();
  await sql`
    select graphile_worker.add_job('plan_due', json_build_object('datasets', datasets), run_at := ${at}::timestamptz,
                                   job_key := 'plan_due after ' || md5(datasets::text), max_attempts := 3)
    from   ops.run
    where  run_id = ${slice.runId}`.execute(parts.db);
}

import type { Settings } from "../config/settings.ts";
import { adoptOpen, closeRun, enqueue, openRun } from "../ledger/runs.ts";
import { buryDead } from "../ledger/workers.ts";
import { planningLock } from "../warehouse/planning-lock.ts";
import type { IngestParts } from "./parts.ts";
import { datasetsOf, planRequest } from "./planning.ts";

/** Plans what is due today and queues it for any worker; takes over what dead processes left open. Returns nothing: the ledger tells. */
export async function planDue(parts: IngestParts, settings: Settings, names: readonly string[]): Promise<void> {
  const { db, clock, log } = parts;
  const request = { datasets: names, bounds: {}, today: clock.today() };
  const datasets = datasetsOf(request, settings).map((dataset) => dataset.name);
  await buryDead(db, clock);
  await planningLock(db, async () => {
    const runId = await openRun(
      db,
      { kind: "schedule", workerId: null, asOf: request.today, datasets, maxCredits: null },
      clock.now(),
    );
    const adopted = await adoptOpen(db, { runId, task: parts.task, datasets, mostCredits: Number.POSITIVE_INFINITY });
    const { stage, plans } = await planRequest(db, request, settings);
    const planned = await enqueue(
      db,
      runId,
      parts.task,
      plans.flatMap((plan) => plan.slices),
      clock.now(),
    );
    await closeRun(db, runId, "loaded", clock.now());
    log.info({ run_id: runId, stage, slices: planned, adopted }, "schedule.planned");
  });
}

import path from "node:path";
import planDueTask from "../jobs/plan-due.ts";
import { openIngest, startWork, type App } from "./app.ts";
import { projectRoot } from "./config/config.ts";
import type { StorehouseError } from "./core/errors.ts";
import { createBudget } from "./credits/budget.ts";
import { firstBalance } from "./ingest/balance.ts";
import { throughOutage } from "./ingest/outage.ts";
import { startRunner } from "./queue-runner.ts";

const beatMs = 10_000;

/** Runs the schedule in jobs/crontab and the shared queue until `stop` is aborted. Returns the error that stopped all asking, if one did. */
export async function runWorker(app: App, stop: AbortSignal): Promise<StorehouseError | null> {
  await using ingest = await openIngest(app, "worker", createBudget(null));
  const { parts } = ingest;
  const runner = await startRunner(app, {
    taskList: { plan_due: planDueTask(parts, app.config.settings) },
    crontabFile: path.join(projectRoot, "jobs", "crontab"),
    onLost: ingest.loseQueue,
  });
  const hands = startWork(app, ingest);
  try {
    await firstBalance(parts, stop);
    app.log.info({ worker_id: parts.workerId }, "worker.started");
    // what was missed while no worker ran is caught up at once, not at the next tick
    await runner.addJob("plan_due", {}, { jobKey: "plan_due", maxAttempts: 3 });
    await untilStopped(ingest, app, stop);
  } finally {
    ingest.halt();
    await hands.stop();
    await runner.stop();
  }
  return ingest.aborted();
}

async function untilStopped(
  ingest: Awaited<ReturnType<typeof openIngest>>,
  app: App,
  stop: AbortSignal,
): Promise<void> {
  const ended = AbortSignal.any([stop, ingest.parts.halted]);
  while (!ended.aborted) {
    await throughOutage(ingest.parts, () => ingest.beat());
    await app.clock.sleep(beatMs, ended).catch(() => undefined);
  }
}

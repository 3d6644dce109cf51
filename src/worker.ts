import path from "node:path";
import planDueTask from "../jobs/plan-due.ts";
import { openIngest, startWork, type App } from "./app.ts";
import { projectRoot } from "./config/config.ts";
import type { ErrorCode } from "./core/error-codes.ts";
import type { StorehouseError } from "./core/errors.ts";
import { createBudget } from "./credits/budget.ts";
import { firstBalance } from "./ingest/balance.ts";
import { throughOutage } from "./ingest/outage.ts";
import { startRunner } from "./queue-runner.ts";

const beatMs = 10_000;

/** What a worker does now, for whoever watches it. Each change is told as a new value. */
export type WorkerState = {
  /** `starting` until the first heartbeat, `aborted` while the API accepts neither token nor account, `stopping` from the signal on. */
  readonly is: "starting" | "running" | "database_away" | "api_away" | "aborted" | "stopping";
  /** Since when, in epoch-ms. */
  readonly since: number;
  /** Why it waits or asks for nothing; null when all is well. */
  readonly error: { readonly code: ErrorCode; readonly message: string } | null;
};

/** What may be chosen about a worker. */
export type WorkerOptions = {
  /** Told of each change, and of the state at the start. */
  readonly onState?: (state: WorkerState) => void;
};

/** Runs the schedule in jobs/crontab and the shared queue until `stop` is aborted. Returns the error that stopped all asking, if one did. */
export async function runWorker(
  app: App,
  stop: AbortSignal,
  { onState = () => undefined }: WorkerOptions = {},
): Promise<StorehouseError | null> {
  const enter = (is: WorkerState["is"], error: StorehouseError | null = null) =>
    onState({ is, since: app.clock.now(), error: error && { code: error.code, message: error.message } });
  enter("starting");
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
    enter("running");
    await untilStopped(ingest, app, stop);
  } finally {
    enter("stopping", ingest.aborted());
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

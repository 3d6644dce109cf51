import { Logger, run, type Runner, type TaskList } from "graphile-worker";
import type { App } from "./app.ts";
import type { Log } from "./core/log.ts";

/** Longer than an answer may take, so that a stop lets the page at hand finish; the queue's own 5 s would burn an attempt. */
const patienceMs = 5_000;

/** Starts graphile-worker over the app's pool. Signals stay ours. */
export function startRunner(app: App, taskList: TaskList, crontabFile?: string): Promise<Runner> {
  return run({
    pgPool: app.warehouse.pool,
    concurrency: app.config.settings.api.concurrency * 2,
    pollInterval: 1_000,
    noHandleSignals: true,
    gracefulShutdownAbortTimeout: Math.min(patienceMs, app.config.settings.api.timeout_seconds * 1000),
    logger: queueLogger(app.log),
    taskList,
    ...(crontabFile === undefined ? { parsedCronItems: [] } : { crontabFile }),
  });
}

/** The queue's own words, one level down: what matters is in the ledger and in our events. */
function queueLogger(log: Log): Logger {
  return new Logger(() => (level, message) => {
    if (level === "error") log.error({ problem: message }, "queue.error");
    else if (level === "warning") log.warn({ problem: message }, "queue.warning");
    else log.debug({ detail: message }, "queue.detail");
  });
}

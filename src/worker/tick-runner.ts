import { Logger, run, type ParsedCronItem, type Runner, type Task, type TaskList } from "graphile-worker";
import type { App } from "../app.ts";
import type { Log } from "../core/log.ts";

/** How often the queue looks for jobs whose time has come; a new job that is due at once is told of without a look. */
const slowestLookMs = 1_000;
const quickestLookMs = 50;

/** What a queue of tasks runs. `onLost` hears of it when the queue has stopped by itself: it could not write down what became of a job. */
export type QueueWork = {
  readonly taskList: TaskList;
  readonly schedule: readonly ParsedCronItem[];
  readonly onLost: () => void;
  /** Under which name jobs are taken, so that those of a dead process can be told. */
  readonly taker: string;
};

/** A running queue. */
export type QueueRunner = {
  readonly addJob: Runner["addJob"];
  /** Lets jobs under way end; resolves when nothing runs any more. */
  readonly stop: () => Promise<void>;
};

/** Starts graphile-worker over the app's pool. Signals stay ours. */
export async function startRunner(app: App, { taskList, schedule, onLost, taker }: QueueWork): Promise<QueueRunner> {
  const { retry_seconds: retrySeconds } = app.config.settings.api;
  const tracked = trackTasks(taskList, app.hide);
  const options = {
    pgPool: app.warehouse.pool,
    // planning is done by one at a time
    concurrency: 1,
    // looking more seldom than the shortest wait would make every wait longer
    pollInterval: Math.min(slowestLookMs, Math.max(quickestLookMs, retrySeconds * 1000)),
    noHandleSignals: true,
    logger: queueLogger(app.log),
    taskList: tracked.taskList,
    parsedCronItems: [...schedule],
    workerId: taker,
    // in batches a job that cannot be ended stops the queue; one by one it is an unhandled rejection that ends the process
    preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
  };
  const runner = await run(options);
  let state: "running" | "stopped" | "lost" = "running";
  // its promise is no sign: a queue that stops by itself may never settle it
  runner.events.on("pool:gracefulShutdown", () => {
    if (state !== "running") return;
    state = "lost";
    onLost();
  });
  return {
    addJob: runner.addJob,
    stop: async () => {
      if (state === "stopped") return;
      const lost = state === "lost";
      state = "stopped";
      // a lost queue does not wait for its jobs, and says that it has stopped already
      await (lost ? runner.stop().catch(() => undefined) : runner.stop());
      await tracked.allEnded();
    },
  };
}

/** The same tasks, and a way to wait until none of them is under way. The queue writes down what a task fails with, which so holds no secret. */
function trackTasks(
  taskList: TaskList,
  hide: (text: string) => string,
): { taskList: TaskList; allEnded: () => Promise<void> } {
  const underWay = new Set<PromiseLike<unknown>>();
  const track = (task: Task): Task => {
    return async (payload, helpers) => {
      const work = Promise.resolve(task(payload, helpers));
      underWay.add(work);
      try {
        return await work;
      } catch (error) {
        const told = new Error(hide(error instanceof Error ? error.message : String(error)));
        told.stack = hide(error instanceof Error ? (error.stack ?? "") : "");
        throw told;
      } finally {
        underWay.delete(work);
      }
    };
  };
  const entries = Object.entries(taskList).flatMap(([name, task]) =>
    task === undefined ? [] : [[name, track(task)] as const],
  );
  return {
    taskList: Object.fromEntries(entries),
    allEnded: async () => void (await Promise.allSettled(underWay)),
  };
}

/** The queue's own words, one level down: what matters is in the ledger and in our events. */
function queueLogger(log: Log): Logger {
  return new Logger(() => (level, message) => {
    if (level === "error") log.error({ problem: message }, "queue.error");
    else if (level === "warning") log.warn({ problem: message }, "queue.warning");
    else log.debug({ detail: message }, "queue.detail");
  });
}

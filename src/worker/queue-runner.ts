import {
  Logger,
  run,
  type ParsedCronItem,
  type Runner,
  type Task,
  type TaskList,
  type WorkerEvents,
} from "graphile-worker";
import { EventEmitter } from "node:events";
import type { Pool } from "pg";
import type { App } from "../app.ts";
import type { Log } from "../core/log.ts";
import { isLostConnection } from "../postgres/database-errors.ts";
import { messageOf } from "../core/errors.ts";
import { skewHarmfulMs } from "../postgres/clock-skew.ts";
import { sql } from "../postgres/sql.ts";

type Taken = Parameters<Pool["connect"]>[0];

/**
 * How often the queue polls for jobs that have become due, as a multiple of the first retry; a job that is due when it is added needs no
 * poll.
 */
const pollRetries = 15;
const longestPollMs = 15_000;
const shortestPollMs = 50;

/**
 * What a job queue runs. `onLost` is called if graphile-worker stopped itself because it could not record the end of a job, and with the
 * error of a job that met an outage of the database: such a job would fail for good after a few tries.
 */
export type JobQueueOptions = {
  readonly taskList: TaskList;
  readonly schedule: readonly ParsedCronItem[];
  readonly onLost: (cause?: unknown) => void;
};

/** A running queue. */
export type JobQueue = {
  readonly addJob: Runner["addJob"];
  /** The name under which it locks jobs. */
  readonly pool: string;
  /** Waits for running jobs; resolves when none runs. */
  readonly stop: () => Promise<void>;
};

/** Starts graphile-worker over the app's pool. Signals are handled by the worker, not by graphile-worker. */
export async function startQueue(app: App, { taskList, schedule, onLost }: JobQueueOptions): Promise<JobQueue> {
  const { retry_seconds: retrySeconds } = app.config.settings.api;
  const tracked = trackTasks(taskList, { hide: app.hide, onOutage: onLost });
  const options = {
    pgPool: releasedOnce(app.warehouse.pool),
    // one job plans at a time
    concurrency: 1,
    pollInterval: Math.min(longestPollMs, Math.max(shortestPollMs, pollRetries * retrySeconds * 1000)),
    noHandleSignals: true,
    logger: queueLogger(app.log),
    taskList: tracked.taskList,
    parsedCronItems: [...schedule],
    // without batches, a job whose end cannot be recorded causes an unhandled rejection that ends the process; with them the queue stops
    preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    events: new EventEmitter() as WorkerEvents,
  };
  let pool = "";
  options.events.once("pool:create", ({ workerPool }) => (pool = workerPool.id));
  await resetFutureRuns(app);
  const runner = await run(options);
  let state: "running" | "stopped" | "lost" = "running";
  // the event, not the runner's promise: a queue that stops itself may never settle the promise
  runner.events.on("pool:gracefulShutdown", () => {
    if (state !== "running") return;
    state = "lost";
    onLost();
  });
  return {
    addJob: runner.addJob,
    pool,
    stop: async () => {
      if (state === "stopped") return;
      const lost = state === "lost";
      state = "stopped";
      // a lost queue does not wait for its jobs, and `stop` rejects because it has stopped already
      await (lost ? runner.stop().catch(() => undefined) : runner.stop());
      await tracked.allEnded();
    },
  };
}

/**
 * A pool whose connections may be released twice. graphile-worker does so if the connection on which it listens breaks just as it stops
 * listening, and the error of the second release would end the process.
 */
function releasedOnce(pool: Pool): Pool {
  const connect = (taken?: Taken) => {
    if (taken === undefined) return pool.connect();
    return pool.connect((error, client, release) => {
      if (error !== undefined) return taken(error, client, release);
      let isReleased = false;
      taken(error, client, (problem) => {
        if (!isReleased) release(problem);
        isReleased = true;
      });
    });
  };
  return Object.assign(Object.create(pool) as Pool, { connect });
}

/** The same tasks, and a function that waits until none runs. Secrets are removed from their errors, which the queue stores. */
function trackTasks(
  taskList: TaskList,
  { hide, onOutage }: { readonly hide: (text: string) => string; readonly onOutage: (cause: unknown) => void },
): { taskList: TaskList; allEnded: () => Promise<void> } {
  const running = new Set<PromiseLike<unknown>>();
  const track = (task: Task): Task => {
    return async (payload, helpers) => {
      const work = Promise.resolve(task(payload, helpers));
      running.add(work);
      try {
        return await work;
      } catch (error) {
        if (isLostConnection(error)) onOutage(error);
        if (isStop(error)) throw error;
        const hidden = new Error(hide(messageOf(error)));
        hidden.stack = hide(error instanceof Error ? (error.stack ?? "") : "");
        throw hidden;
      } finally {
        running.delete(work);
      }
    };
  };
  const entries = Object.entries(taskList).flatMap(([name, task]) =>
    task === undefined ? [] : [[name, track(task)] as const],
  );
  return {
    taskList: Object.fromEntries(entries),
    allEnded: async () => void (await Promise.allSettled(running)),
  };
}

/** The reason of a signal that was aborted: the worker is stopping. It names no secret. */
function isStop(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

/** True if a job ended because the worker stops, and runs again after its next start: it has a try left. */
function isPutOff({ error, job }: LogMeta = {}): boolean {
  return isStop(error) && job !== undefined && job.attempts < job.max_attempts;
}

type LogMeta = {
  readonly error?: unknown;
  readonly job?: { readonly attempts: number; readonly max_attempts: number };
};

/** Log lines of graphile-worker. Its level info is logged as debug, and so are a stop, and an outage, which the heartbeat reports. */
function queueLogger(log: Log): Logger {
  return new Logger(() => (level, message, meta) => {
    if (isLostConnection(meta?.["error"]) || isPutOff(meta)) log.debug({ detail: message }, "queue.detail");
    else if (level === "error") log.error({ problem: message }, "queue.error");
    else if (level === "warning") log.warn({ problem: message }, "queue.warning");
    else log.debug({ detail: message }, "queue.detail");
  });
}

/**
 * Sets the last run of each crontab line to now if it lies in the future, as after a clock was set back: graphile-worker plans a line only
 * at times after its last run. Clocks of workers may differ by less than a minute, so such a last run stays. If the clock of another worker
 * is further ahead, a line that it has run too early runs once more at its time: that plans only what is still due.
 */
export async function resetFutureRuns({ warehouse: { db }, log }: Pick<App, "warehouse" | "log">): Promise<void> {
  const { rows } = await sql<{ line: string }>`
    update graphile_worker._private_known_crontabs set last_execution = clock_timestamp()
    where  last_execution > clock_timestamp() + ${skewHarmfulMs}::double precision * interval '1 millisecond'
    returning identifier as line`.execute(db);
  if (rows.length > 0) log.warn({ lines: rows.map(({ line }) => line) }, "schedule.future_runs_reset");
}

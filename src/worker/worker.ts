import { jobs } from "../../jobs/all.ts";
import type { App } from "../app.ts";
import { openIngest, startWork, type Ingest } from "../open-ingest.ts";
import { crontabFile } from "../config/config.ts";
import { AbortError, fail, StorehouseError } from "../core/errors.ts";
import { liftStop } from "../credits/account-stop.ts";
import { createBudget } from "../credits/budget.ts";
import { awaitBalance } from "../ingest/balance-check.ts";
import { jobHolder, releaseFormerClaims } from "../ledger/reconcile.ts";
import { isLostConnection } from "../postgres/database-errors.ts";
import { readCrontab } from "./crontab.ts";
import { startQueue } from "./queue-runner.ts";
import { stateReporter, type OnState, type ReportState } from "./state.ts";
import { untilApiAccepts, untilDatabaseResponds } from "./waits.ts";

/*
 * A worker is a sequence of sessions. A session registers a process in the ledger, checks the balance, then runs the crontab and the
 * shared queue of slices until it is stopped or an error ends it:
 *
 *   the API refuses the token or the account   wait until it accepts them again
 *   the database does not respond              wait until it responds
 *   the lease in the ledger expired            start the next session at once
 *   any other error                            the worker ends with it
 */

/**
 * Runs sessions until `stop` is aborted; `onState` is called with each state of the worker. Returns the error that ended the worker,
 * null after a stop.
 */
export async function runWorker(
  app: App,
  stop: AbortSignal,
  { onState = () => undefined }: { readonly onState?: OnState } = {},
): Promise<StorehouseError | null> {
  const report = stateReporter(app.clock, onState);
  const stopping = () => {
    report("stopping");
    app.log.info("worker.stopping");
  };
  stop.addEventListener("abort", stopping, { once: true });
  let former: string | null = null;
  const registered = (workerId: string) => (former = workerId);
  while (!stop.aborted) {
    report("starting");
    const end: StorehouseError = await runSession(app, { stop, report, former, registered });
    if (stop.aborted) return null;
    if (end instanceof AbortError) {
      report("aborted", end);
      await untilApiAccepts(app, stop);
    } else if (end.code === "database_unreachable") {
      report("database_unavailable", end);
      await untilDatabaseResponds(app, stop);
    } else if (end.code === "lease_expired") app.log.warn({ problem: end.message }, "worker.re_registered");
    else return end;
  }
  return null;
}

type Session = {
  readonly stop: AbortSignal;
  readonly report: ReportState;
  /** The worker id of the session before, null in the first. */
  readonly former: string | null;
  readonly registered: (workerId: string) => void;
};

/** Runs one session. Returns what ended it. */
async function runSession(app: App, { stop, report, former, registered }: Session): Promise<StorehouseError> {
  const problems: { database: StorehouseError | null; api: StorehouseError | null } = { database: null, api: null };
  let isRunning = false;
  const reportNow = () => {
    if (problems.database !== null) report("database_unavailable", problems.database);
    else if (problems.api !== null) report("api_unavailable", problems.api);
    else if (isRunning) report("running");
  };
  try {
    // release what an outage kept the former session from releasing, before it is treated as a dead process
    if (former !== null) await releaseFormerClaims(app.warehouse.db, former);
    await using ingest = await openIngest(app, "worker", createBudget(null), {
      onBeat: (problem) => ((problems.database = problem), reportNow()),
      onApi: (problem) => ((problems.api = problem), reportNow()),
    });
    registered(ingest.parts.workerId);
    await work(app, ingest, stop, () => ((isRunning = true), reportNow()));
    return ingest.aborted() ?? fail("stopped");
  } catch (error) {
    if (isLostConnection(error)) return fail("database_unreachable", { problem: "the connection broke" }, error);
    if (error instanceof StorehouseError) return error;
    throw error;
  }
}

async function work(app: App, ingest: Ingest, stop: AbortSignal, started: () => void): Promise<void> {
  const { parts } = ingest;
  if (stop.aborted) return;
  stop.addEventListener("abort", ingest.halt, { once: true });
  try {
    await checkBalance(ingest, app);
    if (!parts.halted.aborted) await runUntilHalted(app, ingest, started);
  } finally {
    stop.removeEventListener("abort", ingest.halt);
  }
}

/** Checks the balance first and waits for an API that does not respond. A refused token ends the session. */
async function checkBalance({ parts }: Ingest, app: App): Promise<void> {
  try {
    await awaitBalance(parts);
    await liftStop(app.warehouse.db, parts.accountId);
  } catch (error) {
    if (error instanceof AbortError) parts.abort(error);
    else throw error;
  }
}

async function runUntilHalted(app: App, ingest: Ingest, started: () => void): Promise<void> {
  const { parts } = ingest;
  const queue = await startQueue(app, {
    taskList: Object.fromEntries(
      Object.entries(jobs).map(([name, { task }]) => [name, task(parts, app.config.settings)]),
    ),
    schedule: readCrontab(crontabFile(app.config)).map(({ item }) => item),
    onLost: ingest.loseQueue,
    workerId: jobHolder(parts.workerId),
  });
  const slices = startWork(app, ingest);
  try {
    app.log.info({ worker_id: parts.workerId }, "worker.started");
    started();
    // what was due while no worker ran is planned at once, not at the next line of the crontab
    await queue.addJob("plan_due", {}, { jobKey: "plan_due", maxAttempts: 3 });
    await aborted(parts.halted);
  } finally {
    ingest.halt();
    await slices.stop();
    await queue.stop();
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

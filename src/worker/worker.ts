import { jobs } from "../../jobs/all.ts";
import type { App } from "../app.ts";
import { openIngest, startWork, type Ingest } from "../open-ingest.ts";
import { crontabFile } from "../config/config.ts";
import { AbortError, fail, StorehouseError } from "../core/errors.ts";
import { createBudget } from "../credits/budget.ts";
import { readCrontab } from "./crontab.ts";
import { liftStop } from "../credits/account-stop.ts";
import { awaitBalance } from "../ingest/balance-check.ts";
import { jobTaker, leaveBehind } from "../ledger/reconcile.ts";
import { startRunner } from "./tick-runner.ts";
import { isLostConnection } from "../postgres/database-errors.ts";
import { tellChanges, type Tell, type WorkerOptions } from "./state.ts";
import { untilAccepted, untilDatabaseIsBack } from "./waits.ts";

export type { WorkerOptions, WorkerState } from "./state.ts";

/**
 * Runs the schedule of the crontab and the shared queue until `stop` is aborted. A database or API that is away is waited out, and so
 * is a refused token: what ends a spell of work is followed by the next one. Returns the error that none of that mends, null after a stop.
 */
export async function runWorker(
  app: App,
  stop: AbortSignal,
  { onState = () => undefined }: WorkerOptions = {},
): Promise<StorehouseError | null> {
  const tell = tellChanges(app.clock, onState);
  const stopping = () => {
    tell("stopping");
    app.log.info("worker.stopping");
  };
  stop.addEventListener("abort", stopping, { once: true });
  let former: string | null = null;
  const entered = (workerId: string) => (former = workerId);
  while (!stop.aborted) {
    tell("starting");
    const end: StorehouseError = await spell(app, { stop, tell, former, entered });
    if (stop.aborted) return null;
    if (end instanceof AbortError) {
      tell("aborted", end);
      await untilAccepted(app, stop);
    } else if (end.code === "database_unreachable") {
      tell("database_unavailable", end);
      await untilDatabaseIsBack(app, stop);
    } else if (end.code === "lease_expired") app.log.warn({ problem: end.message }, "worker.re_registered");
    else return end;
  }
  return null;
}

type Spell = {
  readonly stop: AbortSignal;
  readonly tell: Tell;
  /** The number of the spell before, null at the first. */
  readonly former: string | null;
  readonly entered: (workerId: string) => void;
};

/** One spell of work: a process in the ledger, from its entry to its end. Returns what ended it. */
async function spell(app: App, { stop, tell, former, entered }: Spell): Promise<StorehouseError> {
  const away: { database: StorehouseError | null; api: StorehouseError | null } = { database: null, api: null };
  let isAtWork = false;
  const look = () => {
    if (away.database !== null) tell("database_unavailable", away.database);
    else if (away.api !== null) tell("api_unavailable", away.api);
    else if (isAtWork) tell("running");
  };
  try {
    // what an outage kept it from giving back, before it looks like the work of a dead process
    if (former !== null) await leaveBehind(app.warehouse.db, former);
    await using ingest = await openIngest(app, "worker", createBudget(null), {
      onBeat: (problem) => ((away.database = problem), look()),
      onApi: (problem) => ((away.api = problem), look()),
    });
    entered(ingest.parts.workerId);
    await work(app, ingest, stop, () => ((isAtWork = true), look()));
    return ingest.aborted() ?? fail("stopped");
  } catch (error) {
    if (isLostConnection(error)) return fail("database_unreachable", { problem: "the connection broke" }, error);
    if (error instanceof StorehouseError) return error;
    throw error;
  }
}

async function work(app: App, ingest: Ingest, stop: AbortSignal, atWork: () => void): Promise<void> {
  const { parts } = ingest;
  if (stop.aborted) return;
  stop.addEventListener("abort", ingest.halt, { once: true });
  try {
    await begin(ingest, app);
    if (!parts.halted.aborted) await runUntilHalted(app, ingest, atWork);
  } finally {
    stop.removeEventListener("abort", ingest.halt);
  }
}

async function runUntilHalted(app: App, ingest: Ingest, atWork: () => void): Promise<void> {
  const { parts } = ingest;
  const runner = await startRunner(app, {
    taskList: Object.fromEntries(
      Object.entries(jobs).map(([name, { task }]) => [name, task(parts, app.config.settings)]),
    ),
    schedule: readCrontab(crontabFile(app.config)).map(({ item }) => item),
    onLost: ingest.loseQueue,
    taker: jobTaker(parts.workerId),
  });
  const hands = startWork(app, ingest);
  try {
    app.log.info({ worker_id: parts.workerId }, "worker.started");
    atWork();
    // what was missed while no worker ran is caught up at once, not at the next tick
    await runner.addJob("plan_due", {}, { jobKey: "plan_due", maxAttempts: 3 });
    await aborted(parts.halted);
  } finally {
    ingest.halt();
    await hands.stop();
    await runner.stop();
  }
}

/** Asks for the balance first. A token that is refused ends the spell; an API that is away is waited for, and what else fails is asked again by whoever needs it. */
async function begin({ parts }: Ingest, app: App): Promise<void> {
  try {
    await awaitBalance(parts);
    await liftStop(app.warehouse.db, parts.accountId);
  } catch (error) {
    if (error instanceof AbortError) parts.abort(error);
    else throw error;
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

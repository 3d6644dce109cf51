import type { Task } from "graphile-worker";
import { hostname } from "node:os";
import { jobs } from "../../jobs/all.ts";
import { joinsOthers } from "../../jobs/plan-due.ts";
import type { App } from "../app.ts";
import { openIngest, startWork, type Ingest } from "../open-ingest.ts";
import { crontabFile } from "../config/config.ts";
import { steadyMs } from "../core/clock.ts";
import { accountOf } from "../config/config-of-account.ts";
import { AbortError, fail, type StorehouseError, UsageError } from "../core/errors.ts";
import { backoffMs, type Backoff } from "../core/retry.ts";
import { raiseFinding } from "../ledger/findings.ts";
import { createRunLimit } from "../credits/run-limit.ts";
import { awaitBalance } from "../ingest/balance-check.ts";
import type { SliceRunner } from "../ingest/slice-runner.ts";
import { releaseFormerClaims } from "../ledger/reconcile.ts";
import { planningTask, taskOfAccount } from "../ledger/shared-queue.ts";
import { noteEnd, recordJobs } from "../ledger/workers.ts";
import { refusedElsewhere } from "../runs/heartbeat.ts";
import { cancelSwitchedOff } from "../runs/orphans.ts";
import { cancelOutOfPortfolio } from "../runs/out-of-portfolio.ts";
import { isOutage } from "../postgres/database-errors.ts";
import { newerProblem } from "../postgres/pending-migrations.ts";
import { warnOfNotAgreed } from "./agreed-lines.ts";
import { announceRuns, forecastBeforeHistory } from "./announce-runs.ts";
import { itemOfAccount, readCrontab, scheduledBy, scheduleDigest } from "./crontab.ts";
import { notedTask } from "./noted-task.ts";
import { sessionError } from "./session-error.ts";
import { startQueue } from "./queue-runner.ts";
import { stateReporter, type OnState, type ReportState } from "./state.ts";
import { untilApiAccepts, untilDatabaseResponds } from "./waits.ts";

/*
 * A worker is a sequence of sessions. A session registers a process in the ledger, checks the balance, then runs the crontab and the shared
 * queue of slices until it is stopped or an error ends it:
 *
 *   the API refuses the token or the account   wait until it accepts them again
 *   the database does not respond or is full   wait until it can store an answer
 *   the lease in the ledger expired            start the next session at once
 *   the clock was set back                     start the next session at once
 *   settings that cannot work                  the worker ends: a restart does not fix them
 *   an error after a newer version migrated    the worker ends: it must be updated
 *   any other error                            start the next session, after a wait that grows
 */

/** Waits before the next session after an unexpected error; a session that lasts longer than the longest wait resets them. */
const restarts: Backoff = { firstMs: 1_000, longestMs: 600_000 };

/**
 * Runs sessions until `stop` is aborted; `onState` is called with each state of the worker. Returns the error that ended the worker, which
 * no restart fixes; null after a stop.
 */
export async function runWorker(
  app: App,
  stop: AbortSignal,
  { onState = () => undefined }: { readonly onState?: OnState } = {},
): Promise<StorehouseError | null> {
  let former: string | null = null;
  const report = stateReporter(onState, () => former);
  const stopping = () => {
    report("stopping");
    app.log.info("worker.stopping");
  };
  stop.addEventListener("abort", stopping, { once: true });
  const registered = (workerId: string) => (former = workerId);
  let failures = 0;
  while (!stop.aborted) {
    report("starting");
    const from = steadyMs();
    const end: StorehouseError = await runSession(app, { stop, report, former, registered });
    failures = steadyMs() - from > (restarts.longestMs ?? 0) ? 1 : failures + 1;
    const last = stop.aborted ? null : await beforeNext(app, { stop, report, former, end, failures });
    if (last === null) continue;
    if (former !== null) await noteEnd(app.warehouse.db, former, last.code).catch(() => undefined);
    return last;
  }
  return null;
}

type Ended = {
  readonly stop: AbortSignal;
  readonly report: ReportState;
  readonly former: string | null;
  readonly end: StorehouseError;
  /** Sessions in a row that ended soon after their start. */
  readonly failures: number;
};

/** Waits until another session makes sense: then returns null. Otherwise returns the error that the worker ends with. */
async function beforeNext(app: App, ended: Ended): Promise<StorehouseError | null> {
  const { stop, report, former, end } = ended;
  const isRefused = end instanceof AbortError;
  if (!isRefused && !isOutage(end)) return beforeRestart(app, ended);
  report(isRefused ? "aborted" : "database_unavailable", end);
  try {
    await (isRefused ? untilApiAccepts(app, stop, former) : untilDatabaseResponds(app, stop));
    return null;
  } catch (error) {
    const problem = sessionError(app, error);
    // the next session meets an outage too, and waits for its end
    return isOutage(problem) ? null : beforeRestart(app, { ...ended, end: problem });
  }
}

/** The same after an error that is neither a refusal of the API nor an outage of the database. */
async function beforeRestart(
  app: App,
  { stop, report, former, end, failures }: Ended,
): Promise<StorehouseError | null> {
  if (end instanceof UsageError) return end;
  if (end.code === "lease_expired" || end.code === "clock_set_back") return null;
  report("restarting", end);
  // a newer program may have changed what this one reads
  const newer = await newerProblem(app.warehouse.db).catch(() => null);
  if (newer !== null) return newer;
  await noteRestart(app, former, end).catch(() => undefined);
  const waitMs = backoffMs(restarts, failures);
  app.log.error({ code: end.code, problem: end.message, wait_ms: waitMs }, "worker.session_failed");
  await app.clock.sleep(waitMs, stop).catch(() => undefined);
  return null;
}

/** A worker that has not restarted for this long counts as working. */
const restartStandsMs = 15 * 60_000;

/** Records, in the ledger and as an incident, why a worker keeps restarting. */
async function noteRestart(app: App, former: string | null, { code }: StorehouseError): Promise<void> {
  const { clock, warehouse } = app;
  if (former !== null) await noteEnd(warehouse.db, former, code);
  const host = hostname();
  const finding = { kind: "worker_restarting", subject: host, accountId: "", facts: { error_code: code, host } };
  await raiseFinding(warehouse.db, finding, { now: clock.now(), forMs: restartStandsMs });
}

type Session = {
  readonly stop: AbortSignal;
  readonly report: ReportState;
  /** The worker id of the previous session, null in the first. */
  readonly former: string | null;
  readonly registered: (workerId: string) => void;
};

/** Runs one session. Returns the error that ended it. A refusal is reported before that: answers under way keep a session open. */
async function runSession(app: App, { stop, report, former, registered }: Session): Promise<StorehouseError> {
  const problems: { database: StorehouseError | null; api: StorehouseError | null } = { database: null, api: null };
  let isRunning = false;
  let abortedBy: () => StorehouseError | null = () => null;
  const reportNow = () => {
    if (abortedBy() instanceof AbortError) report("aborted", abortedBy());
    else if (problems.database !== null) report("database_unavailable", problems.database);
    else if (problems.api !== null) report("api_unavailable", problems.api);
    else if (isRunning) report("running");
  };
  try {
    // release what the former session could not release in an outage, before it is treated as a dead process
    if (former !== null && (await releaseFormerClaims(app.warehouse.db, former)))
      app.log.warn({ problem: fail("lease_expired").message }, "worker.re_registered");
    await using ingest = await openIngest(app, "worker", createRunLimit(null), {
      stop,
      again: former !== null,
      onBeat: (problem) => ((problems.database = problem), reportNow()),
      onApi: (problem) => ((problems.api = problem), reportNow()),
    });
    abortedBy = ingest.stoppedBy;
    registered(ingest.parts.workerId);
    await work(app, ingest, stop, () => ((isRunning = true), reportNow()));
    return ingest.stoppedBy() ?? fail("stopped");
  } catch (error) {
    // the error that stopped the session, not the one that the current work threw because of the stop
    return abortedBy() ?? sessionError(app, error);
  }
}

async function work(app: App, ingest: Ingest, stop: AbortSignal, started: () => void): Promise<void> {
  const { parts } = ingest;
  if (stop.aborted) return;
  stop.addEventListener("abort", ingest.halt, { once: true });
  try {
    await awaitAcceptedAccount(ingest);
    if (!parts.halted.aborted) await runUntilHalted(app, ingest, started);
  } finally {
    stop.removeEventListener("abort", ingest.halt);
  }
}

/** Checks the balance first and waits for an API that does not respond. A refused token, or a stop that stands, ends the session. */
async function awaitAcceptedAccount({ parts }: Ingest): Promise<void> {
  try {
    const stop = await awaitBalance(parts);
    if (stop !== null) parts.abort(refusedElsewhere(stop));
  } catch (error) {
    if (error instanceof AbortError) parts.abort(error);
    else throw error;
  }
}

async function runUntilHalted(app: App, ingest: Ingest, started: () => void): Promise<void> {
  const { parts } = ingest;
  const { settings } = app.config;
  const account = accountOf(settings);
  await warnOfNotAgreed(app);
  const lines = readCrontab(crontabFile(app.config));
  const datasets = scheduledBy(lines, settings);
  const queue = await startQueue(app, {
    taskList: Object.fromEntries(
      Object.entries(jobs).map(([name, { task, plans }]) => {
        const run = task(parts, { settings, datasets, config: app.config, warehouse: app.warehouse });
        return plans
          ? [taskOfAccount(name, account), withPricing(app, parts.halted, run)]
          : [name, notedTask(app, { name, task: run, halted: parts.halted })];
      }),
    ),
    schedule: lines.map(({ item }) => itemOfAccount(item, account)),
    onLost: ingest.loseQueue,
  });
  // from here on each failure stops the queue: otherwise it would run during the next session, and keep the process from ending
  let slices: SliceRunner | null = null;
  try {
    await recordJobs(app.warehouse.db, parts.workerId, { pool: queue.pool, schedule: scheduleDigest(lines, settings) });
    await cancelSwitchedOff({ db: app.warehouse.db, log: app.log }, settings);
    await cancelOutOfPortfolio(parts, settings, { isWorker: true });
    if (datasets.length > 0) await forecastBeforeHistory(app, parts.accountId, parts.halted);
    slices = startWork(app, ingest);
    app.log.info({ worker_id: parts.workerId }, "worker.started");
    started();
    // work that became due while no worker ran is planned at once, not at the next time in the crontab
    const planning = taskOfAccount(planningTask, account);
    if (datasets.length > 0) await queue.addJob(planning, { datasets }, { jobKey: planning, maxAttempts: 3 });
    await aborted(parts.halted);
  } finally {
    ingest.halt();
    await slices?.stop();
    await queue.stop();
  }
}

/** A planning task. After it, the worker that started the planning prices the future runs, once. */
function withPricing(app: App, halted: AbortSignal, task: Task): Task {
  return async (payload, helpers) => {
    await task(payload, helpers);
    if (!joinsOthers(payload)) await announceRuns(app, halted, helpers.job.id);
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

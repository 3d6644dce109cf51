import { createClient } from "./api/client.ts";
import { clientOptions, type App } from "./app.ts";
import { apiAccess } from "./config/config.ts";
import { accountOf } from "./config/config-of-account.ts";
import { programDigest } from "./config/program.ts";
import { steadyMs } from "./core/clock.ts";
import type { StorehouseError } from "./core/errors.ts";
import { nameAccount, openAccount } from "./credits/account.ts";
import type { Holders } from "./credits/lapsed-holds.ts";
import type { RunLimit } from "./credits/run-limit.ts";
import { learnedPrices } from "./credits/costs.ts";
import { createCreditQueue } from "./credits/queue.ts";
import { createApiOutage, outageLog } from "./ingest/api-outage.ts";
import { refreshBalance } from "./ingest/balance-check.ts";
import { createBatchedSteps } from "./ingest/batched-steps.ts";
import type { IngestParts } from "./ingest/ingest-parts.ts";
import { startSliceRunner, type SliceRunner } from "./ingest/slice-runner.ts";
import { createCircuitBreaker } from "./ingest/circuit-breaker.ts";
import { createClaimedSlices } from "./ingest/claimed-slices.ts";
import { isShared, sharedQueueOf } from "./ledger/shared-queue.ts";
import { enterWorker, isAlive, type WorkerKind } from "./ledger/workers.ts";
import { createDimensions } from "./load/dimensions.ts";
import { createPartitions } from "./load/partitions.ts";
import { tablesByDay } from "./planner/dataset-settings.ts";
import { budgetsOf } from "./config/credit-budgets.ts";
import { alsoWanted, reportedDatasets } from "./planner/also-answered.ts";
import { createLeaveUnkept, queueLeftOver } from "./runs/orphans.ts";
import { createResumeOnReset } from "./runs/resume-on-credits.ts";
import { databaseOutage, isOutage } from "./postgres/database-errors.ts";
import { checkStorable } from "./raw/check-storable.ts";
import { createClockWatch } from "./runs/clock-watch.ts";
import { createJudgement } from "./runs/judgement.ts";
import { createStop, type ProcessStop } from "./runs/process-stop.ts";
import { reapDeadWorkers, startHeartbeat, usualIntervals, type HeartbeatParts } from "./runs/heartbeat.ts";

/** When a process is to stop, and callbacks: its heartbeats, and what is wrong with the API, null once it responds again. */
export type Watchers = {
  readonly stop?: AbortSignal;
  /** True where this process was registered before. */
  readonly again?: boolean;
  readonly onBeat?: HeartbeatParts["onBeat"];
  readonly onApi?: (problem: StorehouseError | null) => void;
};

/** The parts that run slices, and the error that stopped all requests. */
export interface Ingest extends AsyncDisposable {
  readonly parts: IngestParts;
  readonly stoppedBy: () => StorehouseError | null;
  /** Sets what is called when another process queues slices that this one may take. */
  readonly whenQueued: (wake: () => void) => void;
  /** Lets calls under way end and gives back those not sent yet; to be called before the queue is stopped. */
  readonly halt: () => void;
  /** Stops all requests because the queue has stopped unexpectedly, or a job of it met an outage of the database. */
  readonly loseQueue: (cause?: unknown) => void;
}

/** How long a foreground run waits for an API that is unavailable, as a person or a cron job would; a worker waits for as long as it takes. */
const foregroundGivesUpAfterMs = 10 * 60_000;

/**
 * Enters this process in the ledger and opens its way to the API. Throws a UsageError when API_BASE_URL or API_TOKEN is missing, and where
 * the database could not store an answer.
 */
export async function openIngest(
  app: App,
  kind: WorkerKind,
  runLimit: RunLimit,
  {
    stop: stopSignal = new AbortController().signal,
    again = false,
    onBeat = () => undefined,
    onApi = () => undefined,
  }: Watchers = {},
): Promise<Ingest> {
  await using opened = new AsyncDisposableStack();
  const { clock, log } = app;
  const { db, pool } = app.warehouse;
  const { accountId } = apiAccess(app.config.environment);
  const client = opened.use(createClient(clientOptions(app)));
  const account = await openStorableAccount(app, accountId);
  let onQueued = () => undefined as void;
  const listening = kind === "worker" ? () => onQueued() : null;
  const worker = opened.use(await enterWorker(pool, { kind, account, clock, onQueued: listening }));
  const { workerId } = worker;
  const holders = { workerId, isAlive };
  const living = { db, clock, log, accountId, holders, intervals: app.intervals ?? usualIntervals };
  const judgement = createJudgement(steadyMs, living.intervals, again);
  const reap = async () => {
    if (judgement.mayJudge()) await reapDeadWorkers(living);
  };
  // before the first balance check, whose answer is taken as it is when nothing is under way
  await reap();
  const outage = outageLog({ db, clock, accountId }, onApi);
  const shared = await sharedQueueOf(db, account);
  const stop = createStop({ ...living, hide: app.hide });
  opened.defer(stop.noted);
  opened.defer(outage.written);
  const queueId = kind === "worker" ? shared : workerId;
  const own = { kind, client, runLimit, holders, accountId, account, workerId, queueId, stop, reapDeadWorkers: reap };
  const parts = await partsOf(app, { ...own, stopSignal, onApiChange: outage.onChange });
  // only a worker has a schedule
  const watchClock =
    kind === "worker" ? createClockWatch({ clock, steadyMs, log, abort: stop.abort }) : () => undefined;
  opened.use(
    startHeartbeat({
      ...living,
      worker,
      abort: stop.abort,
      onBeat: (problem) => {
        watchClock();
        if (problem === null) outage.note();
        else judgement.missed();
        // a heartbeat needs no new space, so it may still be stored on a full disk
        const cause = stop.stoppedBy();
        onBeat(cause !== null && isOutage(cause) ? cause : problem);
      },
    }),
  );
  const stack = opened.move();
  return {
    parts,
    stoppedBy: stop.stoppedBy,
    whenQueued: (wake) => (onQueued = wake),
    halt: stop.halt,
    loseQueue: (cause) => parts.abort(databaseOutage(cause, "the connection broke while the queue was at work")),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Makes the account's row, and returns its name in the configuration. Throws where the database could not store an answer. */
async function openStorableAccount({ warehouse: { db }, config: { settings }, clock }: App, accountId: string) {
  await checkStorable(db);
  const account = accountOf(settings);
  await openAccount(db, accountId, settings.api.requests_per_second, clock);
  await nameAccount(db, accountId, account);
  return account;
}

/** What the parts of a process are made from, beside what every command has. */
type ProcessParts = Pick<
  IngestParts,
  "client" | "accountId" | "account" | "workerId" | "queueId" | "reapDeadWorkers"
> & {
  readonly kind: WorkerKind;
  readonly runLimit: RunLimit;
  readonly holders: Holders;
  readonly stop: ProcessStop;
  readonly stopSignal: AbortSignal;
  readonly onApiChange: (problem: StorehouseError | null) => void;
};

/** Puts the parts together that run slices. */
async function partsOf(app: App, own: ProcessParts): Promise<IngestParts> {
  const { clock, log } = app;
  const { settings } = app.config;
  const { api } = settings;
  const { db } = app.warehouse;
  const { client, accountId, workerId, queueId, stop } = own;
  const { abort, halted } = stop;
  const retryMs = api.retry_seconds * 1000;
  const shared = { db, clock, accountId };
  const refresh = () => refreshBalance({ ...shared, client, workerId, signal: own.stopSignal });
  const dimensions = createDimensions(db);
  const partitions = createPartitions(db, tablesByDay(settings));
  const claimedSlices = createClaimedSlices();
  const reported = { reported: reportedDatasets(settings), wanted: alsoWanted(settings) };
  const queued = { ...shared, log, queueId };
  const resumeOnReset = createResumeOnReset({ ...queued, refreshBalance: refresh, abort }, settings);
  const leaveUnkept = createLeaveUnkept(queued, settings);
  const leftOver = async () => {
    await leaveUnkept();
    await queueLeftOver(queued, settings);
    await resumeOnReset();
  };
  return {
    db,
    client,
    queue: createCreditQueue({
      ...shared,
      pace: api.requests_per_second,
      refresh,
      concurrency: api.concurrency,
      holders: own.holders,
      floors: settings.credits.floors,
      retriesADay: settings.credits.retries_a_day,
      runLimit: own.runLimit,
      budgets: budgetsOf(settings),
    }),
    apiOutage: createApiOutage({
      clock,
      log,
      retryMs,
      abort,
      halted,
      giveUpAfterMs: own.kind === "worker" ? Number.POSITIVE_INFINITY : foregroundGivesUpAfterMs,
      refreshBalance: refresh,
      onChange: own.onApiChange,
    }),
    breaker: createCircuitBreaker(),
    dimensions,
    batched: createBatchedSteps({
      ...shared,
      dimensions,
      claimedSlices,
      queueId,
      workerId,
      pace: api.requests_per_second,
      crashPoint: app.crashPoint,
      alsoAnswered: { db, dimensions, partitions, clock, ...reported },
    }),
    claimedSlices,
    partitions,
    clock,
    log,
    accountId,
    account: own.account,
    learned: await learnedPrices(db),
    workerId,
    program: programDigest(),
    queueId,
    retryMs,
    refreshBalance: refresh,
    scrub: app.hide,
    abort,
    halted,
    stop: own.stopSignal,
    stoppedBy: stop.stoppedBy,
    reapDeadWorkers: own.reapDeadWorkers,
    queueLeftOver: own.kind === "worker" ? leftOver : undefined,
    crashPoint: app.crashPoint,
  };
}

/** How long a page under way may go on after a stop where a person waits: most answers come in that time. Then it is cut. */
const personGraceMs = 5_000;
/** Of the time that a worker has to stop, so much is for what comes after the page: loading it, and giving back the rest. */
const shareForPage = 0.8;

/** Starts to run the slices of this process's queue: enough of them that some are loaded while others are requested. */
export function startWork({ config }: App, { parts, whenQueued }: Ingest): SliceRunner {
  const { api, worker } = config.settings;
  // a page may cost hundreds of credits, and is paid for whether its answer is awaited or not
  const graceMs = isShared(parts.queueId) ? worker.grace_seconds * 1000 * shareForPage : personGraceMs;
  const runner = startSliceRunner(parts, {
    count: 2 * api.concurrency,
    graceMs: Math.min(graceMs, api.timeout_seconds * 1000),
  });
  whenQueued(runner.wake);
  return runner;
}

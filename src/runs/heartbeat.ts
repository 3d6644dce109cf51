import type { Clock } from "../core/clock.ts";
import { hourMs } from "../core/day.ts";
import { accountRefusalCodes, fail, StorehouseError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { isStopped, readStop, type AccountStop } from "../credits/account-stop.ts";
import { hasDeadHolds, releaseLapsedHolds, type Holders } from "../credits/lapsed-holds.ts";
import { isReconcileDue, reconcile } from "../ledger/reconcile.ts";
import type { Beat, LivingWorker } from "../ledger/workers.ts";
import { databaseOutage, isLostConnection, isOutage } from "../postgres/database-errors.ts";
import type { Database } from "../postgres/database.ts";
import { longestLockWait, type LockWait } from "../postgres/lock-waits.ts";
import { sql, type SqlFragment } from "../postgres/sql.ts";

/**
 * The interval of heartbeats, the time without one after which a process counts as dead, the intervals between checks of a refused account,
 * and the wait of a slice that may have killed its processes (`decidingWaitMs` in poison.ts if left out).
 */
export type Intervals = {
  readonly beatMs: number;
  readonly deadAfterMs: number;
  readonly firstCheckMs: number;
  readonly longestCheckMs: number;
  readonly decidingWaitMs?: number;
};

/** The next heartbeats of another process find one that died, or one that froze after it has missed four: within a minute in all. */
export const usualIntervals: Intervals = {
  beatMs: 10_000,
  deadAfterMs: 45_000,
  firstCheckMs: 60_000,
  longestCheckMs: hourMs,
};

/** What a heartbeat needs. */
export type HeartbeatParts = {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly worker: LivingWorker;
  readonly accountId: string;
  readonly holders: Holders;
  readonly intervals: Intervals;
  /** Called when this process was declared dead, or when the API refused another process of its account. */
  readonly abort: (error: StorehouseError) => void;
  /** Called after each heartbeat: with null if the database stored it, otherwise with the problem. */
  readonly onBeat: (problem: StorehouseError | null) => void;
};

/** Frees what dead processes hold: slices, credits. Logs it if there was anything. */
export async function reapDeadWorkers({
  db,
  clock,
  log,
  accountId,
  holders,
  intervals,
}: Pick<HeartbeatParts, "db" | "clock" | "log" | "accountId" | "holders" | "intervals">): Promise<void> {
  const { deadAfterMs, decidingWaitMs: waitMs } = intervals;
  const rules = { deadAfterMs, workerId: holders.workerId, ...(waitMs === undefined ? {} : { waitMs }) };
  const { deadWorkers, freed, failed, cancelled, jobs } = await reconcile(db, rules);
  await releaseLapsedHolds(db, { accountId, holders }, clock);
  if (deadWorkers.length + freed + jobs > 0) log.warn({ workers: deadWorkers, slices: freed, jobs }, "workers.dead");
  if (cancelled > 0) log.info({ slices: cancelled }, "runs.cancelled");
  if (failed.length > 0) log.error({ slices: failed }, "slices.poisoned");
}

/** One heartbeat in this many checks for everything that dead processes left, even if the heartbeat itself found nothing. */
const fullCheckBeats = 30;

/** A lock that is not granted for this many heartbeats is reported. */
const lockWaitBeats = 2;

/** Sends heartbeats until disposed, frees what dead processes hold, and reports locks that this process waits for. */
export function startHeartbeat(parts: HeartbeatParts): AsyncDisposable {
  const { clock, intervals } = parts;
  const ended = new AbortController();
  const reportLockWait = lockWaitReporter(parts);
  const reportOutage = outageReporter(parts);
  const wait = () => clock.sleep(intervals.beatMs, ended.signal).catch(() => undefined);
  let checking: Promise<void> | null = null;

  async function beating(): Promise<void> {
    // after an outage no process has sent a heartbeat for a while: the first to return must not declare the others dead
    let steady = 0;
    for (await wait(); !ended.signal.aborted; await wait()) {
      const beat = await beatOnce(parts, reportOutage);
      steady = beat === null ? 0 : steady + 1;
      reportLockWait(beat?.answer?.lockWait ?? null);
      // others may be declared dead from the second steady heartbeat on
      const isDue = beat?.answer?.isDue === true || steady % fullCheckBeats === 2;
      // not awaited by the heartbeats: it may wait, for instance for a plan that another process makes, longer than a heartbeat may be late
      if (isDue) checking ??= checkOthers(parts, steady > 1).finally(() => (checking = null));
    }
  }

  const all = beating();
  return {
    [Symbol.asyncDispose]: async () => {
      ended.abort();
      await all;
      await checking;
    },
  };
}

/** What a heartbeat reads: `isDue` if another process has died, or the requests of the account are stopped. */
type BeatFindings = { readonly isDue: boolean; readonly lockWait: LockWait | null };

const ofThisProcess = sql`a.application_name = current_setting('application_name')`;

/** SQL: what a heartbeat reads, as JSON. */
function beatQuestion({ worker, accountId, holders, intervals }: HeartbeatParts): SqlFragment<BeatFindings> {
  return sql<BeatFindings>`json_build_object(
    'isDue', ${isReconcileDue(worker.workerId, intervals.deadAfterMs)} or ${hasDeadHolds(accountId, holders)} or ${isStopped(accountId)},
    'lockWait', ${longestLockWait(lockWaitBeats * intervals.beatMs, ofThisProcess)})`;
}

/** One heartbeat. Returns what it found, null if the database did not store it. */
async function beatOnce(parts: HeartbeatParts, report: HeartbeatParts["onBeat"]): Promise<Beat<BeatFindings> | null> {
  try {
    const beat = await parts.worker.beat(beatQuestion(parts));
    if (!beat.isEntered) parts.abort(fail("lease_expired"));
    report(null);
    return beat;
  } catch (error) {
    if (isLostConnection(error)) report(databaseOutage(error, "no heartbeat gets through"));
    else if (error instanceof StorehouseError && isOutage(error)) report(error);
    else logFailure(parts, error);
    return null;
  }
}

/** Reports the outcome of each heartbeat, and logs when heartbeats start to fail and when they succeed again. */
function outageReporter({ clock, log, onBeat }: HeartbeatParts): HeartbeatParts["onBeat"] {
  let since: number | null = null;
  return (problem) => {
    if (problem !== null && since === null)
      log.warn({ code: problem.code, problem: problem.message }, "database.unavailable");
    if (problem === null && since !== null) log.info({ duration_ms: clock.now() - since }, "database.recovered");
    since = problem === null ? null : (since ?? clock.now());
    onBeat(problem);
  };
}

/** Reads whether another process was refused, and releases what dead processes hold. A step that fails is repeated at a later heartbeat. */
async function checkOthers(parts: HeartbeatParts, isSteady: boolean): Promise<void> {
  const { db, worker, accountId, abort } = parts;
  try {
    const stop = await readStop(db, accountId, worker.workerId);
    if (stop !== null) abort(refusedElsewhere(stop));
    if (!isSteady) return;
    await reapDeadWorkers(parts);
  } catch (error) {
    if (!isLostConnection(error)) logFailure(parts, error);
  }
}

/** The text of the driver may contain the address. */
function logFailure({ log }: HeartbeatParts, error: unknown): void {
  log.warn({ problem: error instanceof Error ? error.name : "unknown" }, "heartbeat.failed");
}

/** The refusal that another process met, as an error of this one. */
export function refusedElsewhere({ code, operation, subject, dataset }: AccountStop): StorehouseError {
  const facts = { operation: operation || undefined, dataset: dataset || undefined, subject: subject || undefined };
  return fail(accountRefusalCodes.find((known) => known === code) ?? "forbidden", facts);
}

/** A wait that continues is reported again after this long. */
const repeatMs = 300_000;

/** A function that logs which process holds the lock that this one waits for: once per holder, and again if the wait continues. */
function lockWaitReporter({ clock, log }: { readonly clock: Clock; readonly log: Log }) {
  let reported = { holder: 0, at: 0 };
  return (wait: LockWait | null): void => {
    const now = clock.now();
    if (wait === null || (wait.held_by === reported.holder && now - reported.at < repeatMs)) return;
    reported = { holder: wait.held_by, at: now };
    log.warn(wait, "database.lock_awaited");
  };
}

import { createClient } from "../api/client.ts";
import { clientOptions, createApp, createAppLog, type App } from "../app.ts";
import { accountOf } from "../config/config-of-account.ts";
import { apiAccess, type Config } from "../config/config.ts";
import { systemClock } from "../core/clock.ts";
import type { Day } from "../core/day.ts";
import { AbortError, StorehouseError } from "../core/errors.ts";
import { retry, type Backoff } from "../core/retry.ts";
import { claimBalanceCheck, liftStop, recordStop, stoppingOperations } from "../credits/account-stop.ts";
import { refreshBalance } from "../ingest/balance-check.ts";
import { usualIntervals } from "../runs/heartbeat.ts";
import { reasonOf } from "../runs/process-stop.ts";
import { putOffOperations } from "../ledger/amend-slices.ts";
import { sharedQueueOf } from "../ledger/shared-queue.ts";
import { noteEnd } from "../ledger/workers.ts";
import { databaseOutage, isLostConnection, isOutage } from "../postgres/database-errors.ts";
import { checkStorable } from "../raw/check-storable.ts";
import type { OnState } from "./state.ts";

/** The waits between checks of a database that does not respond grow up to a minute. */
const waits: Backoff = { firstMs: 1_000, longestMs: 60_000 };

/** Opens the app of a worker, and waits for a database that does not respond yet. Null if `stop` was aborted first. */
export async function openWorkerApp(
  config: Config,
  { stop, onState, asOf }: { readonly stop: AbortSignal; readonly onState?: OnState; readonly asOf?: Day },
): Promise<App | null> {
  const log = await createAppLog(config);
  const clock = systemClock(asOf);
  const again = (error: unknown, _failures: number, waitMs: number) => {
    if (config.environment.DATABASE_URL === undefined || !mayComeUp(error)) return false;
    const known = error instanceof StorehouseError ? error : databaseOutage(error);
    log.warn({ code: known.code, problem: known.message, wait_ms: waitMs }, "database.unavailable");
    onState?.({ is: "database_unavailable", error: { code: known.code, message: known.message }, workerId: null });
    return true;
  };
  if (stop.aborted) return null;
  return retry({ clock, backoff: waits, signal: stop, again }, () => openStorable(config, asOf)).catch(
    unlessStopped(stop),
  );
}

/** False for a server that responds but refuses the connection, or is read-only: waiting does not correct a wrong password or address. */
function mayComeUp(error: unknown): boolean {
  const known = isLostConnection(error) ? databaseOutage(error) : error;
  return known instanceof StorehouseError && isOutage(known) && known.code !== "database_read_only";
}

async function openStorable(config: Config, asOf?: Day): Promise<App> {
  await using opened = new AsyncDisposableStack();
  const app = opened.use(await createApp(config, asOf));
  await checkStorable(app.warehouse.db);
  opened.move();
  return app;
}

/** Waits until the database responds again and has space for answers, or until the stop. */
export async function untilDatabaseResponds({ warehouse, clock, log }: App, stop: AbortSignal): Promise<void> {
  const from = clock.now();
  const again = (error: unknown, _failures: number, waitMs: number) => {
    if (!(error instanceof StorehouseError) || !isOutage(error)) return false;
    log.warn({ code: error.code, problem: error.message, wait_ms: waitMs }, "database.unavailable");
    return true;
  };
  const check = async () => {
    await checkStorable(warehouse.db);
    log.info({ duration_ms: clock.now() - from }, "database.recovered");
    return null;
  };
  await retry({ clock, backoff: waits, signal: stop, again }, check).catch(unlessStopped(stop));
}

/** Returns null if the stop ended the wait; any other error is thrown. */
function unlessStopped(stop: AbortSignal): (error: unknown) => null {
  return (error) => {
    if (stop.aborted) return null;
    throw error;
  };
}

/**
 * A refused operation waits this many checks for problems, after all others: an incident stays open for ten checks and must not close in
 * that time.
 */
const checksOfOthers = 5;

/**
 * Waits until the API accepts the account again, or until the stop. One of the waiting workers tests it with a balance check, at growing
 * intervals, and the result counts for all. If the API accepts the balance check but has refused another operation, all workers try once
 * more, with such operations some minutes after all others. `former`: the number under which this process was registered; the wait is
 * recorded there.
 */
export async function untilApiAccepts(app: App, stop: AbortSignal, former: string | null): Promise<void> {
  const { clock, log, intervals = usualIntervals } = app;
  const { db } = app.warehouse;
  const { accountId } = apiAccess(app.config.environment);
  await using client = createClient(clientOptions(app));
  const distances = { firstMs: intervals.firstCheckMs, longestMs: intervals.longestCheckMs };
  const note = async (endedAs: string) => (former === null ? undefined : noteEnd(db, former, endedAs));
  for (;;) {
    await note("waiting").catch(() => undefined);
    await clock.sleep(Math.min(intervals.beatMs, intervals.firstCheckMs), stop).catch(() => undefined);
    if (stop.aborted) return await note("stopped").catch(() => undefined);
    try {
      const operations = await stoppingOperations(db, accountId);
      if (operations.length === 0) return;
      if (!(await claimBalanceCheck(db, accountId, distances))) continue;
      // the check may take as long as an answer may: this process waits meanwhile
      const beat = setInterval(() => void note("waiting").catch(() => undefined), intervals.beatMs);
      await refreshBalance({ db, client, clock, accountId, workerId: null, signal: stop }).finally(() =>
        clearInterval(beat),
      );
      // otherwise it would be sent first, and refused before anything else is planned or sent
      const until = clock.now() + checksOfOthers * app.config.settings.notify.check_seconds * 1000;
      const account = accountOf(app.config.settings);
      await putOffOperations(db, { queueId: await sharedQueueOf(db, account), account, operations, until });
      await liftStop(db, accountId);
      log.warn("api.requests_resumed");
      return;
    } catch (error) {
      if (!(error instanceof StorehouseError) && !isLostConnection(error)) throw error;
      if (error instanceof AbortError)
        await recordStop(db, accountId, reasonOf(error, app.hide), distances).catch(() => undefined);
      log.debug({ code: error instanceof StorehouseError ? error.code : "database_unreachable" }, "api.still_refused");
    }
  }
}

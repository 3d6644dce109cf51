import { apiAccess, type Config } from "../config/config.ts";
import { networkOf } from "../config/network.ts";
import type { Clock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import { openWarehouse, type Database, type Warehouse } from "../postgres/database.ts";
import type { ListeningServer } from "../health/listen.ts";
import type { startHealth } from "../health/server.ts";
import { createMetrics, type EndedRequest } from "../health/metrics.ts";
import { isUp, readReadiness } from "../health/readiness.ts";
import type { RunIntervals } from "../incidents/lateness.ts";
import { runWatcher } from "../incidents/watcher.ts";
import type { WorkerState } from "../health/worker-state.ts";
import { createPing, createWebhook } from "../incidents/webhook.ts";

/** What the watch of a worker needs. */
export type WatchParts = {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  /** Datasets that the crontab names. */
  readonly scheduled: RunIntervals;
};

/** A worker's watch: a health server from the start, and checks for incidents once the database is known. */
export interface Watch extends AsyncDisposable {
  /** To be called with each state of the worker. */
  readonly onState: (state: WorkerState) => void;
  /** To be called with each request that ended. */
  readonly onRequest: (request: EndedRequest) => void;
  /** Starts the checks on a database; disposing the result stops them. */
  readonly startChecks: (databaseUrl: string) => AsyncDisposable;
  /** The port of the health server; null when it is off. */
  readonly port: number | null;
}

/**
 * The watch has its own connections, so that it and the work do not wait for each other: one for a scrape, one for a check, one for
 * readiness.
 */
const connections = 3;
/** A check of a large ledger takes seconds; a server that sends nothing for longer does not respond. */
const queryTimeoutMs = 30_000;
const reopenMs = 1_000;

/**
 * Starts the health server of a worker; the checks start with `startChecks`, over their own connections. Throws a UsageError if
 * API_BASE_URL or API_TOKEN is missing, or if the address of the health server cannot be used.
 */
export async function startWatch(parts: WatchParts): Promise<Watch> {
  const { config, clock } = parts;
  const { accountId } = apiAccess(config.environment);
  let state: WorkerState | null = null;
  let db: Database | null = null;
  const { scheduled } = parts;
  const shared = { db: () => db, settings: config.settings, clock, accountId, scheduled, state: () => state };
  const requests = requestSummary(parts.log);
  const metrics = createMetrics({ ...shared, log: parts.log, isDatabaseUp: () => isUp(db) });
  const server = await listen(parts, { ready: () => readReadiness(shared), scrape: metrics.scrape });
  const startChecks = (databaseUrl: string) => {
    const stop = new AbortController();
    const running = runChecks(parts, {
      databaseUrl,
      stop: stop.signal,
      accountId,
      opened: (one) => (db = one),
      report: requests.log,
    });
    return {
      [Symbol.asyncDispose]: async () => {
        stop.abort();
        await running;
      },
    };
  };
  return {
    onState: (next) => (state = next),
    onRequest: (request) => {
      metrics.recordRequest(request);
      requests.add(request);
    },
    startChecks,
    port: server?.port ?? null,
    [Symbol.asyncDispose]: async () => server?.[Symbol.asyncDispose](),
  };
}

async function listen(
  { config, log }: WatchParts,
  answers: Pick<Parameters<typeof startHealth>[0], "ready" | "scrape">,
): Promise<ListeningServer | null> {
  const { host, port } = config.settings.health;
  if (port === "off") return null;
  // imported only if needed: an eighth of the modules of a worker
  const { startHealth: start } = await import("../health/server.ts");
  const server = await start({ host, port, ...answers });
  if (port !== 0 && server?.port !== port) log.warn({ host, port, got: server?.port ?? null }, "health.port_taken");
  // last: another process may wait for this line and then use the server
  if (server !== null) log.info({ host, port: server.port }, "health.listening");
  return server;
}

/** What the checks on a database need. */
type ChecksOptions = {
  readonly databaseUrl: string;
  readonly accountId: string;
  readonly stop: AbortSignal;
  /** Called with the database when it is open, and with null when it closes. */
  readonly opened: (db: Database | null) => void;
  /** Called after each check. */
  readonly report: () => void;
};

async function runChecks(
  parts: WatchParts,
  { databaseUrl, accountId, stop, opened, report }: ChecksOptions,
): Promise<void> {
  const { clock, log, scheduled } = parts;
  const { environment, settings } = parts.config;
  let warehouse: Warehouse | null = null;
  while (warehouse === null && !stop.aborted) {
    // the worker itself logs why it cannot open the database
    warehouse = await openWarehouse(databaseUrl, connections, { timeoutMs: queryTimeoutMs }).catch(() => null);
    if (warehouse === null) await clock.sleep(reopenMs, stop).catch(() => undefined);
  }
  if (warehouse === null) return;
  await using open = warehouse;
  opened(open.db);
  const { NOTIFY_URL: url, NOTIFY_PING_URL: pingUrl } = environment;
  const network = networkOf(environment);
  await runWatcher(
    {
      db: open.db,
      settings,
      clock,
      accountId,
      scheduled,
      log,
      report,
      checkEveryMs: settings.notify.check_seconds * 1000,
      send: url === undefined ? null : createWebhook({ url, format: settings.notify.format, network }),
      ping: pingUrl === undefined ? null : createPing({ url: pingUrl, network }),
    },
    stop,
  );
  opened(null);
}

/** Sums up the requests of a worker, so that its log has one line per check, not one per request. */
function requestSummary(log: Log): { readonly add: (request: EndedRequest) => void; readonly log: () => void } {
  let [requests, failed, durationMs] = [0, 0, 0];
  return {
    add: (request) => {
      requests += 1;
      durationMs += request.durationMs;
      if (request.outcome !== "ok") failed += 1;
    },
    log: () => {
      if (requests === 0) return;
      log.info({ requests, failed, mean_ms: Math.round(durationMs / requests) }, "requests.sent");
      [requests, failed, durationMs] = [0, 0, 0];
    },
  };
}

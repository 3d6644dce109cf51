import { apiAccess, type Config } from "../config/config.ts";
import type { Clock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import { openWarehouse, type Database, type Warehouse } from "../postgres/database.ts";
import { startHealth, type HealthServer } from "../health/server.ts";
import { createMetrics, type EndedRequest } from "../health/metrics.ts";
import { isUp, readReadiness } from "../health/readiness.ts";
import { createTally } from "../health/request-tally.ts";
import { runWatcher } from "../incidents/watcher.ts";
import type { WatchedState } from "../health/worker-state.ts";
import { createWebhook } from "../incidents/webhook.ts";

/** What watching a worker takes. */
export type WatchParts = {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
  /** Datasets that lines of the crontab name. */
  readonly scheduled: ReadonlySet<string>;
};

/** A worker's watch: it answers from the start, and looks for what is wrong once the database is known. */
export interface Watch extends AsyncDisposable {
  /** To be told of each change of the worker's state. */
  readonly onState: (state: WatchedState) => void;
  /** To be told of each request that ended. */
  readonly onRequest: (request: EndedRequest) => void;
  /** To be told of the database; disposing what it returns lets go of it. */
  readonly attend: (databaseUrl: string) => AsyncDisposable;
  /** The port on which it answers; null when it does not. */
  readonly port: number | null;
}

/** Watching must neither wait for a connection that work holds nor take one from it: one scrape, one look, one question whether it lives. */
const connections = 3;
/** A look over a large ledger takes seconds; a server that is silent for longer is away. */
const silenceMs = 30_000;
const reopenMs = 1_000;

/**
 * Starts the health server of a worker, and its look-out as soon as it attends to a database, over connections of its own. Throws a
 * UsageError when API_BASE_URL or API_TOKEN is missing or when the health server's address cannot be used.
 */
export async function startWatch(parts: WatchParts): Promise<Watch> {
  const { config, clock } = parts;
  const { accountId } = apiAccess(config.environment);
  let state: WatchedState | null = null;
  let db: Database | null = null;
  const shared = { db: () => db, settings: config.settings, clock, accountId, state: () => state };
  const tally = createTally(parts.log);
  const metrics = createMetrics({ ...shared, isDatabaseUp: () => isUp(db) });
  const server = await listen(parts, { ready: () => readReadiness(shared), scrape: metrics.scrape });
  const attend = (databaseUrl: string) => {
    const stop = new AbortController();
    const attending = attendTo(parts, {
      databaseUrl,
      stop: stop.signal,
      accountId,
      opened: (one) => (db = one),
      report: tally.report,
    });
    return {
      [Symbol.asyncDispose]: async () => {
        stop.abort();
        await attending;
      },
    };
  };
  return {
    onState: (next) => (state = next),
    onRequest: (request) => {
      metrics.noteRequest(request);
      tally.note(request);
    },
    attend,
    port: server?.port ?? null,
    [Symbol.asyncDispose]: async () => server?.[Symbol.asyncDispose](),
  };
}

async function listen(
  { config, log }: WatchParts,
  answers: Pick<Parameters<typeof startHealth>[0], "ready" | "scrape">,
): Promise<HealthServer | null> {
  const { host, port } = config.settings.health;
  if (port === "off") return null;
  const server = await startHealth({ host, port, ...answers });
  if (port !== 0 && server?.port !== port) log.warn({ host, port, got: server?.port ?? null }, "health.port_taken");
  // last, as whoever waits for it may go on from there
  if (server !== null) log.info({ host, port: server.port }, "health.listening");
  return server;
}

/** What it takes to look for what is wrong in a database. */
type Attending = {
  readonly databaseUrl: string;
  readonly accountId: string;
  readonly stop: AbortSignal;
  /** Told of the database when it is there, and of null when it is let go. */
  readonly opened: (db: Database | null) => void;
  /** Called at each look. */
  readonly report: () => void;
};

async function attendTo(parts: WatchParts, { databaseUrl, accountId, stop, opened, report }: Attending): Promise<void> {
  const { clock, log, scheduled } = parts;
  const { environment, settings } = parts.config;
  let warehouse: Warehouse | null = null;
  while (warehouse === null && !stop.aborted) {
    // the worker says why it does not come
    warehouse = await openWarehouse(databaseUrl, connections, silenceMs).catch(() => null);
    if (warehouse === null) await clock.sleep(reopenMs, stop).catch(() => undefined);
  }
  if (warehouse === null) return;
  await using open = warehouse;
  opened(open.db);
  const url = environment.NOTIFY_URL;
  await runWatcher(
    {
      db: open.db,
      settings,
      clock,
      accountId,
      scheduled,
      log,
      report,
      lookEveryMs: settings.notify.look_seconds * 1000,
      send: url === undefined ? null : createWebhook({ url, format: settings.notify.format }),
    },
    stop,
  );
  opened(null);
}

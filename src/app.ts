import path from "node:path";
import type { ClientOptions } from "./api/client.ts";
import { accountOf } from "./config/config-of-account.ts";
import { accountIdOf, apiAccess, databaseUrlOf, type Config } from "./config/config.ts";
import { networkOf } from "./config/network.ts";
import { secretsOf } from "./config/secrets.ts";
import { systemClock, type Clock } from "./core/clock.ts";
import type { Day } from "./core/day.ts";
import { createLog, type Log } from "./core/log.ts";
import { hiderOf } from "./core/secret.ts";
import { latestAccount } from "./credits/account.ts";
import type { CrashHook } from "./ingest/crash-point.ts";
import { openWarehouse, type Warehouse } from "./postgres/database.ts";
import type { Queryable } from "./postgres/sql.ts";
import { isUpToDate } from "./postgres/pending-migrations.ts";
import type { Intervals } from "./runs/heartbeat.ts";

/** What every command has: settings, the migrated database, clock and log. */
export interface App extends AsyncDisposable {
  readonly config: Config;
  readonly warehouse: Warehouse;
  /** Address of the database, with its password: for tools that connect on their own, never for a log. */
  readonly databaseUrl: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Strikes every secret of the settings out of a text. */
  readonly hide: (text: string) => string;
  /** Called with each request that ended, to count them. */
  readonly onRequest?: ClientOptions["onRequest"];
  /** Called at each step of a slice; set by tests only. */
  readonly crashPoint?: CrashHook | undefined;
  /** How often this process writes its heartbeat; another one than the usual is set by tests only. */
  readonly intervals?: Intervals | undefined;
}

/** Slices take their steps together, so that more of them need no more connections; a server allows a hundred to all processes. */
const mostConnections = 20;

/** The log of a process, which shows neither token nor password: sentences at a terminal, lines of JSON in a pipe or a file. */
export async function createAppLog({ environment }: Config): Promise<Log> {
  const to = process.stderr.isTTY ? (await import("./core/log-lines.ts")).logLines(process.stderr) : undefined;
  return createLog({
    level: environment.LOG_LEVEL,
    secrets: secretsOf(environment),
    ...(to === undefined ? {} : { to }),
  });
}

/** Opens the database (the embedded one when none is named) and migrates it. What runs slices is opened by `openIngest`. */
export async function createApp(config: Config, asOf?: Day): Promise<App> {
  await using opened = new AsyncDisposableStack();
  const { environment, settings } = config;
  const databaseUrl = databaseUrlOf(environment) ?? opened.use(await openOwnPostgres(config.home)).url;
  const warehouse = opened.use(
    await openWarehouse(databaseUrl, Math.min(2 * settings.api.concurrency + 6, mostConnections), {
      timeoutMs: settings.database.timeout_seconds * 1000,
    }),
  );
  const [log, clock] = [await createAppLog(config), systemClock(asOf)];
  if (!(await isUpToDate(warehouse.db))) await migrateNow(warehouse, { log, clock });
  const stack = opened.move();
  return {
    config,
    warehouse,
    databaseUrl,
    clock,
    log,
    hide: hiderOf(secretsOf(environment)),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Options of the client for the API, from the settings. Throws a UsageError when API_BASE_URL or API_TOKEN is missing. */
export function clientOptions({ config, clock, onRequest }: App): ClientOptions {
  const { api } = config.settings;
  const { baseUrl, token } = apiAccess(config.environment);
  return {
    baseUrl,
    token,
    storeWords: api.store_words,
    timeoutMs: api.timeout_seconds * 1000,
    largestAnswer: api.largest_answer_mib * 2 ** 20,
    clock,
    network: networkOf(config.environment),
    onRequest,
  };
}

/** The account id whose credits are meant: that of the token or, without one, the one of the account with the newest balance ('' for none). */
export async function accountIdIn(
  db: Queryable,
  { environment, settings }: Pick<Config, "environment" | "settings">,
): Promise<string> {
  const { API_TOKEN: token } = environment;
  return token === undefined ? latestAccount(db, accountOf(settings)) : accountIdOf(token);
}

// what few starts need is imported when they do: a start is most of what a reading command costs

async function openOwnPostgres(home: string) {
  const { openEmbedded } = await import("./postgres/embedded/embedded-server.ts");
  return openEmbedded({ directory: path.join(home, "postgres"), database: "storehouse" });
}

async function migrateNow(warehouse: Warehouse, { log, clock }: Pick<App, "log" | "clock">): Promise<void> {
  const { migrateWarehouse } = await import("./postgres/migrate.ts");
  await migrateWarehouse(warehouse, { clock, onLocked: (holder) => log.warn(holder, "database.lock_awaited") });
}

import path from "node:path";
import pg from "pg";
import type { z } from "zod";
import type { App } from "../../src/app.ts";
import { configOfAccount } from "../../src/config/config-of-account.ts";
import { projectRoot, type Config } from "../../src/config/config.ts";
import type { Environment } from "../../src/config/env.ts";
import { Settings } from "../../src/config/settings.ts";
import { systemClock, type Clock } from "../../src/core/clock.ts";
import { addDays, day, type Day } from "../../src/core/day.ts";
import { datasets } from "../../src/datasets/shared/all.ts";
import { retryInForeground, syncInForeground, type ForegroundRun } from "../../src/foreground.ts";
import type { CrashHook } from "../../src/ingest/crash-point.ts";
import type { SyncResult } from "../../src/runs/run-parts.ts";
import type { SyncRequest } from "../../src/planner/request.ts";
import type { Reopening } from "../../src/ledger/reopen.ts";
import { startSandbox, type Sandbox, type SandboxOptions, type SandboxRequest } from "../../src/sandbox/sandbox.ts";
import { freshDatabase } from "./database.ts";
import { keptApps } from "./kept-apps.ts";

/** The day that sandbox and sync take for today. */
export const today = day("2026-08-20");

/** Two iOS apps and one Android app in two countries, with the awkward keywords among twelve. */
const smallMarket = { apps: 3, countries: ["US", "JP"], keywordsPerApp: 12, organicKeywords: 20 } as const;

export type SettingsInput = z.input<typeof Settings>;

/** What a test may choose about a run. */
export type RunOptions = Partial<Omit<ForegroundRun, "request">> & {
  readonly request?: Partial<SyncRequest>;
  readonly settings?: SettingsInput;
  readonly environment?: Partial<Environment>;
  /** The file that the settings count as read from. */
  readonly settingsFile?: string;
  /** In place of the machine's. */
  readonly clock?: Clock | undefined;
  /** Receives the state of each slice. */
  readonly crashPoint?: CrashHook;
  /** Of a retry: which slices; failed ones when left out. */
  readonly which?: Omit<Reopening, "datasets">;
};

/** A sandbox, an empty database, and a way to sync the one into the other in this process. */
export type Stage = AsyncDisposable & {
  readonly sandbox: Sandbox;
  readonly databaseUrl: string;
  readonly config: (options?: RunOptions) => Config;
  readonly open: (options?: RunOptions) => Promise<App>;
  readonly sync: (options?: RunOptions) => Promise<SyncResult>;
  readonly retry: (options?: RunOptions) => Promise<SyncResult>;
  /** Reads or steers the database as a bystander. */
  readonly query: <R extends pg.QueryResultRow>(text: string, values?: readonly unknown[]) => Promise<R[]>;
  /** Requests that the sandbox saw, without the free question for the balance. */
  readonly requested: () => readonly SandboxRequest[];
};

/** Opens a stage. `database` shares one that another stage has opened. */
export async function openStage(options: SandboxOptions & { database?: string } = {}): Promise<Stage> {
  await using opened = new AsyncDisposableStack();
  const { database, market, ...chosen } = options;
  const sandbox = opened.use(await startSandbox({ today, market: { ...smallMarket, ...market }, ...chosen }));
  const databaseUrl = database ?? opened.use(await freshDatabase()).url;
  const pool = opened.adopt(new pg.Pool({ connectionString: databaseUrl, max: 4 }), (one) => one.end());
  pool.on("error", () => undefined);
  const config = (run: RunOptions = {}) => configOfAccount(configOf(sandbox, databaseUrl, run));
  const apps = opened.use(keptApps());
  const open = async (run: RunOptions = {}) => {
    const app = await apps.open(config(run), run.request?.today ?? today);
    return run.clock === undefined ? app : { ...app, clock: run.clock };
  };
  const inForeground = async (way: typeof syncInForeground, run: RunOptions) => {
    await using app = await open(run);
    return await way(
      { ...app, crashPoint: run.crashPoint },
      {
        request: { datasets: [], bounds: {}, today, ...run.request },
        maxCredits: run.maxCredits ?? null,
        stop: run.stop ?? new AbortController().signal,
        progress: run.progress ?? (() => undefined),
      },
    );
  };
  const stack = opened.move();
  return {
    sandbox,
    databaseUrl,
    config,
    open,
    sync: (run = {}) => inForeground(syncInForeground, run),
    retry: (run = {}) => inForeground((app, how) => retryInForeground(app, { ...how, which: run.which ?? {} }), run),
    query: async (text, values = []) => (await pool.query(text, [...values])).rows,
    requested: () => sandbox.log().filter(({ path: requested }) => requested !== "/api-key"),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** A configuration without waits: the pace of the sandbox has no limit and what may pass is requested again at once. */
function configOf(
  api: { readonly url: string; readonly token: string },
  databaseUrl: string,
  { settings = {}, environment = {}, settingsFile }: RunOptions = {},
): Config {
  return {
    environment: {
      API_BASE_URL: api.url,
      API_TOKEN: api.token,
      DATABASE_URL: databaseUrl,
      LOG_LEVEL: "silent",
      ...environment,
    },
    settings: Settings.parse(quick(settings)),
    home: path.join(projectRoot, ".storehouse"),
    ...(settingsFile === undefined ? {} : { settingsFile }),
  };
}

/** Of the datasets that are on by default those that tests about the way of the data run; the conformance suite runs all. */
const few: readonly string[] = ["tracked_app", "tracked_country", "tracked_keyword", "keyword_rank"];
const others = Object.fromEntries(
  datasets.filter(({ name, on }) => on && !few.includes(name)).map(({ name }) => [name, { on: false }]),
);

/** Ranks come from requests for ranks alone, so that these can be counted. */
const oneSource = { tracked_keyword: { options: { ranks: false } } };

/** Settings that make a run short: few datasets and days, no pace, no floors. */
export function quick(settings: SettingsInput = {}): SettingsInput {
  return {
    ...settings,
    datasets: { ...others, ...oneSource, keyword_rank: { history_days: 4 }, ...settings.datasets },
    health: { port: "off", ...settings.health },
    credits: settings.credits ?? { floors: { snapshot: 0, daily: 0, lookback: 0, history: 0 } },
    api: { requests_per_second: 1000, retry_seconds: 0.02, timeout_seconds: 20, ...settings.api },
  };
}

/** The days that a sync without bounds requests under the quick settings. */
export function requestedDays(days = 4): Day[] {
  return Array.from({ length: days }, (_, index) => addDays(today, -1 - index)).sort();
}

/** What a request was for, as one text: equal for two requests for the same thing. */
export function callText({ operation, params }: SandboxRequest): string {
  return `${operation} ${JSON.stringify(Object.entries(params).sort(([a], [b]) => (a < b ? -1 : 1)))}`;
}

/** A sandbox's clock that lets so many requests through and holds all others until it is opened. */
export type Gate = {
  readonly clock: Clock;
  readonly latencyMs: 1;
  /** Requests that are held now. */
  readonly held: () => number;
  readonly open: () => void;
};

/** Makes a gate; its `clock` and `latencyMs` belong into the options of a stage. */
export function gateAfter(requests: number): Gate {
  const opened = Promise.withResolvers<void>();
  let through = 0;
  let held = 0;
  const sleep = async () => {
    through += 1;
    if (through <= requests) return;
    held += 1;
    await opened.promise;
    held -= 1;
  };
  return { clock: { ...systemClock(), sleep }, latencyMs: 1, held: () => held, open: () => opened.resolve() };
}

/** Between two checks of a condition: one that queries a database costs as much as what it waits for when it is checked all the time. */
const [nearMs, farMs] = [5, 50];

/** Resolves when the condition holds. The test's own time limit is the only one. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (;;) {
    const holding = holds();
    if (await holding) return;
    const ms = typeof holding === "boolean" ? nearMs : farMs;
    await new Promise((resolve) => setTimeout(resolve, ms));
  }
}

import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { applyMetabase, type Applied, type MetabaseOptions } from "../../src/metabase/apply.ts";
import { connectionOf } from "../../src/metabase/database-entry.ts";
import { projectRoot } from "../../src/config/config.ts";
import { openWarehouse, type Warehouse } from "../../src/postgres/database.ts";
import { freshDatabase } from "./database.ts";
import { startMetabase, type MetabaseStandIn } from "./metabase-stand-in.ts";

/** A warehouse, a Metabase that sees it as `postgres`, and the command between them. */
export type MetabaseStage = AsyncDisposable & {
  readonly databaseUrl: string;
  readonly warehouse: Warehouse;
  readonly metabase: MetabaseStandIn;
  /** The starter collection, a copy that a test may change. */
  readonly folder: string;
  /** What the command said while it waited. */
  readonly said: readonly string[];
  /** Milliseconds that the command slept, by a clock that runs only then. */
  readonly slept: () => number;
  apply(options?: Partial<MetabaseOptions>): Promise<Applied>;
};

export const admin = { email: "admin@example.com", password: "a-good-password-1" };
export const readerPassword = "reader-secret-of-the-test";
export const apiKey = "mb_key-of-the-test";

/**
 * Opens the stage. Metabase is new, unless `isSetUp`: then it has the administrator and the key of the test. Postgres plans the question
 * of every card each time, so a test that is about no dashboard has none in its files, and others name those that they are about.
 */
export async function openMetabaseStage({
  isSetUp = true,
  dashboards = [],
}: { readonly isSetUp?: boolean; readonly dashboards?: readonly string[] } = {}): Promise<MetabaseStage> {
  await using opened = new AsyncDisposableStack();
  const database = opened.use(await freshDatabase());
  const warehouse = opened.use(await openWarehouse(database.url, 2));
  const sees = { databaseUrl: database.url, host: "postgres", password: readerPassword };
  const metabase = opened.use(await startMetabase(sees));
  if (isSetUp) {
    Object.assign(metabase.state, { admin, setupToken: null });
    metabase.state.apiKeys.set(apiKey, { isAdmin: true });
  }
  const folder = mkdtempSync(path.join(tmpdir(), "storehouse-test-"));
  opened.defer(() => rmSync(folder, { recursive: true, force: true }));
  copyFiles(folder, dashboards);
  const { clock, slept } = ownClock();
  const said: string[] = [];
  const stack = opened.move();
  return {
    databaseUrl: database.url,
    warehouse,
    metabase,
    folder,
    said,
    slept,
    apply: (options) =>
      applyMetabase(warehouse, {
        network: {},
        url: metabase.url,
        credentials: isSetUp ? { apiKey } : admin,
        connection: connectionOf(database.url, "postgres:5432", readerPassword),
        folder,
        isDryRun: false,
        overwrite: false,
        seconds: 60,
        clock,
        say: (line) => void said.push(line),
        ...options,
      }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** A clock that runs only while its `sleep` is awaited. */
function ownClock(): { readonly clock: MetabaseOptions["clock"]; readonly slept: () => number } {
  let now = 0;
  const clock: MetabaseOptions["clock"] = {
    now: () => now,
    today: () => {
      throw new Error("the test needs no day");
    },
    sleep: async (ms) => {
      now += ms;
    },
  };
  return { clock, slept: () => now };
}

/**
 * A stage that is opened and applied to once for many tests: each begins with Metabase and the files as they were then. Postgres plans
 * every question each time, so a test names the dashboards that it is about (`reviews`), and the files have these alone.
 */
export function sharedMetabaseStage({
  readsComments = true,
  dashboards,
}: { readonly readsComments?: boolean; readonly dashboards?: readonly string[] } = {}): AsyncDisposable & {
  readonly fresh: (dashboards?: readonly string[]) => Promise<MetabaseStage>;
} {
  const opening = openMetabaseStage().then(async (stage) => {
    stage.metabase.state.readsComments = readsComments;
    copyFiles(stage.folder, dashboards);
    await stage.apply();
    return { stage, saved: structuredClone(stage.metabase.state) };
  });
  return {
    fresh: async (own = dashboards) => {
      const { stage, saved } = await opening;
      Object.assign(stage.metabase.state, structuredClone(saved));
      stage.metabase.forgetWrites();
      copyFiles(stage.folder, own);
      return stage;
    },
    [Symbol.asyncDispose]: async () => (await opening).stage[Symbol.asyncDispose](),
  };
}

/** Copies the starter collection: the metrics and these dashboards, or all of it. */
function copyFiles(folder: string, dashboards?: readonly string[]): void {
  const from = path.join(projectRoot, "config", "metabase");
  const named = dashboards?.map((name) => `${name}.yaml`);
  const chosen = named === undefined ? readdirSync(from) : ["metrics.yaml", ...named];
  rmSync(folder, { recursive: true });
  for (const file of chosen) cpSync(path.join(from, file), path.join(folder, file));
}

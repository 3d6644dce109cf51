import type { Fault, SandboxOptions, SandboxRequest } from "../../src/sandbox/sandbox.ts";
import { freshDatabase } from "./database.ts";
import { openStage, type RunOptions, type Stage } from "./ingest-stage.ts";
import { charged } from "./ingest-witness.ts";

/** What the first sync of a stage has left: its database, which nobody is connected to, and its requests. */
type Synced = { readonly database: string; readonly requested: readonly SandboxRequest[] };

/** How the first sync is made: without faults unless it has its own. All clocks count as the same. */
type FirstRun = Pick<RunOptions, "request" | "settings" | "clock" | "maxCredits"> & {
  readonly faults?: readonly Fault[];
};

const made = new Map<string, Promise<Synced>>();

/** The first sync, made once in a process for all stages whose market, day and accounts are the same. */
function syncedOnce({ market, today, accounts }: SandboxOptions, run: FirstRun): Promise<Synced> {
  const chosen = { ...(market && { market }), ...(today && { today }), ...(accounts && { accounts }) };
  const key = JSON.stringify([chosen, run]);
  const known = made.get(key) ?? sync(chosen, run);
  made.set(key, known);
  return known;
}

async function sync(options: SandboxOptions, { faults = [], ...run }: FirstRun): Promise<Synced> {
  // goes with all databases of these tests
  const { url } = await freshDatabase();
  await using stage = await openStage({ ...options, ...(run.clock && { clock: run.clock }), faults, database: url });
  await stage.sync(run);
  return { database: new URL(url).pathname.slice(1), requested: stage.requested() };
}

/**
 * Opens a stage whose first sync is over: on a copy of a database in which it was made once. Its account has paid for
 * that sync, and the log is empty.
 */
export async function openSynced(options: SandboxOptions = {}, run: FirstRun = {}): Promise<Stage> {
  const { database, requested } = await syncedOnce(options, run);
  await using opened = new AsyncDisposableStack();
  const { url } = opened.use(await freshDatabase(database));
  const stage = opened.use(await openStage({ ...options, database: url }));
  stage.sandbox.spend(charged(requested));
  const stack = opened.move();
  return { ...stage, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

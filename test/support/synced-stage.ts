import type { Fault, SandboxOptions, SandboxRequest } from "../../src/sandbox/sandbox.ts";
import { freshDatabase } from "./database.ts";
import { openStage, type RunOptions, type Stage } from "./ingest-stage.ts";
import { charged } from "./ingest-witness.ts";

/** A state that was made: its database, which nobody is connected to, and its requests. */
type Prepared = { readonly database: string; readonly requested: readonly SandboxRequest[] };

/** How the first sync is made: without faults unless it has its own. All clocks count as the same. */
type FirstRun = Pick<RunOptions, "request" | "settings" | "clock" | "maxCredits"> & {
  readonly faults?: readonly Fault[];
};

/** A state that is made once in a process: a name that no other state has, and how it is made. */
type State = { readonly name: string; readonly make: (stage: Stage) => Promise<unknown> };

const made = new Map<string, Promise<Prepared>>();

/** Makes a state once for all stages whose market, day and accounts are the same. */
function prepareOnce(options: SandboxOptions, { name, make }: State, first: SandboxOptions = {}): Promise<Prepared> {
  const { market, today, accounts } = options;
  const chosen = { ...(market && { market }), ...(today && { today }), ...(accounts && { accounts }) };
  const key = JSON.stringify([chosen, name]);
  const known = made.get(key) ?? prepare({ ...chosen, ...first }, make);
  made.set(key, known);
  return known;
}

async function prepare(options: SandboxOptions, make: State["make"]): Promise<Prepared> {
  // goes with all databases of these tests
  const { url } = await freshDatabase();
  await using stage = await openStage({ ...options, database: url });
  await make(stage);
  return { database: new URL(url).pathname.slice(1), requested: stage.requested() };
}

async function openOn({ database, requested }: Prepared, options: SandboxOptions): Promise<Stage> {
  await using opened = new AsyncDisposableStack();
  const { url } = opened.use(await freshDatabase(database));
  const stage = opened.use(await openStage({ ...options, database: url }));
  stage.sandbox.spend(charged(requested));
  const stack = opened.move();
  return { ...stage, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/**
 * Opens a stage in a state: on a copy of a database in which it was made once. Its account has paid for that, the log is empty, and the
 * sandbox answers as at the beginning.
 */
export async function openIn(state: State, options: SandboxOptions = {}): Promise<Stage> {
  return openOn(await prepareOnce(options, state), options);
}

/** Opens a stage whose first sync is over, in the same way. */
export async function openSynced(options: SandboxOptions = {}, { faults = [], ...run }: FirstRun = {}): Promise<Stage> {
  const state: State = { name: JSON.stringify([run, faults]), make: (stage) => stage.sync(run) };
  return openOn(await prepareOnce(options, state, { ...(run.clock && { clock: run.clock }), faults }), options);
}

import { setTimeout as wait } from "node:timers/promises";
import fc from "fast-check";
import type { Intervals } from "../../src/runs/heartbeat.ts";
import type { Fault } from "../../src/sandbox/sandbox.ts";
import { mishaps as wireMishaps, openWire, type Wire } from "./cut-wire.ts";
import { jumpSignals, jumps, type Jump } from "./clock-jumps.ts";
import { startDoomed, type Behind, type Child } from "./ingest-child.ts";
import { openStage, until, type RunOptions, type Stage } from "./ingest-stage.ts";
import { ownPostgres, type OwnPostgres } from "./own-postgres.ts";
import { smallDisk, type SmallDisk } from "./small-disk.ts";

/** Calls at a time of each process. */
const concurrency = 2;
/** Credits come back every few seconds, and are too few for the work of one period. */
const account = { token: "sandbox-token", total: 400, periodHours: 5 / 3_600 };
/** A tenth and less of the usual, so that a schedule takes a minute. */
const intervals: Intervals = { beatMs: 200, deadAfterMs: 3_000, firstCheckMs: 100, longestCheckMs: 400 };

/** Settings of every process: short patience with the API and with Postgres. */
export const settings: NonNullable<RunOptions["settings"]> = {
  api: { concurrency, timeout_seconds: 2, retry_seconds: 0.05 },
  database: { timeout_seconds: 3 },
  datasets: { keyword_rank: { history_days: 12 } },
};

/** What happens to a running fleet, `after` so many more requests. `which` is one of its workers. */
type Mishap = { readonly after: number } & (
  | { readonly kind: "kill" | "freeze"; readonly which: number }
  | { readonly kind: "clock"; readonly which: number; readonly jump: Jump }
  | { readonly kind: "wire"; readonly to: "api" | "database"; readonly how: (typeof wireMishaps)[number] }
  | { readonly kind: "restart"; readonly mode: "fast" | "immediate" }
  | { readonly kind: "full disk" }
  | { readonly kind: "storm"; readonly fault: Fault }
  | { readonly kind: "spend"; readonly credits: number }
  | { readonly kind: "late"; readonly ms: number }
  | { readonly kind: "sync"; readonly isKilled: boolean }
);

// as many requests as any other number of them: fast-check prefers small ones
const after = fc.noBias(fc.integer({ min: 1, max: 12 }));
const which = fc.nat({ max: 3 });
const kind = <K extends string>(name: K) => fc.constant(name);
const storms = ["status", "cut", "half", "not-json", "success-false", "stall", "no-credit-headers"] as const;

/** Each kind of mishap as often as any other. */
const mishap: fc.Arbitrary<Mishap> = fc.oneof(
  fc.record({ kind: kind("kill"), after, which }),
  fc.record({ kind: kind("freeze"), after, which }),
  fc.record({ kind: kind("clock"), after, which, jump: fc.constantFrom(...jumps) }),
  fc.record({
    kind: kind("wire"),
    after,
    to: fc.constantFrom("api" as const, "database" as const),
    how: fc.constantFrom(...wireMishaps),
  }),
  fc.record({ kind: kind("restart"), after, mode: fc.constantFrom("fast" as const, "immediate" as const) }),
  fc.record({ kind: kind("full disk"), after }),
  fc.record({
    kind: kind("storm"),
    after,
    fault: fc.record({
      kind: fc.constantFrom(...storms),
      status: fc.constantFrom(429, 500, 503),
      times: fc.noBias(fc.integer({ min: 1, max: 40 })),
    }),
  }),
  fc.record({ kind: kind("spend"), after, credits: fc.integer({ min: 1, max: account.total }) }),
  fc.record({ kind: kind("late"), after, ms: fc.integer({ min: 1, max: 60 }) }),
  fc.record({ kind: kind("sync"), after, isKilled: fc.boolean() }),
);

/** A schedule: how many workers there are, and what befalls them. The same seed and number give the same one. */
export type Schedule = { readonly workers: number; readonly mishaps: readonly Mishap[] };

/** The schedule of a seed, of so many mishaps. */
export function scheduleOf(seed: number, length: number): Schedule {
  const all = fc.record({
    workers: fc.integer({ min: 2, max: 4 }),
    mishaps: fc.array(mishap, { minLength: length, maxLength: length, size: "max" }),
  });
  return fc.sample(all, { seed, numRuns: 1 })[0]!;
}

/** A fleet of workers behind wires, and what happened to it. */
export type Storm = AsyncDisposable & {
  readonly stage: Stage;
  /** Plays one mishap and returns when it is over; what it broke may take longer to mend. */
  readonly play: (mishap: Mishap) => Promise<void>;
  /** Requests again what failed, as a person would. */
  readonly retry: () => Promise<void>;
  /** Ends every fault and waits for `isDone`; then stops the workers and returns how each ended. */
  readonly calmDown: (isDone: () => Promise<boolean>) => Promise<readonly unknown[]>;
};

/** Starts a fleet over an empty warehouse in a Postgres of its own. */
export async function openStorm(workers: number): Promise<Storm> {
  await using opened = new AsyncDisposableStack();
  const server = opened.use(await ownPostgres());
  const disk = opened.use(await smallDisk(server));
  const database = disk.url;
  const stage = opened.use(await openStage({ database, latencyMs: 20, accounts: [account] }));
  const wires = {
    api: opened.use(await openWire(Number(new URL(stage.sandbox.url).port))),
    database: opened.use(await openWire(Number(new URL(database).port))),
  };
  const behind: Behind = {
    databaseUrl: atPort(database, wires.database),
    sandbox: { url: atPort(stage.sandbox.url, wires.api), token: stage.sandbox.token },
  };
  const children = opened.use(new AsyncDisposableStack());
  const variables = { TEST_INTERVALS: JSON.stringify(intervals), LOG_LEVEL: "warn" };
  const run = (command: "sync" | "retry" | "worker") => startDoomed(behind, command, { settings, variables });
  const start = () => children.use(run("worker"));
  const fleet = Array.from({ length: workers }, start);
  const world: World = {
    stage,
    server,
    disk,
    wires,
    fleet,
    start,
    run,
  };
  const stack = opened.move();
  return {
    stage,
    play: async (happening) => {
      const from = stage.requested().length;
      // a fleet that waits for something sends nothing more until the next thing happens to it
      await Promise.race([until(() => stage.requested().length >= from + happening.after), wait(patienceMs)]);
      await play(world, happening);
    },
    retry: async () => {
      await using child = run("retry");
      await child.ended;
    },
    calmDown: (isDone) => calmDown(world, isDone),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Longer than a period of credits. */
const patienceMs = 7_000;
/** Some attempts of every worker to write. */
const fullDiskMs = 1_000;

type World = {
  readonly stage: Stage;
  readonly server: OwnPostgres;
  readonly disk: SmallDisk;
  readonly wires: Readonly<Record<"api" | "database", Wire>>;
  readonly fleet: Child[];
  readonly start: () => Child;
  readonly run: (command: "sync" | "retry") => Child;
};

function atPort(url: string, { port }: Wire): string {
  const moved = new URL(url);
  moved.port = String(port);
  // an origin has no slash at its end
  return moved.href.replace(/\/$/, "");
}

async function play(world: World, happening: Mishap): Promise<void> {
  const { stage, server, disk, wires, fleet } = world;
  switch (happening.kind) {
    case "kill": {
      const at = happening.which % fleet.length;
      fleet[at]!.process.kill("SIGKILL");
      await fleet[at]!.ended;
      fleet[at] = world.start();
      return;
    }
    case "freeze": {
      const { process } = fleet[happening.which % fleet.length]!;
      process.kill("SIGSTOP");
      await until(async () => isReaped(stage, process.pid));
      process.kill("SIGCONT");
      return;
    }
    case "clock":
      fleet[happening.which % fleet.length]!.process.kill(jumpSignals[happening.jump]);
      return;
    case "wire":
      return wires[happening.to][happening.how]();
    case "restart":
      return server.restart(happening.mode);
    case "full disk":
      await disk.fill();
      await wait(fullDiskMs);
      return disk.free();
    case "storm":
      return stage.sandbox.set({ faults: [happening.fault] });
    case "spend":
      return stage.sandbox.spend(happening.credits);
    case "late":
      return stage.sandbox.set({ latencyMs: happening.ms });
    case "sync":
      return personSyncs(world, happening.isKilled);
  }
}

/** A person's sync beside the workers: it ends in order, or is killed in the middle. */
async function personSyncs({ stage, run }: World, isKilled: boolean): Promise<void> {
  const from = stage.requested().length;
  await using child = run("sync");
  if (isKilled) {
    await Promise.race([child.ended, until(() => stage.requested().length > from)]);
    child.process.kill("SIGKILL");
  }
  const ended = await child.ended;
  // loaded; unfinished; the database or the API is gone; credits ran out
  if (![0, 1, 2, 3, "SIGKILL"].includes(ended as number))
    throw new Error(`sync ended with ${ended}: ${outputOf(child)}`);
}

/** What a child wrote. */
function outputOf(child: Child): string {
  const { stdout, stderr } = child.output();
  return stdout + stderr;
}

async function isReaped(stage: Stage, pid: number | undefined): Promise<boolean> {
  const alive = await stage.query("select from ops.worker where pid = $1 and stopped_at is null", [pid]);
  return alive.length === 0;
}

async function calmDown({ stage, fleet }: World, isDone: () => Promise<boolean>): Promise<readonly unknown[]> {
  stage.sandbox.set({ faults: [], latencyMs: 0 });
  const early = Promise.race(
    fleet.map(async (child) => {
      const ended = await child.ended;
      throw new Error(`a worker ended with ${ended} and nobody stopped it: ${outputOf(child)}`);
    }),
  );
  // a wait of a second: nothing but time lies between a fleet that works and its end
  const done = until(async () => (await isDone()) || (await wait(1_000, false)));
  await Promise.race([done, early]);
  early.catch(() => undefined);
  // one that has only just been started does not listen to signals yet
  await until(async () => {
    const alive = await stage.query<{ pid: number }>("select pid from ops.worker where stopped_at is null");
    return fleet.every(({ process }) => alive.some(({ pid }) => pid === process.pid));
  });
  for (const { process } of fleet) process.kill("SIGTERM");
  return Promise.all(fleet.map(({ ended }) => ended));
}

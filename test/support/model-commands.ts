import fc from "fast-check";
import { expect } from "vitest";
import { addDays, type Day } from "../../src/core/day.ts";
import { StorehouseError } from "../../src/core/errors.ts";
import type { Fault } from "../../src/sandbox/sandbox.ts";
import type { ManualClock } from "../sandbox/open.ts";
import { startDoomed, type Place } from "./ingest-child.ts";
import { until, type Stage } from "./ingest-stage.ts";
import { torn } from "./ingest-witness.ts";

/** Small enough for many runs: one app in one country. */
export const smallMarket = { apps: 1, countries: ["US"], keywordsPerApp: 6, organicKeywords: 5 } as const;
export const total = 1_000;
const floor = 0.1;
const concurrency = 2;

/** Settings of every run: few days, and a floor under all classes. */
const settings = {
  api: { concurrency },
  datasets: { keyword_rank: { history_days: 3 } },
  credits: { floors: { snapshot: floor, daily: floor, lookback: floor, history: floor } },
};

/** What a run of the model may know beside the stage: nothing of the program's own records. */
export type Account = {
  /** Requests that may have been sent twice so far: those under way at a kill. */
  killed: number;
  /** Credits that another consumer took without the ledger knowing. */
  surprises: number;
  day: Day;
};

/** `restart` brings Postgres down and up again; there only where a test has one of its own. */
export type Real = {
  readonly stage: Stage;
  readonly clock: ManualClock;
  readonly restart?: (mode: "fast" | "immediate") => Promise<void>;
};

type Command = fc.AsyncCommand<Account, Real>;

/** What holds after every command, by the sandbox's own log and the tables. */
async function expectSound({ stage }: Real, account: Account): Promise<void> {
  expect(await torn(stage)).toEqual([]);
  // a surprise is noticed by the first answer after it, so that only what was under way by then may dip under the floor
  const under = stage.requested().filter(({ charged, remaining }) => charged > 0 && remaining < total * floor);
  expect(under.length).toBeLessThanOrEqual(account.surprises * concurrency);
}

function command(name: string, act: (account: Account, real: Real) => Promise<void>): Command {
  return {
    check: () => true,
    run: async (account, real) => {
      await act(account, real);
      await expectSound(real, account);
    },
    toString: () => name,
  };
}

/** A sync. Where the service does not even answer the free question for the balance it ends before it begins, and says so. */
async function run({ stage }: Real, { day }: Account): Promise<string> {
  try {
    return (await stage.sync({ settings, request: { today: day } })).outcome;
  } catch (error) {
    for (let one = error; one instanceof StorehouseError; one = one.cause)
      if (one.context["operation"] === "account.remaining-credits") return one.code;
    throw error;
  }
}

/** A sync in the middle of which something happens, so many requests after its start, or as soon as it has ended before that. */
async function runWith(real: Real, account: Account, after: number, happens: () => unknown): Promise<void> {
  const from = real.stage.requested().length;
  let ended = false;
  const running = run(real, account).finally(() => (ended = true));
  // where it breaks off while this waits, the error is checked in the end
  running.catch(() => undefined);
  await until(() => ended || real.stage.requested().length >= from + after);
  await happens();
  await running;
}

/** Every injected failure is over, and the account is full again. */
async function settleDown(real: Real): Promise<void> {
  real.stage.sandbox.set({ faults: [], latencyMs: 0, rateLimit: null });
  real.clock.move(real.stage.sandbox.account().resetSeconds * 1000);
}

/** Runs until all is loaded, as a person would: again after a reset, and a retry of what failed. */
export async function finish(real: Real, account: Account): Promise<void> {
  await settleDown(real);
  for (let tries = 0; tries < 4; tries += 1) {
    if ((await run(real, account)) === "loaded") return;
    await real.stage.retry({ settings, request: { today: account.day } });
    real.clock.move(real.stage.sandbox.account().resetSeconds * 1000);
  }
  throw new Error("a run that nothing disturbs does not come to an end");
}

const places: readonly Place[] = [
  "after send",
  "after answer",
  "after landing",
  "in the load",
  "after commit",
  "before the end",
];

const faultKinds = ["status", "cut", "half", "not-json", "success-false", "no-credit-headers"] as const;

/** A restart of Postgres in the middle of a sync, which may end because of it and then says so. */
export const restarts: fc.Arbitrary<Command> = fc
  .record({ mode: fc.constantFrom("fast" as const, "immediate" as const), after: fc.integer({ min: 1, max: 9 }) })
  .map(({ mode, after }) =>
    command(`a sync, and Postgres is restarted (${mode}) after request ${after}`, async (account, real) => {
      account.killed += concurrency;
      await runWith(real, account, after, async () => real.restart?.(mode)).catch((error: unknown) => {
        if (!(error instanceof StorehouseError) || error.code !== "database_unreachable") throw error;
      });
    }),
  );

/** All other commands, each as an arbitrary. */
export const commands: fc.Arbitrary<Command>[] = [
  fc.constant(command("sync", async (account, real) => void (await run(real, account)))),
  fc.record({ place: fc.constantFrom(...places), times: fc.integer({ min: 1, max: 6 }) }).map(({ place, times }) =>
    command(`kill -9 ${place}, time ${times}`, async (account, { stage }) => {
      await using child = startDoomed(stage, "sync", { place, times, settings, on: account.day });
      if ((await child.ended) === "SIGKILL") account.killed += concurrency;
    }),
  ),
  fc
    .record({ kind: fc.constantFrom(...faultKinds), times: fc.integer({ min: 1, max: 3 }) })
    .map((fault) =>
      command(`${fault.kind} for the next ${fault.times}`, async (_, { stage }) =>
        stage.sandbox.set({ faults: [fault satisfies Fault] }),
      ),
    ),
  fc
    .integer({ min: 1, max: 6 })
    .map((times) =>
      command(`too many requests, ${times} times`, async (_, { stage }) =>
        stage.sandbox.set({ faults: [{ kind: "status", status: 429, times }] }),
      ),
    ),
  fc
    .integer({ min: 1, max: 30 })
    .map((latencyMs) =>
      command(`answers ${latencyMs} ms late`, async (_, { stage }) => stage.sandbox.set({ latencyMs })),
    ),
  fc.integer({ min: 1, max: total }).map((credits) =>
    command(`another consumer takes ${credits}`, async (account, { stage }) => {
      account.surprises += 1;
      stage.sandbox.spend(credits);
    }),
  ),
  fc
    .record({ credits: fc.integer({ min: 1, max: total / 2 }), after: fc.integer({ min: 1, max: 9 }) })
    .map(({ credits, after }) =>
      command(`a sync, of whose credits another consumer takes ${credits} after request ${after}`, (account, real) => {
        account.surprises += 1;
        return runWith(real, account, after, () => real.stage.sandbox.spend(credits));
      }),
    ),
  fc.constant(
    command("the credits come back", async (_, { stage, clock }) =>
      clock.move(stage.sandbox.account().resetSeconds * 1000),
    ),
  ),
  fc.constant(
    command("a day passes, its work done", async (account, real) => {
      await finish(real, account);
      account.day = addDays(account.day, 1);
      real.stage.sandbox.set({ today: account.day });
    }),
  ),
];

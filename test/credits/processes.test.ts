import { expect, test } from "vitest";
import { observeBalance, openAccount, readAccount } from "../../src/credits/account.ts";
import { readBudgets } from "../../src/credits/budgets.ts";
import { reserveMany } from "../../src/credits/holds.ts";
import { releaseLapsedHolds } from "../../src/credits/lapsed-holds.ts";
import { systemClock, type Clock } from "../../src/core/clock.ts";
import { dayOf } from "../../src/core/day.ts";
import { startSandbox, type Sandbox, type SandboxOptions } from "../../src/sandbox/sandbox.ts";
import { creditRequest, hour, noHolders, openBank } from "../support/credits-account.ts";
import { stoppedClock } from "../support/credits-clock.ts";
import { openSpenders, type Spender } from "../support/credits-spenders.ts";
import { long } from "../support/long.ts";
import { forTests } from "../support/for-tests.ts";

const bank = forTests(openBank);

const floors = { snapshot: 0.02, daily: 0.05, lookback: 0.1, history: 0.2 } as const;
const prefix = "/iosstore-keyword-ranking";
const calls = [
  { path: `${prefix}/6446318020/US/keywordrankings?keywords=a`, cost: 3 },
  { path: `${prefix}/US/keyword-metadata?keyword=a`, cost: 5 },
  { path: `${prefix}/6446318020/US/a/keywordrankings?startDate=2026-08-01&endDate=2026-08-10`, cost: 10 },
];
const dearest = 10;
/** The machine's clock, as the processes have it. */
const machine = systemClock();
const concurrency = 4;

/** A sandbox whose period does not end under the test, with one account. */
function service(
  account: { total: number; costs?: Record<string, number> },
  options: SandboxOptions = {},
): Promise<Sandbox> {
  return startSandbox({
    clock: stoppedClock(),
    accounts: [{ token: "shared", periodHours: 24, ...account }],
    ...options,
  });
}

const spenderOf = (sandbox: Sandbox, accountId: string): Spender => ({
  databaseUrl: bank.url,
  apiUrl: sandbox.url,
  token: sandbox.token,
  accountId,
  concurrency,
  floors,
  calls,
});

const charges = (sandbox: Sandbox) => sandbox.log().filter((request) => request.charged > 0);
const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);
const settled = { held: 0, inFlight: 0 };

// budgets.test.ts shows every day that one holds for several queues together, and takes what is charged
test.runIf(long)(
  "two processes together take no more than a budget has, and it counts exactly what was charged",
  async () => {
    await using sandbox = await service({ total: 1000 });
    const budget = { budget: "all", period: "month", credits: 100, datasets: null, apps: null } as const;
    await using spenders = await openSpenders(2, { ...spenderOf(sandbox, "budgeted"), budgets: [budget] });
    spenders.start();
    const booked = await spenders.booked();
    expect(sum(booked)).toBeLessThanOrEqual(budget.credits);
    expect(sum(booked)).toBeGreaterThan(budget.credits - dearest);
    expect(sum(charges(sandbox).map(({ charged }) => charged))).toBe(sum(booked));
    const on = { accountId: "budgeted", budgets: [budget], day: dayOf(machine.now()) };
    expect(await readBudgets(bank.db, on)).toMatchObject([{ taken: sum(booked) }]);
  },
);

test("processes spend one balance down to the floor, never under it, and book exactly what was charged", async () => {
  const total = 500;
  await using sandbox = await service({ total });
  await using spenders = await openSpenders(long ? 3 : 2, spenderOf(sandbox, "thrifty"));
  spenders.start();
  const booked = await spenders.booked();
  const { remaining } = sandbox.account();
  expect(remaining).toBeGreaterThanOrEqual(total * floors.snapshot);
  expect(remaining, "what is left must be too little for another call").toBeLessThan(total * floors.snapshot + dearest);
  expect(Math.min(...booked), "every process must have had its share").toBeGreaterThan(0);
  expect(sum(booked)).toBe(sum(charges(sandbox).map((request) => request.charged)));
  expect(sum(booked)).toBe(total - remaining);
  expect(await readAccount(bank.db, "thrifty")).toMatchObject({ total, remaining, ...settled });
  expect(sandbox.log().every((request) => request.status === 200)).toBe(true);
});

test.runIf(long)("another consumer and calls dearer than documented cost no more than what was under way", async () => {
  const [total, floor] = [800, 200];
  const quarter = { snapshot: 0.25, daily: 0.25, lookback: 0.25, history: 0.25 };
  const costs = { "ios.keyword-ranking": 4, "ios.keyword-history": 13 };
  await using sandbox = await service({ total, costs });
  await using spenders = await openSpenders(3, { ...spenderOf(sandbox, "surprised"), floors: quarter });
  spenders.start();
  await expect.poll(() => sandbox.account().remaining, { interval: 1, timeout: 20_000 }).toBeLessThan(total - 200);
  sandbox.spend(sandbox.account().remaining - floor);
  const booked = await spenders.booked();
  const under = charges(sandbox).filter((request) => request.remaining < floor);
  expect(under.length).toBeLessThanOrEqual(3 * concurrency);
  const { remaining } = sandbox.account();
  expect(remaining).toBeGreaterThanOrEqual(floor - 3 * concurrency * 13);
  expect(sum(booked)).toBe(sum(charges(sandbox).map((request) => request.charged)));
  expect(await readAccount(bank.db, "surprised")).toMatchObject({ total, remaining, ...settled });
});

test("a process killed with calls under way leaks nothing: its credits are had again once its holds lapse", async () => {
  const total = 100;
  await using sandbox = await service({ total }, { clock: machine, latencyMs: 60_000 });
  await openAccount(bank.db, "orphaned", 1000, machine);
  await using spenders = await openSpenders(1, {
    ...spenderOf(sandbox, "orphaned"),
    calls: [{ path: calls[0]?.path ?? "", cost: 20 }],
  });
  const resetsAt = machine.now() + 18 * hour;
  await observeBalance(bank.db, "orphaned", { total, remaining: total, resetsAt, periodHours: 24 }, machine);
  spenders.start();
  await expect
    .poll(() => readAccount(bank.db, "orphaned"), { interval: 5, timeout: 20_000 })
    .toMatchObject({ held: 80, inFlight: 4 });
  await spenders[Symbol.asyncDispose]();
  const want = creditRequest({ accountId: "orphaned", cost: 90, floor: 0.05 });
  expect((await reserveMany(bank.db, [want], machine))[0]).toBeUndefined();
  const later: Clock = { ...machine, now: () => machine.now() + hour };
  await releaseLapsedHolds(bank.db, { accountId: "orphaned", holders: noHolders }, later);
  expect(await readAccount(bank.db, "orphaned")).toMatchObject({ remaining: total, ...settled });
  expect((await reserveMany(bank.db, [want], later))[0]).toMatchObject({ holdId: expect.any(String) });
});

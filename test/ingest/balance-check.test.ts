import { expect, test } from "vitest";
import { createClient } from "../../src/api/client.ts";
import { openAccount, readAccount } from "../../src/credits/account.ts";
import { reserveMany, settle } from "../../src/credits/holds.ts";
import { refreshBalance } from "../../src/ingest/balance-check.ts";
import { startSandbox } from "../../src/sandbox/sandbox.ts";
import { openWarehouse } from "../../src/postgres/database.ts";
import { manualClock } from "../sandbox/open.ts";
import { creditRequest } from "../support/credits-account.ts";
import { json, openClient, serve } from "../support/api-server.ts";
import { freshDatabase } from "../support/database.ts";
import { openStage } from "../support/ingest-stage.ts";

const accountId = "an account";

/** What is known of an account whose balance check is answered with `data`. */
async function bookedFrom(data: object) {
  await using server = await serve((response) => json(response, { success: true, data }));
  await using database = await freshDatabase();
  await using warehouse = await openWarehouse(database.url, 2);
  await using client = openClient(server.origin);
  const { db } = warehouse;
  const clock = manualClock();
  await openAccount(db, accountId, 3, clock);
  await refreshBalance({ db, client, clock, accountId, workerId: null });
  return await readAccount(db, accountId);
}

test.each([
  ["null", { creditResetTime: null, creditResetPeriod: null }],
  ["left out", {}],
  ["nothing", { creditResetTime: 0, creditResetPeriod: 0 }],
  ["below nothing", { creditResetTime: -1, creditResetPeriod: -24 }],
  ["a number without an end", { creditResetTime: 0, creditResetPeriod: 1e12 }],
])("an allowance whose reset and period are %s is known, and has no period", async (_, reset) => {
  expect(await bookedFrom({ creditTotal: 100, creditRemaining: 40, ...reset })).toMatchObject({
    total: 100,
    remaining: 40,
    resetsAt: null,
    periodHours: null,
  });
});

test("a balance in digits or with a fraction is read against us, in whole credits", async () => {
  const data = { creditTotal: "100.9", creditRemaining: 40.9, creditResetTime: "0", creditResetPeriod: 24 };
  expect(await bookedFrom(data)).toMatchObject({ total: 100, remaining: 40, resetsAt: null, periodHours: 24 });
});

test("a balance that was computed before a call was answered does not raise what that answer reports", async () => {
  const clock = manualClock();
  let whileChecking = async (): Promise<void> => undefined;
  await using server = await serve((response) => {
    const data = { creditTotal: 100, creditRemaining: 100, creditResetTime: 3600 };
    void whileChecking().then(() => json(response, { success: true, data }));
  });
  await using database = await freshDatabase();
  await using warehouse = await openWarehouse(database.url, 2);
  await using client = openClient(server.origin, { clock });
  const { db } = warehouse;
  const check = async () => {
    await refreshBalance({ db, client, clock, accountId, workerId: null });
    return (await readAccount(db, accountId))?.remaining;
  };
  await openAccount(db, accountId, 3, clock);
  expect(await check()).toBe(100);
  whileChecking = async () => {
    clock.move(1_000);
    const [grant] = await reserveMany(db, [creditRequest({ accountId, cost: 10 })], clock);
    const receipt = { charged: 10, remaining: 90, resetsAt: null, tooFast: false, lost: false };
    await settle(db, { accountId, settlements: [{ holdId: grant?.holdId ?? "", receipt }], pace: 3 }, clock);
  };
  expect(await check()).toBe(90);
});

const dayMs = 24 * 3_600_000;

test("checks again soon when the last second before a reset is reported as none, not a whole period later", async () => {
  const clock = manualClock();
  const account = {
    token: "sandbox-token",
    total: 400,
    remaining: 42,
    periodHours: 24,
    resetRounding: "down",
  } as const;
  await using sandbox = await startSandbox({ clock, accounts: [account] });
  await using database = await freshDatabase();
  await using warehouse = await openWarehouse(database.url, 2);
  await using client = createClient({
    baseUrl: sandbox.url,
    token: sandbox.token,
    storeWords: { ios: "iosstore", android: "androidstore" },
    timeoutMs: 5_000,
    largestAnswer: 2 ** 20,
    clock,
  });
  const { db } = warehouse;
  await openAccount(db, accountId, 3, clock);
  const check = async () => {
    await refreshBalance({ db, client, clock, accountId, workerId: null });
    return readAccount(db, accountId);
  };
  const resetsAt = Math.ceil(clock.now() / dayMs) * dayMs;

  clock.move(resetsAt - clock.now() - 10_400);
  const reported = await check();
  expect(reported).toMatchObject({ total: 400, remaining: 42, resetsAt: resetsAt - 400, periodHours: 24 });

  // woken at the reported deadline, 0.4 s before the credits are back
  clock.move(10_000);
  expect(sandbox.account().resetSeconds).toBe(0);
  expect(await check()).toMatchObject({ remaining: 42, resetsAt: resetsAt - 400 });

  clock.move(5_000);
  const next = await check();
  expect(next?.remaining).toBe(400);
  expect(next?.resetsAt).toBeGreaterThan(resetsAt + dayMs - 60_000);
});

test("a first check that finds nobody at the address names the setting and the cause", async () => {
  const closed = await serve(() => undefined);
  await closed[Symbol.asyncDispose]();
  await using stage = await openStage();
  await expect(stage.sync({ environment: { API_BASE_URL: closed.origin } })).rejects.toMatchObject({
    code: "bad_setting",
    message: expect.stringMatching(/^bad_setting: API_BASE_URL .*\(no_connection: ECONNREFUSED\)/),
  });
});

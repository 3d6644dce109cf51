import { sql } from "../../src/postgres/sql.ts";
import { describe, expect, test } from "vitest";
import { openAccount, readAccount } from "../../src/credits/account.ts";
import { hour, lost, minute, openBank, second, type TestAccount } from "../support/credits-account.ts";
import { forTests } from "../support/for-tests.ts";

const bank = forTests(openBank);

const left = async (account: TestAccount) => (await account.state()).remaining;

describe("a call that is alone", () => {
  test("is accepted upward: credits were bought", async () => {
    const account = await bank.account();
    await account.settle(await account.hold(10), account.answer(10, { left: 590 }));
    expect(await left(account)).toBe(590);
  });

  test("is accepted downward: another consumer spent", async () => {
    const account = await bank.account();
    await account.settle(await account.hold(10), account.answer(10, { left: 7 }));
    expect(await left(account)).toBe(7);
  });

  test("is alone again once the calls that overlapped have ended", async () => {
    const account = await bank.account();
    const [one, two] = [await account.hold(10), await account.hold(10)];
    await account.settle(one, account.answer(10, { left: 90 }));
    await account.settle(two, account.answer(10, { left: 80 }));
    await account.settle(await account.hold(10), account.answer(10, { left: 570 }));
    expect(await left(account)).toBe(570);
  });
});

describe("calls that overlap", () => {
  test("are accepted only downward", async () => {
    const account = await bank.account();
    const [one, two] = [await account.hold(10), await account.hold(10)];
    await account.settle(one, account.answer(10, { left: 500 }));
    expect(await left(account)).toBe(100);
    await account.settle(two, account.answer(10, { left: 60 }));
    expect(await left(account)).toBe(60);
  });

  test("never raise the balance when the first sent settles last, with an older and higher header", async () => {
    const account = await bank.account();
    const first = await account.hold(10);
    const second_ = await account.hold(10);
    await account.settle(second_, account.answer(10, { left: 80 }));
    await account.settle(first, account.answer(10, { left: 90 }));
    expect(await account.state()).toMatchObject({ remaining: 80, held: 0, inFlight: 0 });
  });

  test("stay overlapped for the last of them, although it is the only one left", async () => {
    const account = await bank.account();
    const first = await account.hold(10);
    const middle = await account.hold(10);
    await account.settle(first, account.answer(10, { left: 90 }));
    const last = await account.hold(10);
    await account.settle(last, account.answer(10, { left: 70 }));
    await account.settle(middle, account.answer(10, { left: 80 }));
    expect(await left(account)).toBe(70);
  });

  test("are accepted only downward too where the service never reports a reset", async () => {
    const account = await bank.account({ left: null });
    const noReset = (remaining: number) => ({ ...account.answer(10, { left: remaining }), resetsAt: null });
    await sql`update ops.credit_account set total = 100, remaining = 100 where account_id = ${account.accountId}`.execute(
      bank.db,
    );
    const [one, two] = [await account.hold(10), await account.hold(10)];
    await account.settle(two, noReset(80));
    await account.settle(one, noReset(90));
    expect(await account.state()).toMatchObject({ remaining: 80, resetsAt: null });
  });

  test("an answer to a hold that lapsed long ago is not accepted upward, whether others are under way or not", async () => {
    const account = await bank.account();
    const [early, late] = [await account.hold(10), await account.hold(10)];
    account.clock.move(hour);
    await account.releaseLapsed();
    await account.settle(await account.hold(10), account.answer(10, { left: 70 }));
    await account.settle(late, account.answer(10, { left: 80 }));
    expect(await account.state()).toMatchObject({ remaining: 70, held: 0, inFlight: 0 });
    await account.hold(10);
    await account.settle(early, account.answer(10, { left: 90 }));
    expect(await account.state()).toMatchObject({ remaining: 70, held: 10, inFlight: 1 });
  });
});

describe("the balance check", () => {
  test("is accepted upward when no call is under way, else only downward", async () => {
    const account = await bank.account();
    await account.observe({ left: 300 });
    expect(await left(account)).toBe(300);
    const grant = await account.hold(10);
    await account.observe({ left: 400 });
    expect(await left(account)).toBe(300);
    await account.observe({ left: 200 });
    expect(await left(account)).toBe(200);
    await account.settle(grant, account.refusal());
    await account.observe({ left: 400 });
    expect(await left(account)).toBe(400);
  });

  test("is not accepted upward when a call was answered after it was sent", async () => {
    const account = await bank.account();
    const sentAt = account.clock.now();
    account.clock.move(second);
    await account.settle(await account.hold(10), account.answer(10, { left: 90 }));
    await account.observe({ left: 100, sentAt });
    expect(await left(account)).toBe(90);
    await account.observe({ left: 100, sentAt: account.clock.now() });
    expect(await left(account)).toBe(100);
  });

  test("overlaps with a call under way, whose older header then does not raise the reported balance", async () => {
    const account = await bank.account();
    const grant = await account.hold(10);
    await account.observe({ left: 40 });
    await account.settle(grant, account.answer(10, { left: 90 }));
    expect(await left(account)).toBe(40);
  });
});

describe("periods", () => {
  test("the higher balance of a new period is accepted, although calls overlap", async () => {
    const account = await bank.account({ total: 100, left: 30 });
    const [one, two] = [await account.hold(10), await account.hold(10)];
    account.clock.move(18 * hour);
    const resetsAt = account.periodEnd + 24 * hour;
    await account.settle(one, account.answer(10, { left: 90, resetsAt }));
    expect(await account.state()).toMatchObject({ remaining: 90, resetsAt });
    await account.settle(two, account.answer(10, { left: 95, resetsAt: resetsAt + second }));
    expect(await left(account)).toBe(90);
  });

  test.each([-1, 1])("a reset that varies by %i s is not a new period", async (seconds) => {
    const account = await bank.account();
    account.clock.move(18 * hour - second);
    const [one, two] = [await account.hold(10), await account.hold(10)];
    const resetsAt = account.periodEnd + seconds * second;
    await account.settle(two, account.answer(10, { left: 80, resetsAt }));
    await account.settle(one, account.answer(10, { left: 90, resetsAt }));
    expect(await account.state()).toMatchObject({ remaining: 80, resetsAt: account.periodEnd });
  });

  test("a slow answer dates the reset late and is no new period while the known one runs", async () => {
    const account = await bank.account();
    const [slow, quick] = [await account.hold(10), await account.hold(10)];
    await account.settle(quick, account.answer(10, { left: 80 }));
    account.clock.move(5 * minute);
    await account.settle(slow, account.answer(10, { left: 90, resetsAt: account.periodEnd + 5 * minute }));
    expect(await account.state()).toMatchObject({ remaining: 80, resetsAt: account.periodEnd });
  });

  test.each([1_999, 2_000])(
    "an answer without a deadline, %s ms after the known one, keeps it for two seconds",
    async (late) => {
      const account = await bank.account();
      const grant = await account.hold(10);
      account.clock.move(18 * hour + late);
      await account.settle(grant, { ...account.answer(10, { left: 90 }), resetsAt: null });
      expect(await account.state()).toMatchObject({ remaining: 90, resetsAt: late < 2_000 ? account.periodEnd : null });
    },
  );

  test("a straggler from the old period books its cost and says nothing about the new one", async () => {
    const account = await bank.account({ total: 100, left: 30 });
    const [straggler, next] = [await account.hold(10), await account.hold(10)];
    account.clock.move(18 * hour);
    const resetsAt = account.periodEnd + 24 * hour;
    await account.settle(next, account.answer(10, { left: 90, resetsAt }));
    await account.settle(straggler, account.answer(10, { left: 5 }));
    expect(await account.state()).toMatchObject({ remaining: 80, resetsAt });
    expect(await account.reserve(60)).not.toBeNull();
  });

  test("periods of seconds are distinguished as well", async () => {
    const account = await bank.account({ left: null });
    const base = account.clock.now();
    const report = (remaining: number, resetsAt: number) => ({ ...account.answer(1, { left: remaining, resetsAt }) });
    await sql`update ops.credit_account set total = 10, remaining = 2, resets_at = ${new Date(base + 4 * second)},
              period_hours = ${4 / 3600}::numeric where account_id = ${account.accountId}`.execute(bank.db);
    const [one, two] = [await account.hold(1), await account.hold(1)];
    await account.settle(one, report(5, base + 5 * second));
    expect(await left(account)).toBe(2);
    account.clock.move(4 * second);
    await account.settle(two, report(9, base + 8 * second));
    expect(await account.state()).toMatchObject({ remaining: 9, resetsAt: base + 8 * second });
  });

  test("headers beyond any calendar or column do not lose the answer", async () => {
    const account = await bank.account();
    const absurd = { left: 9_999_999_999, resetsAt: account.clock.now() + 1e15 };
    await account.settle(await account.hold(10), account.answer(1e300, absurd));
    expect(await account.state()).toMatchObject({ remaining: 1_000_000_000, held: 0, inFlight: 0 });
    await account.settle(await account.hold(10), account.answer(1e300));
    expect(await account.state()).toMatchObject({ held: 0, inFlight: 0 });
  });
});

describe("opening an account", () => {
  const slow = async (account: TestAccount) =>
    account.settle(await account.hold(1), account.refusal({ tooFast: true }));

  test("keeps the pace that other workers just had halved, and forgets the refusal after a while", async () => {
    const account = await bank.account({ pace: 8 });
    await slow(account);
    await openAccount(bank.db, account.accountId, 8, account.clock);
    expect(await account.state()).toMatchObject({ pacePerSecond: 4 });
    account.clock.move(11 * minute);
    await openAccount(bank.db, account.accountId, 8, account.clock);
    expect(await account.state()).toMatchObject({ pacePerSecond: 8 });
  });

  test("takes a lower pace at once, a higher one only while nobody is at work", async () => {
    const account = await bank.account({ pace: 8 });
    const grant = await account.hold(1);
    await openAccount(bank.db, account.accountId, 2, account.clock);
    await openAccount(bank.db, account.accountId, 5, account.clock);
    expect(await account.state()).toMatchObject({ pacePerSecond: 2 });
    await account.settle(grant, lost);
    await openAccount(bank.db, account.accountId, 5, account.clock);
    expect(await account.state()).toMatchObject({ pacePerSecond: 5 });
  });

  test("leaves balance and holds alone", async () => {
    const account = await bank.account();
    await account.hold(10);
    const before = await account.state();
    await openAccount(bank.db, account.accountId, account.pace, account.clock);
    expect(await account.state()).toEqual(before);
  });

  test("an account that nobody opened is not known", async () => {
    expect(await readAccount(bank.db, "nobody")).toBeNull();
  });
});

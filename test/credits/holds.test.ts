import { sql } from "../../src/postgres/sql.ts";
import { expect, test } from "vitest";
import { creditClasses } from "../../src/core/slice.ts";
import { Settings } from "../../src/config/settings.ts";
import { hour, lost, minute, openBank, heldByRows, second } from "../support/credits-account.ts";
import { forTests } from "../support/for-tests.ts";

const bank = forTests(openBank);

const none = { held: 0, inFlight: 0 };

test("grants down to the floor and not one credit under it", async () => {
  const account = await bank.account({ total: 100, left: 50 });
  expect(await account.reserve(31, 0.2)).toBeNull();
  expect(await account.reserve(30, 0.2)).not.toBeNull();
  expect(await account.reserve(1, 0.2)).toBeNull();
  expect(await account.state()).toMatchObject({ remaining: 50, held: 30, inFlight: 1 });
});

test("a floor that is no whole number is rounded up, and one that is stays", async () => {
  const uneven = await bank.account({ total: 101, left: 101 });
  expect(await uneven.reserve(91, 0.1)).toBeNull();
  expect(await uneven.reserve(90, 0.1)).not.toBeNull();
  const even = await bank.account({ total: 100, left: 100 });
  expect(await even.reserve(93, 0.07)).not.toBeNull();
});

test("each class has its own floor: as credits run out backfill stops first and snapshots last", async () => {
  const { floors } = Settings.parse({}).credits;
  const account = await bank.account({ total: 100, left: 100 });
  const stopsAt: Record<string, number> = {};
  for (let left = 100; left > 0; left -= 1) {
    await account.observe({ left });
    for (const creditClass of creditClasses) {
      const grant = await account.reserve(1, floors[creditClass]);
      if (grant === null) stopsAt[creditClass] ??= left;
      else await account.settle(grant, account.refusal());
    }
  }
  expect(stopsAt).toEqual({ history: 20, lookback: 10, daily: 5, snapshot: 2 });
});

test("the floor is that of an allowance that has grown as soon as an answer reports more than there was in all", async () => {
  const account = await bank.account({ total: 100, left: 50 });
  const first = await account.hold(1);
  await account.settle(first, account.answer(1, { left: 1000 }));
  expect(await account.reserve(801, 0.2)).toBeNull();
  const most = await account.reserve(800, 0.2);
  expect(most).not.toBeNull();
  // what is left says nothing of the total
  if (most !== null) await account.settle(most, account.answer(800, { left: 200 }));
  expect(await account.reserve(1, 0.2)).toBeNull();
  await account.observe({ total: 500, left: 200 });
  expect(await account.reserve(100, 0.2)).not.toBeNull();
});

test("grants nothing while the balance or the total is not known", async () => {
  const account = await bank.account({ left: null });
  expect(await account.reserve(1)).toBeNull();
  await account.observe({ left: 50 });
  expect(await account.reserve(1), "without a total there is no floor to keep").toBeNull();
  await account.observe({ total: 50, left: 50 });
  expect(await account.reserve(1)).not.toBeNull();
});

test("grants nothing after the period's end until the balance is reported again", async () => {
  const account = await bank.account();
  account.clock.move(18 * hour - 1);
  const early = await account.hold(1);
  account.clock.move(1);
  expect(await account.reserve(1)).toBeNull();
  await account.settle(early, account.answer(1));
  expect(await account.reserve(1), "an answer without a balance says nothing of the new period").toBeNull();
  await account.observe({ left: 100, resetsAt: account.periodEnd + 24 * hour });
  expect(await account.reserve(1)).not.toBeNull();
});

test("a call that never ends gives back its credits after a quarter of an hour, and its late answer gives back no more", async () => {
  const account = await bank.account();
  const dead = await account.hold(30);
  const living = await account.hold(20);
  await account.settle(living, account.answer(20, { left: 80 }));
  account.clock.move(15 * minute - 1);
  await account.releaseLapsed();
  expect(await account.state()).toMatchObject({ held: 30, inFlight: 1 });
  account.clock.move(1);
  await account.releaseLapsed();
  await account.releaseLapsed();
  expect(await account.state()).toMatchObject({ remaining: 80, ...none });
  await account.settle(dead, account.answer(30, { left: 50 }));
  expect(await account.state()).toMatchObject({ remaining: 50, ...none });
  expect(await heldByRows(account)).toEqual(none);
});

test("a hold lasts from the moment the call may start, however long the pace makes it wait", async () => {
  const account = await bank.account({ pace: 0.001 });
  await account.hold(10);
  const queued = await account.hold(10);
  expect(queued.startsAt - account.clock.now()).toBe(1000 * second);
  account.clock.move(15 * minute);
  await account.releaseLapsed();
  expect(await account.state()).toMatchObject({ held: 10, inFlight: 1 });
  account.clock.move(1000 * second);
  await account.releaseLapsed();
  expect(await account.state()).toMatchObject(none);
});

test("a successful call without headers books its cost, a refusal books nothing", async () => {
  const account = await bank.account();
  await account.settle(await account.hold(10), account.answer(10));
  expect(await account.state()).toMatchObject({ remaining: 90, ...none });
  await account.settle(await account.hold(10), account.refusal());
  expect(await account.state()).toMatchObject({ remaining: 90, ...none });
});

test("a call without an answer counts as charged until the service reports a balance", async () => {
  const account = await bank.account();
  await account.settle(await account.hold(10), lost);
  expect(await account.state()).toMatchObject({ remaining: 90, ...none });
  await account.observe({ left: 100 });
  expect(await account.state()).toMatchObject({ remaining: 100 });
});

test("a call without an answer leaves an unknown balance unknown", async () => {
  const account = await bank.account({ total: 100, left: 100 });
  const grant = await account.hold(10);
  await sql`update ops.credit_account set remaining = null where account_id = ${account.accountId}`.execute(account.db);
  await account.settle(grant, lost);
  expect(await account.state()).toMatchObject({ remaining: null, ...none });
});

test("two accounts side by side touch nothing of each other", async () => {
  const [one, two] = [await bank.account({ total: 10 }), await bank.account({ total: 1000 })];
  const grant = await one.hold(10);
  expect(await one.reserve(1)).toBeNull();
  const other = await two.hold(500);
  // a hold of another account is not this one's to end
  await one.settle(other, one.refusal());
  expect(await one.state()).toMatchObject({ remaining: 10, held: 10, inFlight: 1 });
  expect(await two.state()).toMatchObject({ remaining: 1000, held: 500, inFlight: 1 });
  one.clock.move(hour);
  two.clock.move(hour);
  await one.releaseLapsed();
  expect(await two.state()).toMatchObject({ held: 500, inFlight: 1 });
  await two.settle(other, two.answer(500, { left: 500 }));
  await one.settle(grant, one.answer(10, { left: 0 }));
  expect([await one.state(), await two.state()]).toMatchObject([
    { remaining: 0, ...none },
    { remaining: 500, ...none },
  ]);
});

test("three hundred reservers of one balance at once are granted exactly what it holds", async () => {
  const account = await bank.account({ total: 100, left: 100 });
  const grants = await Promise.all(Array.from({ length: 300 }, () => account.reserve(3, 0.1)));
  const granted = grants.filter((grant) => grant !== null);
  expect(granted).toHaveLength(30);
  expect(await account.state()).toMatchObject({ held: 90, inFlight: 30 });
  await Promise.all(granted.map((grant) => account.settle(grant, account.answer(3))));
  expect(await account.state()).toMatchObject({ remaining: 10, ...none });
});

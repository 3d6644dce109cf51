import { must } from "../support/must.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { canShareStatement, reserveMany, settle } from "../../src/credits/holds.ts";
import { createSharedHolds } from "../../src/credits/shared-holds.ts";
import {
  creditRequest,
  heldByRows,
  lost,
  minute,
  noHolders,
  openBank,
  second,
  type TestAccount,
} from "../support/credits-account.ts";
import { forTests } from "../support/for-tests.ts";

const bank = forTests(openBank);

const take = (account: TestAccount, cost: number, count: number, floor = 0) =>
  reserveMany(
    bank.db,
    Array.from({ length: count }, () => creditRequest({ accountId: account.accountId, cost, floor })),
    account.clock,
  );

test("grants as many of several calls as fit above the floor, and holds no more", async () => {
  const account = await bank.account({ total: 100, left: 50 });
  expect(await take(account, 7, 10, 0.2)).toHaveLength(4);
  expect(await account.state()).toMatchObject({ remaining: 50, held: 28, inFlight: 4 });
  expect(await heldByRows(account)).toEqual({ held: 28, inFlight: 4 });
  expect(await take(account, 7, 10, 0.2)).toEqual([]);
  expect(await take(account, 2, 10, 0.2)).toHaveLength(1);
});

test("calls that cost nothing are granted all, but for those under the floor", async () => {
  const account = await bank.account({ total: 100, left: 20 });
  expect(await take(account, 0, 5, 0.2)).toHaveLength(5);
  expect(await take(account, 0, 5, 0.21)).toEqual([]);
});

test("each of several calls has its own turn in the shared pace", async () => {
  const account = await bank.account({ pace: 4 });
  const now = account.clock.now();
  expect((await take(account, 1, 3)).map(({ startsAt }) => startsAt - now)).toEqual([0, 250, 500]);
  expect((await take(account, 1, 2)).map(({ startsAt }) => startsAt - now)).toEqual([750, 1000]);
});

test("grants that overlap the floor from many sides at once never cross it", async () => {
  const account = await bank.account({ total: 1000, left: 500 });
  const granted = await Promise.all([3, 9, 20, 1, 7, 30, 12, 40].map((count) => take(account, 7, count, 0.1)));
  expect(granted.flat()).toHaveLength(Math.floor(400 / 7));
  expect(await account.state()).toMatchObject({ held: Math.floor(400 / 7) * 7 });
});

test("the holds of dead workers are released before a request is refused", async () => {
  const account = await bank.account({ total: 100, left: 10 });
  const { accountId, clock } = account;
  const reserve = createSharedHolds({ db: bank.db, accountId, clock, holders: noHolders });
  const request = creditRequest({ accountId, cost: 5 });
  await Promise.all([reserve(request), reserve(request)]);
  clock.move(15 * minute - 1);
  expect(await reserve(request)).toBeNull();
  clock.move(1);
  const again = await Promise.all([reserve(request), reserve(request), reserve(request)]);
  expect(again.map((grant) => grant !== null)).toEqual([true, true, false]);
});

test("good calls booked together leave the account as if booked one after the other", async () => {
  const receipt = fc.record({ charged: fc.integer({ min: 0, max: 9 }), left: fc.integer({ min: 0, max: 120 }) });
  await fc.assert(
    fc.asyncProperty(
      fc.array(receipt, { minLength: 2, maxLength: 6 }),
      fc.constantFrom(-25 * 60 * minute, 0, 2 * 24 * 60 * minute),
      fc.boolean(),
      async (receipts, shift, one) => {
        const states = [];
        for (const together of [true, false]) {
          const account = await bank.account({ total: 200, left: 100, pace: 4 });
          const grants = await take(account, 3, receipts.length + (one ? 1 : 0));
          const settlements = receipts.map(({ charged, left }, place) => ({
            holdId: must(grants[place]).holdId,
            receipt: account.answer(charged, { left, resetsAt: account.periodEnd + shift }),
          }));
          account.clock.move(30 * second);
          for (const some of together ? [settlements] : settlements.map((end) => [end]))
            await settle(bank.db, { accountId: account.accountId, settlements: some, pace: 100 }, account.clock);
          const { pacePerSecond, ...state } = await account.state();
          states.push({ ...state, pacePerSecond: pacePerSecond.toFixed(9) });
        }
        expect(states[0]).toEqual(states[1]);
      },
    ),
    { numRuns: 25 },
  );
});

test("a refusal, a lost call and an answer without a balance are each booked separately", async () => {
  const account = await bank.account({ total: 100, left: 100, pace: 8 });
  const grants = await take(account, 10, 5);
  const receipts = [
    account.answer(10, { left: 90 }),
    account.answer(10, { left: 80 }),
    account.refusal({ tooFast: true, left: 80 }),
    lost,
    account.answer(10),
  ];
  const settlements = receipts.map((receipt, place) => ({ holdId: must(grants[place]).holdId, receipt }));
  const together = settlements.filter((one) => canShareStatement(must(settlements[0]), one));
  expect(together).toEqual(settlements.slice(0, 2));
  for (const some of [together, ...settlements.slice(2).map((one) => [one])])
    await settle(bank.db, { accountId: account.accountId, settlements: some, pace: 8 }, account.clock);
  // 80 as reported, the lost one at its worst, the last by what it was charged
  expect(await account.state()).toMatchObject({ remaining: 60, held: 0, inFlight: 0, pacePerSecond: 4.2 });
});

import { must } from "../support/must.ts";
import { expect, test } from "vitest";
import { hour, lost, minute, openBank, second, type TestAccount } from "../support/credits-account.ts";
import { forTests } from "../support/for-tests.ts";

const bank = forTests(openBank);

const pace = async (account: TestAccount) => (await account.state()).pacePerSecond;
const tooFast = async (account: TestAccount) =>
  account.settle(await account.hold(0), account.refusal({ tooFast: true }));
const good = async (account: TestAccount) => account.settle(await account.hold(0), account.answer(0));

test("the starts of several reservers at once are a second over the pace apart, the first at once", async () => {
  const account = await bank.account({ pace: 4 });
  const grants = await Promise.all(Array.from({ length: 12 }, () => account.reserve(1)));
  const starts = grants.map((grant) => must(grant).startsAt - account.clock.now()).sort((a, b) => a - b);
  expect(starts).toEqual(Array.from({ length: 12 }, (_, place) => place * 250));
});

test("a pause is not saved up for a burst", async () => {
  const account = await bank.account({ pace: 4 });
  await account.hold(1);
  account.clock.move(10 * second);
  const starts = [await account.hold(1), await account.hold(1), await account.hold(1)].map(({ startsAt }) => startsAt);
  expect(starts.map((start) => start - account.clock.now())).toEqual([0, 250, 500]);
});

test("a refused pace is halved once for all refusals of a burst, and again by the next burst", async () => {
  const account = await bank.account({ pace: 8 });
  const burst = [await account.hold(1), await account.hold(1), await account.hold(1)];
  for (const grant of burst) {
    await account.settle(grant, account.refusal({ tooFast: true }));
    account.clock.move(second / 4);
  }
  expect(await pace(account)).toBe(4);
  account.clock.move(second + 1);
  await tooFast(account);
  expect(await pace(account)).toBe(2);
});

test("the next starts keep to the halved pace", async () => {
  const account = await bank.account({ pace: 8 });
  await tooFast(account);
  account.clock.move(10 * second);
  const starts = [await account.hold(1), await account.hold(1)].map(({ startsAt }) => startsAt - account.clock.now());
  expect(starts).toEqual([0, 250]);
});

test("nothing starts before the time that a refusal names, and a far one is ignored", async () => {
  const account = await bank.account({ pace: 8 });
  const refusal = (seconds: number) =>
    account.refusal({ tooFast: true, notBefore: account.clock.now() + seconds * second });
  const [first, other] = [await account.hold(0), await account.hold(0)];
  await account.settle(first, refusal(30));
  await account.settle(other, refusal(2));
  const startsIn = async () => (await account.hold(0)).startsAt - account.clock.now();
  expect(await startsIn()).toBe(30 * second);
  await account.settle(await account.hold(0), refusal(86_400));
  expect(await startsIn()).toBe(300 * second);
});

test("a clock that was ahead and was set right keeps nobody waiting", async () => {
  const account = await bank.account({ pace: 4 });
  account.clock.move(365 * 24 * hour);
  await account.observe({ total: 100, left: 100, resetsAt: account.clock.now() + hour });
  await account.settle(await account.hold(1), account.answer(1));
  account.clock.move(-365 * 24 * hour);
  const starts = [await account.hold(1), await account.hold(1), await account.hold(1)].map(({ startsAt }) => startsAt);
  expect((starts[0] ?? 0) - account.clock.now()).toBeLessThan(7 * minute);
  expect(starts.map((start) => start - (starts[0] ?? 0))).toEqual([0, 250, 500]);
});

test("a pace that is refused is halved also where an earlier refusal is dated ahead of the clock", async () => {
  const account = await bank.account({ pace: 8 });
  account.clock.move(10 * hour);
  await tooFast(account);
  account.clock.move(-10 * hour);
  await tooFast(account);
  expect(await pace(account)).toBe(2);
});

test("good calls recover the pace by a twentieth each, up to the one that is configured", async () => {
  const account = await bank.account({ pace: 8 });
  await tooFast(account);
  await good(account);
  expect(await pace(account)).toBeCloseTo(4.2);
  for (let call = 0; call < 20; call += 1) await good(account);
  expect(await pace(account)).toBe(8);
});

test("neither refusals for other reasons nor calls without an answer move the pace", async () => {
  const account = await bank.account({ pace: 8 });
  await tooFast(account);
  await account.settle(await account.hold(0), account.refusal());
  await account.settle(await account.hold(0), lost);
  expect(await pace(account)).toBe(4);
});

test("the pace never falls under one request in ten seconds, however often it is refused", async () => {
  const account = await bank.account({ pace: 8 });
  for (let burst = 0; burst < 12; burst += 1) {
    await tooFast(account);
    account.clock.move(2 * second);
  }
  expect(await pace(account)).toBe(0.1);
});

test("a pace configured under that minimum is not raised by a refusal", async () => {
  const account = await bank.account({ pace: 0.05 });
  await tooFast(account);
  expect(await pace(account)).toBe(0.05);
});

test("a pace of none starts calls seldom instead of dividing by zero", async () => {
  const account = await bank.account({ pace: 0 });
  await good(account);
  await good(account);
  expect((await account.hold(1)).startsAt).toBeGreaterThan(account.clock.now());
});

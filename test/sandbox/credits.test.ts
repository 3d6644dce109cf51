import { expect, test } from "vitest";
import { lumi, open } from "./open.ts";

const hour = 3_600_000;
const ranking = `/iosstore-keyword-ranking/${lumi.ios}/US/keywordrankings?keywords=a`;
const small = (more: object = {}) => ({ accounts: [{ token: "small", total: 10, periodHours: 24, ...more }] });

test("an answer takes its price and reports price, rest and seconds to the reset", async () => {
  await using api = await open(small());
  const reply = await api.ask(ranking);
  expect(reply.headers).toMatchObject({
    "x-credit-cost": "3",
    "x-credit-remaining": "7",
    "x-credit-reset": String(18 * 3600),
  });
  expect(api.sandbox.account()).toEqual({ total: 10, remaining: 7, resetSeconds: 18 * 3600 });
  expect(api.sandbox.log()).toMatchObject([{ charged: 3, remaining: 7 }]);
});

test("remaining credits are reported free of charge, even when none are left", async () => {
  await using api = await open(small({ remaining: 0 }));
  const reply = await api.ask("/api-key");
  expect(reply).toMatchObject({ status: 200, headers: { "x-credit-cost": "0", "x-credit-remaining": "0" } });
  expect(reply.json).toEqual({
    success: true,
    data: { creditTotal: 10, creditRemaining: 0, creditResetPeriod: 24, creditResetTime: 18 * 3600 },
  });
});

test("a call that costs more than is left is refused and takes nothing", async () => {
  await using api = await open(small({ remaining: 2 }));
  const reply = await api.ask(ranking);
  expect(reply).toMatchObject({
    status: 429,
    json: { status: 429 },
    headers: { "x-credit-remaining": "2", "x-credit-reset": String(18 * 3600) },
  });
  expect(reply.headers).not.toHaveProperty("x-ratelimit-remaining");
  expect(api.sandbox.log()).toMatchObject([{ status: 429, charged: 0, remaining: 2 }]);
});

test("the last credits can be spent to the last one", async () => {
  await using api = await open(small({ remaining: 3 }));
  expect(await api.ask(ranking)).toMatchObject({ status: 200, headers: { "x-credit-remaining": "0" } });
});

test("credits come back at midnight UTC", async () => {
  await using api = await open(small({ remaining: 0 }));
  api.clock.move(18 * hour - 1);
  expect((await api.ask(ranking)).status).toBe(429);
  api.clock.move(1);
  expect(await api.ask(ranking)).toMatchObject({
    status: 200,
    headers: { "x-credit-remaining": "7", "x-credit-reset": String(24 * 3600) },
  });
});

test("a period may be shorter than a day", async () => {
  await using api = await open(small({ remaining: 1, periodHours: 1 }));
  expect(api.sandbox.account()).toMatchObject({ remaining: 1, resetSeconds: 3600 });
  api.clock.move(hour);
  expect(api.sandbox.account()).toMatchObject({ remaining: 10 });
});

test("another consumer may take credits, never below none", async () => {
  await using api = await open(small());
  api.sandbox.spend(4);
  expect(api.sandbox.account().remaining).toBe(6);
  api.sandbox.spend(400);
  expect(api.sandbox.account().remaining).toBe(0);
});

test("an account can be charged otherwise than documented", async () => {
  await using api = await open(small({ costs: { "ios.keyword-ranking": 5 } }));
  expect(await api.ask(ranking)).toMatchObject({ headers: { "x-credit-cost": "5", "x-credit-remaining": "5" } });
});

test("accounts have credits of their own", async () => {
  await using api = await open({
    accounts: [
      { token: "one", total: 10, periodHours: 24 },
      { token: "two", total: 20, periodHours: 24 },
    ],
  });
  await api.ask(ranking, { token: "two" });
  expect([
    api.sandbox.account().remaining,
    api.sandbox.account("one").remaining,
    api.sandbox.account("two").remaining,
  ]).toEqual([10, 10, 17]);
});

test("a pace over the rate limit is refused with plenty of credits left, and passes again in time", async () => {
  await using api = await open({ rateLimit: { perSecond: 2, burst: 2 } });
  const statuses = [await api.ask(ranking), await api.ask(ranking)].map((reply) => reply.status);
  const refused = await api.ask(ranking);
  expect(statuses).toEqual([200, 200]);
  expect(refused).toMatchObject({
    status: 429,
    headers: {
      "x-ratelimit-remaining": "0",
      "x-ratelimit-replenish-rate": "2",
      "x-ratelimit-requested-tokens": "1",
      "x-credit-remaining": "99994",
    },
  });
  expect(api.sandbox.log().map((entry) => entry.charged)).toEqual([3, 3, 0]);
  api.clock.move(500);
  expect((await api.ask(ranking)).status).toBe(200);
});

test("calls at the same time never spend the same credit", async () => {
  await using api = await open(small({ total: 10 }));
  api.sandbox.set({ latencyMs: 5 });
  const replies = await Promise.all(Array.from({ length: 8 }, () => api.ask(ranking)));
  expect(replies.map((reply) => reply.status).toSorted()).toEqual([200, 200, 200, 429, 429, 429, 429, 429]);
});

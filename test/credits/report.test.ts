import { day } from "../../src/core/day.ts";
import { expect, test } from "vitest";
import {
  dropOldPrices,
  learnCosts,
  learnedCosts,
  learnedPrices,
  recordWrongPrice,
  wrongPrices,
} from "../../src/credits/costs.ts";
import { readCreditReport } from "../../src/credits/report.ts";
import { sql } from "../../src/postgres/sql.ts";
import { land, type Landing } from "../../src/raw/store-answers.ts";
import { hour, openBank } from "../support/credits-account.ts";
import { stoppedClock } from "../support/credits-clock.ts";
import { forTests } from "../support/for-tests.ts";

const bank = forTests(openBank);

const landing: Landing = {
  accountId: "account",
  sliceId: null,
  runId: null,
  attempt: 1,
  page: 0,
  dataset: "keyword_rank",
  class: "daily",
  operation: "ios.keyword-ranking",
  scope: null,
  params: {},
  status: 200,
  errorCode: null,
  cost: 3,
  remaining: null,
  durationMs: 1,
  byteCount: 1,
  workerId: null,
  receivedAt: 0,
  body: null,
};

test("an account that the service never spoke of is null, beside what was spent", async () => {
  expect(await readCreditReport(bank.db, { accountId: "nobody", budgets: [], day: day("2026-08-20") })).toEqual({
    account: null,
    spent: [],
    costs: [],
    budgets: [],
    accounts: [],
  });
});

test("adds up requests and credits by dataset and class, of the running period only", async () => {
  const account = await bank.account({ total: 100, left: 90 });
  const start = account.periodEnd - 24 * hour;
  const requests: Partial<Landing>[] = [
    { receivedAt: start - 1, cost: 1000 },
    { receivedAt: start },
    { receivedAt: start + hour },
    { receivedAt: start + hour, status: 429, cost: 0 },
    { receivedAt: start + hour, class: "history", cost: 10 },
    { receivedAt: start + hour, dataset: "top_keyword", cost: 20 },
    { receivedAt: start + hour, dataset: null, class: "snapshot", cost: 0 },
    { receivedAt: start + hour, accountId: "somebody else", cost: 500 },
  ];
  for (const request of requests) await land(bank.db, { ...landing, accountId: account.accountId, ...request });
  const { account: reported, spent } = await readCreditReport(bank.db, {
    accountId: account.accountId,
    budgets: [],
    day: day("2026-08-20"),
  });
  expect(reported).toMatchObject({ total: 100, remaining: 90, held: 0, resetsAt: account.periodEnd, periodHours: 24 });
  expect(spent).toEqual([
    { dataset: "keyword_rank", class: "daily", requests: 3, credits: 6 },
    { dataset: "keyword_rank", class: "history", requests: 1, credits: 10 },
    { dataset: "top_keyword", class: "daily", requests: 1, credits: 20 },
    { dataset: null, class: "snapshot", requests: 1, credits: 0 },
  ]);
});

test("adds up all that was ever spent while no period is known", async () => {
  const account = await bank.account({ left: null });
  await land(bank.db, { ...landing, accountId: account.accountId, dataset: "organic_keyword", cost: 2_000_000_000 });
  await land(bank.db, { ...landing, accountId: account.accountId, dataset: "organic_keyword", cost: 2_000_000_000 });
  const { spent } = await readCreditReport(bank.db, {
    accountId: account.accountId,
    budgets: [],
    day: day("2026-08-20"),
  });
  expect(spent).toContainEqual({ dataset: "organic_keyword", class: "daily", requests: 2, credits: 4_000_000_000 });
});

test("learned costs are listed beside documented ones: two answers in a row are learned, one alone is not, a drift is seen", async () => {
  const clock = stoppedClock();
  const ranking = { id: "ios.keyword-ranking", cost: 3 };
  const learn = (prices: readonly number[], cost = ranking.cost, isShown = false) =>
    learnCosts(
      bank.db,
      prices.map((charged) => ({ operation: { ...ranking, cost }, charged, isShown })),
      clock,
    );
  const learned = async () => (await learnedCosts(bank.db)).find(({ operation }) => operation === ranking.id)?.learned;
  await learnCosts(bank.db, [{ operation: { id: "account.a", cost: 1 }, charged: 1, isShown: false }], clock);
  expect(await learn([7])).toEqual(new Map([[ranking.id, 3]]));
  await learn([3, 7, 5]);
  expect(await learned()).toBe(3);
  await learn([5]);
  expect(await learnedCosts(bank.db)).toEqual([
    { operation: "account.a", documented: 1, learned: 1 },
    { operation: ranking.id, documented: 3, learned: 5 },
  ]);
  await learn([8, 8]);
  expect(await learned()).toBe(8);
  await learn([9], 3, true);
  expect(await learned()).toBe(9);
  await learn([3]);
  expect(await learned()).toBe(3);
  await learn([5, 5], 4);
  expect(
    (await readCreditReport(bank.db, { accountId: "nobody", budgets: [], day: day("2026-08-20") })).costs[1],
  ).toMatchObject({ documented: 4, learned: 5 });
});

test("a price that is not accepted is kept beside the others, and what was learned from ones like it is forgotten", async () => {
  const clock = stoppedClock();
  const operation = { id: "ios.top-keywords", cost: 20 };
  const charge = { operation, charged: 90, isShown: false };
  await learnCosts(bank.db, [charge, charge], clock);
  const now = clock.now();
  await recordWrongPrice(bank.db, { operation: operation.id, header: 90, drop: 20 }, { documented: 20, now });
  expect(await wrongPrices(bank.db, now)).toEqual([{ operation: operation.id, header: 90, drop: 20, documented: 20 }]);
  expect(await wrongPrices(bank.db, now + 1)).toEqual([]);
  expect(await learnCosts(bank.db, [charge], clock)).toEqual(new Map([[operation.id, 20]]));
});

test("a learned price that plans can avoid counts until no call has been charged for a week, and one more charge like it is enough again", async () => {
  const clock = stoppedClock();
  const charge = (id: string, cost: number, charged: number, isAvoidable: boolean) =>
    learnCosts(bank.db, [{ operation: { id, cost }, charged, isShown: false, isAvoidable }], clock);
  const [dear, other] = ["android.keyword-ranking", "android.keyword-history"];
  for (let call = 0; call < 2; call += 1) {
    await charge(dear, 3, 30, true);
    await charge(other, 10, 12, false);
  }
  const pricesAt = async (days: number) => {
    await sql`update ops.credit_cost set last_seen_at = now() - ${days} * interval '1 day'`.execute(bank.db);
    const learned = await learnedPrices(bank.db);
    return [learned.get(dear), learned.get(other)];
  };
  expect(await pricesAt(6)).toEqual([30, 12]);
  const kept = await learnedPrices(bank.db);
  expect(await pricesAt(8)).toEqual([3, 12]);
  // what a process keeps of it
  kept.set(dear, 30);
  await dropOldPrices(bank.db, kept);
  expect([kept.get(dear), kept.get(other)]).toEqual([undefined, 12]);
  await charge(dear, 3, 30, false);
  expect(await pricesAt(0)).toEqual([30, 12]);
  // a third price does not bring the old one back
  const weekBefore = new Date(clock.now() - 8 * 24 * hour);
  await sql`update ops.credit_cost set last_seen_at = ${weekBefore}`.execute(bank.db);
  await charge(dear, 3, 20, true);
  const { rows } = await sql`select learned from ops.credit_cost where operation = ${dear}`.execute(bank.db);
  expect(rows).toEqual([{ learned: 3 }]);
});

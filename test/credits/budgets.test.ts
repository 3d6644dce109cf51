import { describe, expect, test } from "vitest";
import { isCovered, type CreditBudget } from "../../src/core/credit-budget.ts";
import { addDays, dayOf } from "../../src/core/day.ts";
import { budgetRefusal, waitForNights } from "../../src/credits/budget-refusal.ts";
import { nameAccount } from "../../src/credits/account.ts";
import { forecastKey, writeForecast } from "../../src/credits/forecast-days.ts";
import { openBudgets, readBudgets } from "../../src/credits/budgets.ts";
import { openRun } from "../../src/ledger/runs.ts";
import { insertSlices } from "../../src/ledger/slices.ts";
import { Settings } from "../../src/config/settings.ts";
import { readRooms } from "../../src/planner/credit-budgets.ts";
import { sql } from "../../src/postgres/sql.ts";
import { draft } from "../support/slice-draft.ts";
import { hour, lost, openBank, type TestAccount } from "../support/credits-account.ts";
import { openQueue, type TestQueue } from "../support/credits-queue.ts";
import { forTests } from "../support/for-tests.ts";

const bank = forTests(openBank);

const budget = (credits: number, more: Partial<CreditBudget> = {}): CreditBudget => ({
  budget: "reviews",
  period: "day",
  credits,
  datasets: ["review"],
  apps: null,
  ...more,
});
const uses = ({ accountId, clock }: TestAccount, ...budgets: readonly CreditBudget[]) =>
  readBudgets(bank.db, { accountId, budgets, day: dayOf(clock.now()) });
const taken = async (account: TestAccount, ...budgets: readonly CreditBudget[]) =>
  (await uses(account, ...budgets)).map((one) => one.taken);
const about = { dataset: "review", app: "1" };
const call = (cost: number, more = {}) => ({ cost: () => cost, class: "daily" as const, about, ...more });
const answered = (account: TestAccount, charged: number) => async () => ({
  result: "answer",
  receipt: account.answer(charged),
});
const spend = (account: TestAccount, { queue }: TestQueue, cost: number, more = {}) =>
  queue.run(call(cost, more), answered(account, cost));

describe("a budget", () => {
  test("is for its datasets and apps alone", () => {
    const group = { datasets: null, apps: ["1", "2"] };
    expect(isCovered({ dataset: "review", app: "2" }, group)).toBe(true);
    expect(isCovered({ dataset: "review", app: null }, group)).toBe(false);
    expect(isCovered({ dataset: "review", app: "3" }, { ...group, datasets: ["review"] })).toBe(false);
    expect(isCovered({ dataset: "chart", app: "1" }, { ...group, datasets: ["review"] })).toBe(false);
    expect(isCovered({ dataset: "", app: null }, { datasets: null, apps: null })).toBe(true);
  });

  test("defers what is over it to the start of its next period, and lets others go on", async () => {
    const account = await bank.account();
    const queue = openQueue(account, { budgets: [budget(10)] });
    await spend(account, queue, 6);
    const midnight = Date.parse(`${dayOf(account.clock.now() + 24 * hour)}T00:00:00Z`);
    await expect(spend(account, queue, 5)).rejects.toMatchObject({
      code: "budget_exhausted",
      until: midnight,
      context: { budget: "reviews", taken: 6, credits: 10, period: "day", cost: 5 },
    });
    expect(queue.refreshes()).toBe(0);
    await spend(account, queue, 4);
    await spend(account, queue, 50, { about: { dataset: "chart", app: "1" } });
    expect(await taken(account, budget(10))).toEqual([10]);
    account.clock.move(midnight - account.clock.now());
    await account.observe({ total: 100, left: 100, resetsAt: midnight + 24 * hour });
    await spend(account, queue, 5);
    expect(await taken(account, budget(10))).toEqual([5]);
  });

  test("that still has just what a call costs is not the one that refuses it", async () => {
    const account = await bank.account();
    const queue = openQueue(account, { budgets: [budget(10), budget(11, { budget: "a month", period: "month" })] });
    await spend(account, queue, 6);
    await expect(spend(account, queue, 5)).rejects.toMatchObject({ context: { budget: "reviews" } });
  });

  test("that is used up while the balance is checked defers a call to its next period, unless its data would be lost", async () => {
    const spentMeanwhile = async (more: object) => {
      const account = await bank.account({ total: 100, left: 3 });
      const other = openQueue(account, { budgets: [budget(10)] });
      const refresh = async () => {
        await account.observe({ total: 100, left: 100 });
        await spend(account, other, 8);
      };
      account.clock.move(hour);
      return spend(account, openQueue(account, { budgets: [budget(10)], refresh }), 5, {
        lostAt: async () => account.clock.now() + 3 * hour,
        ...more,
      });
    };
    await expect(spentMeanwhile({})).rejects.toMatchObject({ code: "budget_exhausted", context: { taken: 8 } });
    await spentMeanwhile({ class: "snapshot" });
  });

  test("is left to the nights of its period by history alone, and only up to what they take", async () => {
    const account = await bank.account({ total: 1000 });
    const own = [budget(20), budget(21, { period: "month" })];
    const queue = openQueue(account, { budgets: own });
    const now = account.clock.now();
    // the first night of the rest of the month, and those after it without calls of the budget
    const days = Array.from({ length: 12 }, (_, at) => ({
      day: addDays(dayOf(now), at),
      startsAt: now + hour + at * 24 * hour,
      planned: 9,
      waiting: 0,
      budgets: {
        [forecastKey(budget(20))]: at === 0 ? 6 : 0,
        [forecastKey(budget(21, { period: "month" }))]: at === 0 ? 8 : 0,
      },
    }));
    await writeForecast(bank.db, account.accountId, { madeAt: now, days });
    const history = { class: "history", sliceId: "1" };
    await spend(account, queue, 9, history);
    await expect(spend(account, queue, 5, history)).rejects.toMatchObject({
      code: "budget_kept",
      until: now + 2 * hour,
      context: { period: "month", taken: 9, kept: 8 },
    });
    expect((await uses(account, ...own)).map(({ refusedAt }) => refusedAt)).toEqual([null, null]);
    await spend(account, queue, 4, history);
    await spend(account, queue, 5);
    await expect(spend(account, queue, 3, history)).rejects.toMatchObject({
      until: Date.parse(addDays(dayOf(now), 1)),
    });
    expect((await uses(account, budget(20)))[0]?.refusedAt).not.toBeNull();
  });

  test("is left by history to what failed in nights and is tried again in its period", async () => {
    const account = await bank.account({ total: 1000 });
    const now = account.clock.now();
    const today = dayOf(now);
    const own = [budget(20), budget(100, { datasets: ["review", "app_rating"], budget: "both" })];
    const night = { day: today, startsAt: now - hour, planned: 0, waiting: 0, budgets: {} };
    await writeForecast(bank.db, account.accountId, { madeAt: now, days: [night] });
    const start = { kind: "sync", workerId: null, account: "", asOf: today, datasets: [], maxCredits: null } as const;
    const failed = [6, 9].map((credits) => draft({ dataset: credits === 6 ? "review" : "app_rating", credits }));
    await insertSlices(bank.db, await openRun(bank.db, start, now), failed, now);
    await sql`update ops.slice set state = 'failed', due_at = to_timestamp(${(now + hour) / 1000}::float8)`.execute(
      bank.db,
    );
    // what plans show: nights of the whole day have begun for them, and tries come from now on
    const settings = Settings.parse({ credits: { budgets: { reviews: { datasets: ["review"], credits_a_day: 20 } } } });
    const on = { settings, accountId: account.accountId, day: today, triesAfter: now };
    expect((await readRooms(bank.db, on)).map(({ forNights }) => forNights)).toEqual([6]);
    const queue = openQueue(account, { budgets: own });
    const history = { class: "history", sliceId: "1" };
    await expect(spend(account, queue, 15, history)).rejects.toMatchObject({
      code: "budget_kept",
      context: { budget: "reviews", kept: 6 },
    });
    await spend(account, queue, 14, history);
    await spend(account, queue, 6);
    await sql`truncate ops.run, ops.slice cascade`.execute(bank.db);
  });

  test("of several that are spent the one whose period ends last defers the call", async () => {
    const account = await bank.account();
    const queue = openQueue(account, { budgets: [budget(5), budget(5, { period: "month" })] });
    await spend(account, queue, 5);
    await expect(spend(account, queue, 1)).rejects.toMatchObject({ context: { period: "month" } });
  });

  test("holds for all queues together, each call at once", async () => {
    const account = await bank.account({ total: 1000 });
    const queues = Array.from({ length: 3 }, () => openQueue(account, { budgets: [budget(35)], concurrency: 8 }));
    const calls = Array.from({ length: 30 }, (_, index) => spend(account, queues[index % 3] ?? queues[0]!, 4));
    const ends = await Promise.allSettled(calls);
    expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(8);
    expect(await taken(account, budget(35))).toEqual([32]);
  });

  test("takes what is charged, and keeps what a call without a reply may have been charged", async () => {
    const account = await bank.account();
    const queue = openQueue(account, { budgets: [budget(20)] });
    await queue.queue.run(call(5), answered(account, 3));
    expect(await taken(account, budget(20))).toEqual([3]);
    await queue.queue.run(call(5), async () => ({ result: "", receipt: account.refusal() }));
    expect(await taken(account, budget(20))).toEqual([3]);
    await queue.queue.run(call(5), async () => ({ result: "", receipt: lost }));
    expect(await taken(account, budget(20))).toEqual([8]);
  });

  test("never refuses what would be lost for good, nor a person, and counts both", async () => {
    const account = await bank.account();
    const queue = openQueue(account, { budgets: [budget(5, { datasets: null })] });
    await spend(account, queue, 5);
    const tonight = account.clock.now() + 3 * hour;
    await expect(spend(account, queue, 5, { class: "snapshot", lostAt: async () => null })).rejects.toMatchObject({
      code: "budget_exhausted",
    });
    await spend(account, queue, 5, { class: "snapshot", lostAt: async () => tonight });
    await queue.queue.run({ cost: () => 2, class: "person" }, answered(account, 2));
    expect(await taken(account, budget(5, { datasets: null }))).toEqual([12]);
  });

  test("counts from its first use what was charged before, and anew where it is for other datasets", async () => {
    const account = await bank.account();
    const { accountId, clock } = account;
    await nameAccount(bank.db, accountId, "hooli");
    await sql`
      insert into ops.request (account_id, attempt, page, dataset, class, operation, params, cost, duration_ms, byte_count, received_at)
      select ${accountId}, 1, 0, dataset, 'daily', 'o', '{}', cost, 1, 1, ${new Date(clock.now()).toISOString()}::timestamptz - days * interval '1 day'
      from   (values ('review', 7, 0), ('chart', 11, 0), ('chart', 100, 40)) as v (dataset, cost, days)`.execute(
      bank.db,
    );
    const day = dayOf(clock.now());
    const open = async (...budgets: readonly CreditBudget[]) => {
      const forecastCost = await taken(account, ...budgets);
      await openBudgets(bank.db, { accountId, budgets, day });
      const opened = await taken(account, ...budgets);
      expect(opened).toEqual(forecastCost);
      return opened;
    };
    expect(await open(budget(10))).toEqual([7]);
    expect(await open(budget(10, { datasets: ["chart"] }))).toEqual([11]);
    expect(await open(budget(10, { datasets: null }), budget(90, { datasets: null, period: "month" }))).toEqual([
      18, 18,
    ]);
  });

  test("holds beside processes with other settings, and counts what they are charged", async () => {
    const account = await bank.account({ total: 1000 });
    const own = budget(10);
    const worker = openQueue(account, { budgets: [own] });
    // it has opened its day before there is a budget
    const gateway = openQueue(account);
    await spend(account, gateway, 1);
    await spend(account, worker, 2);
    await spend(account, gateway, 2);
    const all = budget(1000, { budget: "z all", datasets: null });
    const ofApp = budget(1000, { budget: "y app", apps: ["1"] });
    for (const others of [[], [budget(1000)], [budget(8, { budget: "renamed" })], [all], [ofApp]])
      await spend(account, openQueue(account, { budgets: others }), 1);
    expect(await taken(account, own, budget(1000), budget(8, { budget: "renamed" }))).toEqual([9, 9, 9]);
    await expect(spend(account, worker, 2)).rejects.toMatchObject({ code: "budget_exhausted", context: { taken: 9 } });
    expect((await uses(account, own))[0]?.refusedAt).not.toBeNull();
    expect((await uses(account, budget(1000)))[0]?.refusedAt).toBeNull();
    await spend(account, worker, 1);
    await spend(account, gateway, 5, { about: { dataset: "review", app: "2" } });
    await spend(account, gateway, 7, { about: { dataset: "chart", app: "1" } });
    expect(await taken(account, own, ofApp, all)).toEqual([15, 2, 15]);
    // an app group may have more ids than an entry of an index has room for
    const many = Array.from({ length: 1000 }, (_, index) => `com.example.app${index}`);
    await spend(account, openQueue(account, { budgets: [budget(1000, { budget: "many", apps: many })] }), 1);
  });

  test("goes on counting where its datasets are listed in another order", async () => {
    const account = await bank.account();
    const own = budget(100, { datasets: ["chart", "review"] });
    await spend(account, openQueue(account, { budgets: [own] }), 3);
    // no request is stored here: a row that is counted anew would have 0
    expect(await taken(account, { ...own, datasets: ["review", "chart"] })).toEqual([3]);
  });

  test("counts calls that are in flight when it is added, and what they are charged in the end", async () => {
    const account = await bank.account({ total: 1000 });
    const answer = Promise.withResolvers<number>();
    const inFlight = openQueue(account).queue.run(call(5, { about: { dataset: "review", app: "1" } }), async () => ({
      result: "",
      receipt: account.answer(await answer.promise),
    }));
    await expect.poll(async () => (await account.state()).held).toBe(5);
    const added = [budget(100), budget(100, { budget: "z of another app", apps: ["2"] })];
    await spend(account, openQueue(account, { budgets: added }), 1);
    expect(await taken(account, ...added)).toEqual([6, 0]);
    answer.resolve(2);
    await inFlight;
    expect(await taken(account, ...added)).toEqual([3, 0]);
  });

  test("counts a grant that waited while it was added", async () => {
    const account = await bank.account({ total: 1000 });
    const day = dayOf(account.clock.now());
    const own = budget(100);
    const waiting = async () =>
      (
        await sql<{ n: number }>`
          select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
          bank.db,
        )
      ).rows[0]?.n;
    const [opened, granted] = await bank.db.transaction().execute(async (transaction) => {
      await sql`select from ops.credit_account where account_id = ${account.accountId} for update`.execute(transaction);
      const opening = openBudgets(bank.db, { accountId: account.accountId, budgets: [own], day });
      await expect.poll(waiting).toBe(1);
      const spending = spend(account, openQueue(account), 5);
      await expect.poll(waiting).toBe(2);
      return [[opening], [spending]] as const;
    });
    await Promise.all([...opened, ...granted]);
    expect(await taken(account, own)).toEqual([5]);
  });

  test("is added while a call is being settled, and counts that at its price", async () => {
    const account = await bank.account({ total: 1000 });
    const answer = Promise.withResolvers<number>();
    const inFlight = openQueue(account).queue.run(call(5), async () => ({
      result: "",
      receipt: account.answer(await answer.promise),
    }));
    await expect.poll(async () => (await account.state()).held).toBe(5);
    const own = budget(100);
    await bank.db.transaction().execute(async (transaction) => {
      // settling locks the hold first, then the account
      await sql`select from ops.credit_hold where account_id = ${account.accountId} for update`.execute(transaction);
      await openBudgets(bank.db, { accountId: account.accountId, budgets: [own], day: dayOf(account.clock.now()) });
      await sql`select from ops.credit_account where account_id = ${account.accountId} for update`.execute(transaction);
    });
    answer.resolve(2);
    await inFlight;
    expect(await taken(account, own)).toEqual([5]);
  });

  test("refuses nothing any more once a call that it had room for was not charged", async () => {
    const account = await bank.account();
    const queue = openQueue(account, { budgets: [budget(5)] });
    await queue.queue.run(call(5), async () => {
      await expect(spend(account, openQueue(account, { budgets: [budget(5)] }), 5)).rejects.toThrow("budget_exhausted");
      expect((await uses(account, budget(5)))[0]?.refusedAt).not.toBeNull();
      return { result: "", receipt: account.answer(0) };
    });
    expect(await uses(account, budget(5))).toMatchObject([{ taken: 0, refusedAt: null }]);
  });

  test("of a group counts from its first use also what was charged for slices that are gone", async () => {
    const account = await bank.account();
    await nameAccount(bank.db, account.accountId, "initech");
    await sql`
      insert into ops.request (account_id, slice_id, attempt, page, dataset, class, operation, store, track_id, params, cost, duration_ms, byte_count, received_at)
      select ${account.accountId}, 4711, 1, 0, 'review', 'daily', 'o', 'ios', track_id, '{}', cost, 1, 1, ${new Date(account.clock.now()).toISOString()}::timestamptz
      from   (values ('1', 7), ('2', 100)) as v (track_id, cost)`.execute(bank.db);
    const queue = openQueue(account, { budgets: [budget(10, { apps: ["1"] })] });
    await expect(spend(account, queue, 4)).rejects.toMatchObject({ code: "budget_exhausted", context: { taken: 7 } });
    await spend(account, queue, 3);
  });

  test("counts what another token of the account was charged, and not what another account was", async () => {
    const [old, replaced, other] = [await bank.account(), await bank.account(), await bank.account()];
    for (const [{ accountId }, name] of [
      [old, "acme"],
      [replaced, "acme"],
      [other, "globex"],
    ] as const)
      await nameAccount(bank.db, accountId, name);
    const at = new Date(replaced.clock.now()).toISOString();
    await sql`
      insert into ops.request (account_id, attempt, page, dataset, class, operation, params, cost, duration_ms, byte_count, received_at)
      select account_id, 1, 0, 'review', 'daily', 'o', '{}', cost, 1, 1, ${at}::timestamptz
      from   (values (${old.accountId}, 7), (${other.accountId}, 100)) as v (account_id, cost)`.execute(bank.db);
    const queue = openQueue(replaced, { budgets: [budget(10)] });
    await expect(spend(replaced, queue, 4)).rejects.toMatchObject({ code: "budget_exhausted", context: { taken: 7 } });
    await spend(replaced, queue, 3);
  });

  test("has room again where its limit is raised", async () => {
    const account = await bank.account();
    const refused = async (own: CreditBudget) => (await uses(account, own)).map((one) => one.refusedAt !== null);
    await expect(spend(account, openQueue(account, { budgets: [budget(4)] }), 5)).rejects.toThrow("budget_too_small");
    expect(await refused(budget(4))).toEqual([true]);
    // before any call was made under the new limit: what waits for it makes none
    expect(await refused(budget(6))).toEqual([false]);
    await spend(account, openQueue(account, { budgets: [budget(6)] }), 5);
    expect(await refused(budget(6))).toEqual([false]);
  });
});

describe("a refusal", () => {
  test("for the nights is tried again an hour after the next one, at the end of the period at the latest", () => {
    const now = Date.parse("2026-08-20T20:00:00Z");
    const refusing = {
      budget: "reviews",
      period: "day",
      credits: 10,
      taken: 6,
      endsOn: addDays(dayOf(now), 1),
    } as const;
    const untilOf = (lessAt: number) => waitForNights({ refusing, cost: 3 }, { credits: 7, lessAt, wholePeriod: 0 });
    expect(untilOf(now + hour)).toMatchObject({ code: "budget_kept", until: now + hour, context: { kept: 4 } });
    expect(untilOf(now + 5 * hour)).toMatchObject({ until: now + 4 * hour });
  });

  const refusing = { budget: "b", period: "month", credits: 5, taken: 5, endsOn: "2026-12-01" } as never;
  const at = (text: string) => Date.parse(`2026-${text}Z`);
  const refuse = (lostAt: number | null, now: number) => budgetRefusal({ refusing, cost: 1, lostAt, now });

  test("waits for the next period, or for the last day of what would be lost by then, on which it is let through", () => {
    const now = at("11-20T09:00");
    expect(refuse(null, now)).toMatchObject({ until: at("12-01T00:00") });
    expect(refuse(at("12-02T00:00"), now)).toMatchObject({ until: at("12-01T00:00") });
    expect(refuse(at("11-27T00:00"), now)).toMatchObject({ until: at("11-26T00:00") });
    expect(refuse(at("12-01T00:00"), now)).toMatchObject({ until: at("11-30T00:00") });
    expect(refuse(at("11-27T00:00"), at("11-26T00:00"))).toBeNull();
    expect(refuse(at("11-21T00:00"), now)).toBeNull();
    expect(refuse(at("12-01T00:00"), at("11-30T00:00"))).toBeNull();
  });
});

import { beforeEach, describe, expect, test } from "vitest";
import { oneDay } from "../../src/core/window.ts";
import { observeBalance, openAccount } from "../../src/credits/account.ts";
import { readBudgetWaits, resumeWithinBudgets } from "../../src/ledger/budget-waits.ts";
import { claimNext, releaseOrphanedClaims, resumeAffordable, wakeDue } from "../../src/ledger/queue.ts";
import { sharedQueue, sharedQueueOf } from "../../src/ledger/shared-queue.ts";
import { endAttempt, splitSlice } from "../../src/ledger/slices.ts";
import { august, draft, ending, now, openLedgerStage, today } from "../support/ledger-stage.ts";
import { enqueue } from "../support/queue-steps.ts";
import { forTests } from "../support/for-tests.ts";

describe("the queue", () => {
  const stage = forTests(openLedgerStage);
  let worker: string;
  let run: string;

  beforeEach(async () => {
    await stage.reset();
    worker = await stage.alive();
    run = await stage.run();
  });

  const taker = (queueId = sharedQueue) => ({ queueId, workerId: worker });
  const next = (most: number, queueId = sharedQueue) => claimNext(stage.db, taker(queueId), { most, now });
  const numbers = (slices: readonly { sliceId: string }[]) => slices.map(({ sliceId }) => sliceId);

  test("returns classes in their order, then newest days, by the chunk, each slice once", async () => {
    const [backfill, daily, lookback, snapshot, earlier] = await stage.insert(
      run,
      draft({ class: "history", window: august(5) }),
      draft({ class: "daily", window: august(4) }),
      draft({ class: "lookback", window: august(3) }),
      draft({ class: "snapshot", window: august(2) }),
      draft({ class: "daily", window: august(1), items: ["a", "b"] }),
    );
    expect(numbers(await next(2))).toEqual([snapshot, daily]);
    const rest = await next(9);
    expect(numbers(rest)).toEqual([earlier, lookback, backfill]);
    expect(rest[0]).toMatchObject({ attempt: 1, items: ["a", "b"], window: august(1) });
    expect(await next(9)).toEqual([]);
    const running = { state: "running", worker_id: worker };
    expect(await stage.slices("state, worker_id")).toEqual(Array.from({ length: 5 }, () => running));
  });

  test("of a foreground process is its own", async () => {
    const owner = await stage.alive();
    await enqueue(stage.db, await stage.run({ workerId: owner }), [draft()], now);
    await enqueue(stage.db, run, [draft({ window: august(1) })], now);
    expect((await next(9)).map(({ window }) => window)).toEqual([august(1)]);
    expect((await next(9, owner)).map(({ window }) => window)).toEqual([draft().window]);
  });

  test("leaves to the first who takes it what two want at once", async () => {
    const ids = await stage.insert(run, ...[1, 2, 3, 4].map((date) => draft({ window: august(date) })));
    const holder = await stage.pool.connect();
    await holder.query("begin");
    await holder.query("select from ops.slice where slice_id = $1 for update", [ids[3]]);
    expect(numbers(await next(2))).toEqual([ids[2], ids[1]]);
    await holder.query("commit");
    holder.release();
    expect(numbers(await next(9))).toEqual([ids[3], ids[0]]);
  });

  test("holds back what is not due, and puts it in its turn when it is", async () => {
    const [later, , earlier, spent] = await stage.insert(
      run,
      ...[4, 3, 2, 1].map((date) => draft({ window: august(date) })),
    );
    const put = async (id: string | undefined, state: "pending" | "deferred", dueAt: number | null) =>
      endAttempt(stage.db, await stage.claimed(id!, worker), { ...ending, state, dueAt }, now);
    await put(later, "pending", now + 1_000);
    await put(earlier, "deferred", now + 2_000);
    await put(spent, "deferred", null);
    await wakeDue(stage.db, sharedQueue, now + 999);
    expect((await stage.queued()).length).toBe(1);
    await wakeDue(stage.db, "99", now + 2_000);
    await wakeDue(stage.db, sharedQueue, now + 1_000);
    expect((await next(1)).map(({ sliceId, attempt }) => ({ sliceId, attempt }))).toEqual([
      { sliceId: later, attempt: 2 },
    ]);
    await wakeDue(stage.db, sharedQueue, now + 2_000);
    expect(numbers(await next(9))).toContain(earlier);
    expect(await stage.slices("slice_id, state")).toContainEqual({ slice_id: spent, state: "deferred" });
  });

  test("leaves a snapshot waiting that can be requested tomorrow, where only what is kept for tonight would pay for it", async () => {
    await stage.pool.query(
      `insert into ops.dataset_timing (dataset, scope, is_default, kind, refresh_days)
       values ('of_a_week', '{}', true, 'snapshot', 7), ('of_a_day', '{}', true, 'snapshot', 1)`,
    );
    const [ofWeek, ofDay] = await stage.insert(
      run,
      ...["of_a_week", "of_a_day"].map((dataset) => draft({ dataset, class: "snapshot", window: oneDay(today) })),
    );
    const waits =
      "update ops.slice set state = 'deferred', error_code = 'credits_exhausted', due_at = to_timestamp($1)";
    await stage.pool.query(waits, [now / 1000 + 30 * 86_400]);
    await openAccount(stage.db, "any", 1, stage.clock);
    await observeBalance(
      stage.db,
      "any",
      { total: 100, remaining: 10, resetsAt: null, periodHours: null },
      stage.clock,
    );
    const floors = { snapshot: 0, daily: 0.5, lookback: 0.5, history: 0.5 };
    const limits = { accountId: "any", floors, keptForNights: 0, queueId: sharedQueue };
    const woken = async (days: number) => {
      await resumeAffordable(stage.db, limits, now + days * 86_400_000);
      return (await stage.queued()).map(({ slice }) => slice);
    };
    expect(await woken(0)).toEqual([ofDay]);
    expect(await woken(6)).toEqual([ofWeek, ofDay]);
  });

  test("wakes slices that wait for credits, of either limit, up to the last credit of the balance that is not held", async () => {
    const ids = await stage.insert(run, ...[4, 3, 2, 1].map((date) => draft({ window: august(date), credits: 5 })));
    const codes = ["credits_exhausted", "allowance_too_small", "run_limit_spent", "credits_exhausted"];
    await stage.pool.query(
      `update ops.slice as s set state = 'deferred', error_code = e.code, due_at = to_timestamp($3)
       from   unnest($1::bigint[], $2::text[]) as e (slice_id, code) where s.slice_id = e.slice_id`,
      [ids, codes, now / 1000 + 86_400],
    );
    await openAccount(stage.db, "held", 1, stage.clock);
    const balance = { total: 100, remaining: 15, resetsAt: null, periodHours: null };
    await observeBalance(stage.db, "held", balance, stage.clock);
    await stage.pool.query("update ops.credit_account set held = 5 where account_id = 'held'");
    const floors = { snapshot: 0, daily: 0, lookback: 0, history: 0 };
    expect(
      await resumeAffordable(stage.db, { accountId: "held", floors, keptForNights: 0, queueId: sharedQueue }, now),
    ).toBe(2);
    expect((await stage.queued()).map(({ slice }) => slice)).toEqual(ids.slice(0, 2));
  });

  test("wakes slices that wait for budgets in one queue only: another account has budgets of its own", async () => {
    await sharedQueueOf(stage.db, "other");
    const otherRun = await stage.run({ kind: "schedule", account: "other" });
    const [own] = await stage.insert(run, draft());
    await stage.insert(otherRun, draft({ window: august(1) }));
    await stage.pool.query(
      "update ops.slice set state = 'deferred', error_code = 'budget_exhausted', due_at = to_timestamp($1)",
      [now / 1000 + 86_400],
    );
    // a call is expected to cost what was learned, if that is more
    await stage.pool.query(
      "insert into ops.credit_cost (operation, documented, learned, last_charged, last_seen_at) values ($1, 3, 8, 8, now())",
      [draft().operation],
    );
    expect((await readBudgetWaits(stage.db, now)).map(({ cheapest }) => cheapest)).toEqual([8]);
    expect(await resumeWithinBudgets(stage.db, () => false, now, sharedQueue)).toBe(1);
    expect(await stage.queued()).toEqual([{ queue: sharedQueue, slice: own }]);
    await stage.pool.query("truncate ops.credit_cost");
  });

  test("takes back what a lost claim took, and nothing that is running or another's", async () => {
    const [held, lost] = await stage.insert(run, draft({ window: august(2) }), draft({ window: august(1) }));
    await next(9);
    const [others] = await stage.insert(run, draft({ window: august(3) }));
    await stage.claimed(others!, await stage.alive());
    expect(await releaseOrphanedClaims(stage.db, taker(), [held!])).toEqual([{ sliceId: lost, startedAt: now }]);
    expect(await stage.queued()).toEqual([{ queue: sharedQueue, slice: lost }]);
    expect(await releaseOrphanedClaims(stage.db, taker(), [held!])).toEqual([]);
  });

  test("keeps both halves of a slice in its turn", async () => {
    const owner = await stage.alive();
    const mine = await stage.run({ workerId: owner });
    const [id] = await stage.insert(mine, draft({ class: "lookback", items: ["a", "b"] }));
    await stage.insert(mine, draft({ class: "history" }));
    const [slice] = await next(1, owner);
    const halves = await splitSlice(stage.db, slice!, now);
    expect(halves[0]).toBe(id);
    expect(numbers(await next(2, owner))).toEqual(halves);
  });

  test("counts what was planned with its slices", async () => {
    expect(await enqueue(stage.db, run, [draft(), draft(), draft({ window: august(1), credits: 10 })], now)).toBe(2);
    const { rows } = await stage.pool.query("select planned_slices, planned_credits::int from ops.run");
    expect(rows).toEqual([{ planned_slices: 2, planned_credits: 13 }]);
  });
});

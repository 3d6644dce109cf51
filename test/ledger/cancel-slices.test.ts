import { beforeEach, describe, expect, test } from "vitest";
import {
  cancelBeyondLimit,
  cancelBeyondPrices,
  cancelScheduled,
  cancelUnfinished,
} from "../../src/ledger/cancel-slices.ts";
import { cancelPlan } from "../../src/ledger/end-stopped.ts";
import { reconcile } from "../../src/ledger/reconcile.ts";
import { keepPlan, readPlanProgress } from "../../src/ledger/plans.ts";
import { closeRun } from "../../src/ledger/runs.ts";
import { august, draft, now, openLedgerStage } from "../support/ledger-stage.ts";
import { planAt } from "../support/slice-draft.ts";
import { forTests } from "../support/for-tests.ts";

const stage = forTests(openLedgerStage);

beforeEach(() => stage.reset());

/** Days of August at three credits each: newer ones go first. */
const days = (...dates: readonly number[]) => dates.map((date) => draft({ window: august(date) }));
const left = async () =>
  (await stage.slices("window_start::text as day")).map(({ day }) => Number(String(day).slice(-2)));

describe("cancelUnfinished", () => {
  test("cancels what a killed sync planned and did not begin, so that its cells count as not requested", async () => {
    const killed = await stage.dead();
    const run = await stage.run({ workerId: killed });
    await stage.insert(run, ...days(16, 17));
    await stage.inState(run, "loaded", killed, ...days(10));
    await stage.inState(run, "deferred", killed, ...days(11));
    expect(await reconcile(stage.db, { deadAfterMs: 45_000 })).toMatchObject({ cancelled: 3 });
    expect(await left()).toEqual([10]);
  });

  test("keeps an answer that has landed, regardless of the limit of the run: it is paid for", async () => {
    const killed = await stage.dead();
    const run = await stage.run({ workerId: killed, maxCredits: 0 });
    const [landed] = await stage.inState(run, "running", killed, ...days(16, 17));
    await stage.land(landed!);
    await reconcile(stage.db, { deadAfterMs: 45_000 });
    expect(await left()).toEqual([16]);
  });

  test("keeps a slice during which the process died, so that a poisoned one is counted, unless the run had a limit", async () => {
    for (const maxCredits of [null, 9]) {
      const killed = await stage.dead();
      const run = await stage.run({ workerId: killed, maxCredits });
      await stage.inState(run, "running", killed, ...days(maxCredits ?? 1));
    }
    expect(await reconcile(stage.db, { deadAfterMs: 45_000 })).toMatchObject({ freed: 2, cancelled: 1 });
    expect(await left()).toEqual([1]);
  });

  test("keeps what a living process runs, what a run adopted, and what waits for credits after an end in good order", async () => {
    const killed = await stage.dead();
    await stage.insert(await stage.run({ workerId: await stage.alive() }), ...days(12));
    await stage.insert(await stage.run(), ...days(13));
    const run = await stage.run({ workerId: killed });
    await stage.insert(run, ...days(14));
    await stage.pool.query("update ops.slice set created_at = created_at - interval '1 hour' where run_id = $1", [run]);
    const deferred = await stage.run({ workerId: killed });
    await stage.inState(deferred, "deferred", killed, ...days(15));
    await closeRun(stage.db, deferred, "deferred", { now });
    expect(await cancelUnfinished(stage.db)).toBe(0);
  });

  test("cancels what an interrupted sync of this process left, and nothing of its other runs", async () => {
    const me = await stage.alive();
    const [interrupted, other] = [await stage.run({ workerId: me }), await stage.run({ workerId: me })];
    await stage.insert(interrupted, ...days(12));
    await stage.insert(other, ...days(13));
    await closeRun(stage.db, interrupted, "interrupted", { now });
    expect(await cancelUnfinished(stage.db, interrupted)).toBe(1);
    expect(await left()).toEqual([13]);
  });
});

describe("cancelScheduled", () => {
  const ranks = ["keyword_rank"];

  test("cancels what the schedule queued of a dataset, also where it waits for credits, and nothing of others", async () => {
    const run = await stage.run({ kind: "schedule", datasets: ranks });
    await stage.insert(run, ...days(12));
    await stage.inState(run, "deferred", await stage.alive(), ...days(13));
    await stage.inState(run, "running", await stage.alive(), ...days(14));
    await stage.inState(run, "loaded", await stage.alive(), ...days(15));
    expect(await cancelScheduled(stage.db, "", [])).toBe(0);
    expect(await cancelScheduled(stage.db, "", ["review"])).toBe(0);
    expect(await cancelScheduled(stage.db, "another", ranks)).toBe(0);
    expect(await cancelScheduled(stage.db, "", ranks)).toBe(2);
    expect(await left()).toEqual([14, 15]);
  });

  test("keeps what a person named, and an answer that has landed: it is paid for", async () => {
    await stage.insert(await stage.run({ kind: "sync", datasets: ranks }), ...days(12));
    // what a killed sync left goes on in a run that names no dataset
    await stage.insert(await stage.run({ kind: "schedule" }), ...days(13));
    const [landed] = await stage.insert(await stage.run({ kind: "schedule", datasets: ranks }), ...days(14, 15));
    await stage.land(landed!);
    expect(await cancelScheduled(stage.db, "", ranks)).toBe(1);
    expect(await left()).toEqual([12, 13, 14]);
  });
});

describe("cancelBeyondLimit", () => {
  test("keeps of what is deferred the first in their turn that the rest of the limit pays for", async () => {
    const me = await stage.alive();
    const run = await stage.run({ workerId: me, maxCredits: 6 });
    await stage.inState(run, "deferred", me, ...days(16, 17, 18, 19));
    expect(await cancelBeyondLimit(stage.db, run, Number.POSITIVE_INFINITY)).toBe(0);
    expect(await cancelBeyondLimit(stage.db, run, 6)).toBe(2);
    expect(await left()).toEqual([18, 19]);
  });
});

describe("cancelBeyondPrices", () => {
  /** A killed backfill of the days at three credits each, of which the first ones were running; its plan costs `credits`. */
  async function killedBackfill(credits: number, running: readonly number[], waiting: readonly number[]) {
    const planId = await keepPlan(stage.db, planAt(credits), now);
    const killed = await stage.dead();
    const run = await stage.run({ kind: "backfill", workerId: killed, planId });
    const ran = await stage.inState(run, "running", killed, ...days(...running));
    await stage.insert(run, ...days(...waiting));
    await reconcile(stage.db, { deadAfterMs: 45_000 });
    return { planId, ran };
  }
  /** A request for a slice: answered at a cost, or lost with its process. */
  const request = async (slice: string | undefined, cost: number | null) => {
    // the hold of a lost call is not corrected
    await stage.pool.query("update ops.plan set taken_credits = taken_credits + $1", [cost ?? 3]);
    await stage.pool.query(
      `insert into ops.request (account_id, slice_id, attempt, page, class, operation, params, status, error_code, cost, duration_ms, byte_count, received_at)
       values ('any', $1, 1, 0, 'daily', 'any', '{}', $2, $3, $4, 0, 0, now())`,
      [slice, cost === null ? null : 200, cost === null ? "process_died" : null, cost ?? 0],
    );
  };

  test("keeps an answer that has landed, at no price, however late its turn", async () => {
    const { planId, ran } = await killedBackfill(9, [10], [16, 17, 18]);
    await stage.land(ran[0]!);
    await request(ran[0], 3);
    expect(await cancelBeyondPrices(stage.db)).toEqual({ cancelled: 1, failed: 0 });
    expect(await left()).toEqual([10, 17, 18]);
    expect(await readPlanProgress(stage.db, planId)).toMatchObject({ open: 3, credits: 3, takenCredits: 3 });
  });

  test("counts what a cancelled slice was charged, or may have been, against the price of its plan", async () => {
    const { planId, ran } = await killedBackfill(12, [10, 11], [16, 17]);
    await request(ran[0], null);
    await request(ran[1], 2);
    expect(await cancelBeyondPrices(stage.db)).toEqual({ cancelled: 2, failed: 0 });
    expect(await left()).toEqual([16, 17]);
    expect(await readPlanProgress(stage.db, planId)).toMatchObject({
      open: 2,
      credits: 2,
      takenCredits: 5,
      cancelled: 2,
    });
    expect(await cancelBeyondPrices(stage.db)).toEqual({ cancelled: 0, failed: 0 });
    await cancelPlan(stage.db, planId);
    expect(await readPlanProgress(stage.db, planId)).toMatchObject({ open: 0, credits: 2, cancelled: 4 });
  });

  test("cancels what the price did not pay for while workers ran it, runs again what it does, and leaves a begun answer to a retry", async () => {
    const { planId } = await killedBackfill(12, [], [10, 16, 17, 18]);
    const shared = await stage.run({ workerId: null });
    await stage.pool.query(
      "update ops.slice set run_id = $1, queue_id = 0, state = 'deferred', error_code = 'plan_spent' where plan_id = $2",
      [shared, planId],
    );
    // of the first slice one of two pages has landed
    await stage.pool.query(
      "update ops.slice set attempt = 1, planned_requests = 2, planned_credits = 6 where window_start = '2026-08-10'",
    );
    const [first] = await stage.slices("slice_id::text as id");
    await stage.land(String(first?.["id"]));
    const take = (credits: number) =>
      stage.pool.query("update ops.plan set taken_credits = $2 where plan_id = $1", [planId, credits]);
    await take(6);
    expect(await cancelBeyondPrices(stage.db)).toEqual({ cancelled: 2, failed: 0 });
    expect(await stage.slices("state, extract(day from window_start)::int as day")).toEqual([
      { state: "pending", day: 10 },
      { state: "pending", day: 18 },
    ]);
    await stage.pool.query("update ops.slice set state = 'deferred'");
    await take(12);
    expect(await cancelBeyondPrices(stage.db)).toEqual({ cancelled: 1, failed: 1 });
    expect(await stage.slices("state, error_code")).toEqual([{ state: "failed", error_code: "plan_spent" }]);
  });

  test.each([
    ["waits for a worker", "pending", null],
    ["waited for the allowance", "deferred", "credits_exhausted"],
  ])(
    "ends what waits in the shared queue at a spent price, once its plan is named and no worker runs; its begun slice %s",
    async (_, state, code) => {
      const { planId } = await killedBackfill(12, [], [10, 16, 17, 18]);
      const shared = await stage.run({ workerId: null });
      await stage.pool.query("update ops.slice set run_id = $1, queue_id = 0 where plan_id = $2", [shared, planId]);
      await stage.pool.query("update ops.slice set state = 'deferred' where window_start = '2026-08-17'");
      // of one slice one of two pages has landed
      await stage.pool.query(
        "update ops.slice set attempt = 1, planned_requests = 2, state = $1, error_code = $2 where window_start = '2026-08-10'",
        [state, code],
      );
      const [first] = await stage.slices("slice_id::text as id");
      await stage.land(String(first?.["id"]));
      await stage.pool.query("update ops.plan set taken_credits = 12");
      const none = { cancelled: 0, failed: 0 };
      expect(await cancelBeyondPrices(stage.db)).toEqual(none);
      const worker = await stage.aliveAs("worker");
      expect(await cancelBeyondPrices(stage.db, planId)).toEqual(none);
      await worker[Symbol.asyncDispose]();
      expect(await cancelBeyondPrices(stage.db, planId)).toEqual({ cancelled: 3, failed: 1 });
      expect(await stage.slices("state, error_code")).toEqual([{ state: "failed", error_code: "plan_spent" }]);
    },
  );

  test("leaves a begun answer to a retry, too, where the backfill's own process waited for the price", async () => {
    const planId = await keepPlan(stage.db, planAt(9), now);
    const killed = await stage.dead();
    const run = await stage.run({ kind: "backfill", workerId: killed, planId });
    const [landed] = await stage.inState(run, "deferred", killed, ...days(16, 17));
    await stage.land(landed!);
    await stage.pool.query(
      "update ops.slice set planned_requests = 2, error_code = 'run_limit_spent'; update ops.plan set taken_credits = 9",
    );
    expect(await cancelBeyondPrices(stage.db, "4711")).toEqual({ cancelled: 0, failed: 0 });
    expect(await cancelBeyondPrices(stage.db, planId)).toEqual({ cancelled: 1, failed: 1 });
    expect(await stage.slices("state, error_code")).toEqual([{ state: "failed", error_code: "run_limit_spent" }]);
  });
});

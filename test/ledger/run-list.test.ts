import { describe, expect, test } from "vitest";
import { cancelPlan } from "../../src/ledger/end-stopped.ts";
import { foldedRuns, latestRuns, movedWords, type RunFilter } from "../../src/ledger/run-list.ts";
import { keepPlan } from "../../src/ledger/plans.ts";
import { monthStart } from "../../src/core/day.ts";
import { makeRequestMonths, sumUpRequests } from "../../src/ledger/past-requests.ts";
import { closeRun } from "../../src/ledger/runs.ts";
import { august, draft, ledgerForTests, now, today } from "../support/ledger-stage.ts";
import { planAt } from "../support/slice-draft.ts";

describe("the list of runs", () => {
  const ledger = ledgerForTests();

  /** A run of the schedule that has planned one slice in each of these states. */
  async function scheduled(...states: readonly ("loaded" | "failed" | "pending" | "deferred")[]): Promise<string> {
    const { stage, worker } = ledger;
    const run = await stage.run({ kind: "schedule" });
    for (const [index, state] of states.entries())
      await stage.inState(run, state, worker, draft({ dataset: `of run ${run}`, window: august(index + 1) }));
    await closeRun(stage.db, run, "planned", { now: now + 1_000 });
    return run;
  }

  test("folds the runs of the schedule that found nothing to do, between those that did something", async () => {
    const { stage } = ledger;
    const idle = [await scheduled(), await scheduled()];
    const busy = await scheduled("loaded");
    const last = await scheduled();
    const started = new Date(now);
    const fold = (first_run_id: string, last_run_id: string, run_count: number) => ({
      first_run_id,
      last_run_id,
      run_count,
      first_started_at: started,
    });
    const lines = await foldedRuns(stage.db, 10);
    expect(lines).toEqual([
      fold(last, last, 1),
      expect.objectContaining({ run_id: busy, outcome: "loaded" }),
      fold(idle[0] ?? "", idle[1] ?? "", 2),
    ]);
    expect(await foldedRuns(stage.db, 2)).toEqual(lines.slice(0, 2));
    expect(await latestRuns(stage.db, 10)).toHaveLength(4);
  });

  test("calls no run of the schedule loaded whose slices wait, are deferred or failed", async () => {
    await scheduled("loaded", "pending", "deferred", "failed");
    await scheduled("loaded", "deferred", "failed");
    await scheduled("loaded", "failed");
    await scheduled("loaded");
    await ledger.stage.run({ kind: "schedule" });
    const outcomes = (await foldedRuns(ledger.stage.db, 10)).map((line) => "outcome" in line && line.outcome);
    expect(outcomes).toEqual([null, "loaded", "failed", "deferred", "unfinished"]);
  });

  test("has as many runs with failures, or with unfinished slices, as are wanted, however old they are", async () => {
    const { stage } = ledger;
    const failed = [await scheduled("failed"), await scheduled("loaded", "failed")];
    const open = await scheduled("pending");
    for (let more = 0; more < 3; more += 1) await scheduled("loaded");
    const shown = async (filter: RunFilter) =>
      (await foldedRuns(stage.db, 2, filter)).map((line) => "run_id" in line && line.run_id);
    expect(await shown("failed")).toEqual([failed[1], failed[0]]);
    expect(await shown("open")).toEqual([open]);
  });

  test("says which runs have the slices that a run requested and that failed, and lists it among runs with failures", async () => {
    const { stage, worker } = ledger;
    const run = await stage.run({ kind: "backfill" });
    const slices = await stage.inState(run, "failed", worker, draft(), draft({ window: august(1) }));
    await stage.pool.query("update ops.run set planned_slices = 2 where run_id = $1", [run]);
    for (const slice of slices)
      await stage.pool.query(
        "insert into ops.request (account_id, slice_id, run_id, attempt, page, dataset, class, operation, params, received_at, cost, status, duration_ms, byte_count) select 'a', slice_id, run_id, 1, 0, dataset, class, operation, '{}', '2026-08-20', 0, 500, 1, 1 from ops.slice where slice_id = $1",
        [slice],
      );
    await closeRun(stage.db, run, "failed", { now: now + 1_000 });
    const retry = await stage.run({ kind: "retry" });
    await stage.pool.query("update ops.slice set run_id = $1, state = 'pending'", [retry]);
    const [, line] = await latestRuns(stage.db, 2);
    expect(line).toMatchObject({ failed_count: 0, moved: [{ runId: retry, kind: "retry", slices: 2 }] });
    expect(line && movedWords(line)).toEqual([`2 retried by run ${retry}`]);
    expect(await foldedRuns(stage.db, 10, "failed")).toMatchObject([{ run_id: run }]);
  });

  test("calls a run unrequested whose slices were all cancelled before anything was sent", async () => {
    const { stage } = ledger;
    const run = await scheduled("pending");
    await stage.pool.query("update ops.run set planned_slices = 1 where run_id = $1", [run]);
    expect(await latestRuns(stage.db, 1)).toMatchObject([{ outcome: "unfinished" }]);
    await stage.pool.query("delete from ops.slice");
    expect(await latestRuns(stage.db, 1)).toMatchObject([{ outcome: "unrequested", moved: [] }]);
  });

  test("calls a sync limited whose limit is spent, and deferred only while slices of it wait", async () => {
    const { stage, worker } = ledger;
    for (const state of ["loaded", "deferred"] as const) {
      const run = await stage.run({ maxCredits: 5 });
      await stage.inState(run, state, worker, draft({ dataset: `of run ${run}` }));
      await closeRun(stage.db, run, "deferred", { now: now + 1_000 });
    }
    expect(await latestRuns(stage.db, 2)).toMatchObject([{ outcome: "deferred" }, { outcome: "limited" }]);
  });

  test.each([
    ["limited once slices of its plan are cancelled", "loaded", "cancelled", "limited"],
    ["loaded once another run has loaded what waited", "loaded", "loaded", "loaded"],
    ["failed once another run has loaded what waited and one of its own has failed", "failed", "loaded", "failed"],
    ["deferred while slices of its plan wait in any run", "loaded", "deferred", "deferred"],
  ] as const)("calls a backfill that waited for credits %s", async (_, own, waiting, outcome) => {
    const { stage, worker } = ledger;
    const planId = await keepPlan(stage.db, planAt(5), now);
    const run = await stage.run({ kind: "backfill", maxCredits: 5, planId });
    await stage.inState(run, own, worker, draft());
    const left = draft({ window: august(1) });
    const adopted = await stage.inState(run, waiting === "cancelled" ? "deferred" : waiting, worker, left);
    await closeRun(stage.db, run, "deferred", { now: now + 1_000 });
    if (waiting === "cancelled") expect(await cancelPlan(stage.db, planId)).toMatchObject({ cancelled: 1 });
    const adopting = await stage.run({ kind: "schedule" });
    await stage.pool.query("update ops.slice set run_id = $1 where slice_id = any ($2)", [adopting, adopted]);
    expect(await latestRuns(stage.db, 2)).toMatchObject([{ run_id: adopting }, { run_id: run, outcome }]);
  });

  test("calls a backfill limited that ended after slices of its plan were cancelled, failed if one of them failed, and loaded if none were", async () => {
    const { stage, worker } = ledger;
    const backfill = async (...states: readonly ("loaded" | "failed" | "pending")[]) => {
      const planId = await keepPlan(stage.db, planAt(5), now);
      const run = await stage.run({ kind: "backfill", maxCredits: 5, planId });
      for (const [index, state] of states.entries())
        await stage.inState(run, state, worker, draft({ dataset: `of run ${run}`, window: august(index + 1) }));
      await cancelPlan(stage.db, planId);
      await closeRun(stage.db, run, "loaded", { now: now + 1_000 });
    };
    await backfill("loaded", "pending");
    await backfill("failed", "pending");
    await backfill("loaded");
    const outcomes = (await latestRuns(stage.db, 3)).map(({ outcome }) => outcome);
    expect(outcomes).toEqual(["loaded", "failed", "limited"]);
  });

  test("lets a run without a process end with its last answer, once none of its slices waits", async () => {
    const { stage } = ledger;
    await makeRequestMonths(stage.db, today);
    const run = await scheduled("loaded", "pending");
    const endedAt = async () => (await latestRuns(stage.db, 1))[0]?.ended_at;
    const answered = async (seconds: number) =>
      stage.pool.query(
        "insert into ops.request (account_id, slice_id, run_id, attempt, page, dataset, class, operation, params, received_at, cost, status, duration_ms, byte_count) select 'a', min(slice_id), run_id, 1, 0, 'd', 'daily', 'o', '{}', $2, 1, 200, 1, 1 from ops.slice where run_id = $1 group by run_id",
        [run, new Date(now + seconds * 1_000)],
      );
    await answered(5);
    expect(await endedAt()).toBeNull();
    await answered(9);
    await stage.pool.query("update ops.slice set state = 'loaded'");
    expect(await endedAt()).toEqual(new Date(now + 9_000));
    // its sums stay when its requests are dropped
    await stage.db.transaction().execute((transaction) => sumUpRequests(transaction, monthStart(today)));
    await stage.pool.query("delete from ops.request");
    expect(await endedAt()).toEqual(new Date(now + 9_000));
  });

  test("says what aborted a run", async () => {
    const { stage } = ledger;
    const run = await stage.run();
    await closeRun(stage.db, run, "aborted", { now, error: { code: "forbidden", message: "no access" } });
    expect(await latestRuns(stage.db, 1)).toMatchObject([{ outcome: "aborted", error_message: "no access" }]);
  });

  test("calls a sync unfinished whose slices were queued again since it ended", async () => {
    const { stage, worker } = ledger;
    const run = await stage.run();
    await stage.inState(run, "pending", worker, draft());
    await closeRun(stage.db, run, "loaded", { now: now + 1_000 });
    expect(await latestRuns(stage.db, 1)).toMatchObject([{ outcome: "unfinished" }]);
  });
});

import { sql } from "../../src/postgres/sql.ts";
import { describe, expect, test } from "vitest";
import { day } from "../../src/core/day.ts";
import type { Window } from "../../src/core/window.ts";
import { skipUnanswered } from "../../src/ledger/amend-slices.ts";
import { hasOpenHistory, isBeingRequested } from "../../src/ledger/open-slices.ts";
import { closeRun, readPlansAfter, runProgress, wasPlannedSince } from "../../src/ledger/runs.ts";
import { isPlanningAhead, sharedQueueOf } from "../../src/ledger/shared-queue.ts";
import { endAttempt, splitSlice } from "../../src/ledger/slices.ts";
import { cutTail } from "../../src/ledger/tails.ts";
import { land, type Landing } from "../../src/raw/store-answers.ts";
import { august, draft, ending, now, ledgerForTests, today } from "../support/ledger-stage.ts";
import { enqueue } from "../support/queue-steps.ts";

const request: Landing = {
  accountId: "account",
  sliceId: null,
  runId: null,
  attempt: 1,
  page: 0,
  dataset: "keyword_rank",
  class: "daily",
  operation: "ios_keyword_ranking",
  scope: null,
  params: {},
  status: 200,
  errorCode: null,
  cost: 3,
  remaining: null,
  durationMs: 1,
  byteCount: 2,
  workerId: null,
  receivedAt: now + 1,
  body: null,
};

describe("a run", () => {
  const ledger = ledgerForTests();

  test("is new to the forecast of its own account only, and so is its history", async () => {
    const { db } = ledger.stage;
    await enqueue(db, await ledger.stage.run({ account: "acme" }), [draft({ class: "history" })], now);
    const ofBoth = (of: (account: string) => Promise<boolean>) => Promise.all(["acme", ""].map(of));
    expect(await ofBoth((account) => wasPlannedSince(db, account, 0))).toEqual([true, false]);
    expect(await ofBoth((account) => hasOpenHistory(db, account))).toEqual([true, false]);
  });

  test("that takes over lists of its day plans after them what their runs would have planned", async () => {
    const { db, pool } = ledger.stage;
    await pool.query(
      "insert into ops.dataset (dataset, stage, is_on, is_switched_off, items_are_apps) select name, stage, true, false, false from unnest($1::text[], $2::text[]) as d (name, stage) on conflict do nothing",
      [
        ["tracked_keyword", "keyword_rank"],
        ["portfolio", "market"],
      ],
    );
    const queued = async (
      dataset: string,
      names: readonly string[],
      asOf = today,
      name: "snapshot" | "history" = "snapshot",
    ) => {
      const run = await ledger.stage.run({ kind: "schedule", datasets: names, asOf });
      const [slice] = await ledger.stage.insert(
        run,
        draft({ dataset, class: name, scope: { app: names.join(), store: "ios" } }),
      );
      return slice ?? "";
    };
    const slices = [
      await queued("tracked_keyword", ["b", "a"]),
      await queued("tracked_keyword", ["a", "c"]),
      // of the market, of an earlier day, of a backfill
      await queued("keyword_rank", ["d"]),
      await queued("tracked_keyword", ["e"], day("2026-08-19")),
      await queued("tracked_keyword", ["f"], today, "history"),
    ];
    const read = (ids: readonly string[]) => readPlansAfter(db, sql`s.slice_id = any (${[...ids]}::bigint[])`, today);
    const plansAfter = await read(slices);
    expect(plansAfter).toEqual(["a", "b", "c"]);
    const next = await ledger.stage.run({ kind: "retry", plansAfter });
    await pool.query("update ops.slice set run_id = $1 where slice_id = $2", [next, slices[0]]);
    expect(await read(slices.slice(0, 1))).toEqual(plansAfter);
  });

  test("is between two rounds for its own account only", async () => {
    const { db } = ledger.stage;
    await sharedQueueOf(db, "acme");
    const ofBoth = (of: (account: string) => Promise<boolean>) => Promise.all(["acme", ""].map(of));
    await enqueue(db, await ledger.stage.run({ account: "acme" }), [draft({ dataset: "tracked_keyword" })], now);
    const isBetween = (account: string) => isBeingRequested(db, { account, datasets: ["tracked_keyword"], now });
    expect(await ofBoth(isBetween)).toEqual([true, false]);
    const failed = async (minutes: number, tries: number) => {
      const due = new Date(now + minutes * 60_000);
      await sql`update ops.slice set state = 'failed', due_at = ${due}, later_tries = ${tries}`.execute(db);
      return isBetween("acme");
    };
    expect(await failed(120, 2)).toBe(true);
    expect(await failed(-4, 0)).toBe(true);
    // nobody makes it: its dataset is off, or nobody has agreed
    expect(await failed(-6, 0)).toBe(false);
    expect(await failed(120, 3)).toBe(false);
    expect(await failed(24 * 60, 0)).toBe(false);
    await sql`select graphile_worker.add_job('plan_due:acme', '{}'::json, job_key := 'plan_due:acme after lists')`.execute(
      db,
    );
    expect(await ofBoth((account) => isPlanningAhead(db, account))).toEqual([true, false]);
    // the job that asks is not ahead of itself
    const { rows } = await sql<{ id: string }>`select id from graphile_worker.jobs`.execute(db);
    expect(await isPlanningAhead(db, "acme", rows[0]?.id)).toBe(false);
  });

  test("notes who started it, why, and how it ended", async () => {
    const run = await ledger.stage.run({
      kind: "retry",
      workerId: ledger.worker,
      datasets: ["a", "b"],
      maxCredits: 500,
    });
    await closeRun(ledger.stage.db, run, "deferred", { now: now + 60_000 });
    const { rows } = await ledger.stage.pool.query(
      "select kind, worker_id, as_of::text, datasets, max_credits, started_at, ended_at, outcome from ops.run",
    );
    expect(rows).toEqual([
      {
        kind: "retry",
        worker_id: ledger.worker,
        as_of: today,
        datasets: ["a", "b"],
        max_credits: 500,
        started_at: new Date(now),
        ended_at: new Date(now + 60_000),
        outcome: "deferred",
      },
    ]);
  });

  test("without slices has nothing to do", async () => {
    expect(await runProgress(ledger.stage.db, await ledger.stage.run(), now)).toEqual({
      total: 0,
      open: 0,
      due: 0,
      deferred: 0,
      failed: 0,
      skipped: 0,
      requestsLeft: 0,
      nextDueAt: null,
      alongside: 0,
      credits: 0,
    });
  });

  test("counts its own slices by state", async () => {
    const run = await ledger.stage.run();
    const states = ["loaded", "empty", "skipped", "failed", "failed", "running", "pending"] as const;
    for (const [index, state] of states.entries())
      await ledger.stage.inState(run, state, ledger.worker, draft({ window: august(index + 1), requests: index }));
    await ledger.stage.inState(await ledger.stage.run(), "pending", ledger.worker, draft({ window: august(20) }));
    expect(await runProgress(ledger.stage.db, run, now)).toMatchObject({
      total: 7,
      open: 2,
      due: 2,
      deferred: 0,
      failed: 2,
      skipped: 1,
      // 5 of the running slice, 6 of the pending one
      requestsLeft: 11,
    });
  });

  test("is due again when the first of its deferred slices is, and not when none names a time", async () => {
    const run = await ledger.stage.run();
    const dues = [now + 120_000, now + 60_000, null];
    const ids = await ledger.stage.insert(run, ...dues.map((_, index) => draft({ window: august(index + 1) })));
    for (const [index, id] of ids.entries()) {
      const deferred = { ...ending, state: "deferred", dueAt: dues[index] ?? null } as const;
      await endAttempt(ledger.stage.db, await ledger.stage.claimed(id, ledger.worker), deferred, now);
    }
    expect(await runProgress(ledger.stage.db, run, now)).toMatchObject({
      open: 3,
      due: 0,
      deferred: 3,
      nextDueAt: now + 60_000,
    });
    expect(await runProgress(ledger.stage.db, run, now + 60_000)).toMatchObject({ open: 3, due: 1, deferred: 3 });
  });

  test("is never due again if its slices wait for a person, although a budget that is too small has an end", async () => {
    const run = await ledger.stage.run();
    const waits = [
      { error: { code: "budget_too_small", message: "" }, dueAt: now + 60_000 },
      { error: { code: "plan_spent", message: "" }, dueAt: null },
    ] as const;
    const ids = await ledger.stage.insert(run, ...waits.map((_, index) => draft({ window: august(index + 1) })));
    const nextDueAt = async () => (await runProgress(ledger.stage.db, run, now)).nextDueAt;
    const found: (number | null)[] = [];
    for (const [index, id] of ids.entries()) {
      const deferred = { ...ending, ...waits[index], state: "deferred" } as const;
      await endAttempt(ledger.stage.db, await ledger.stage.claimed(id, ledger.worker), deferred, now);
      found.push(await nextDueAt());
    }
    expect(found).toEqual([now + 60_000, null]);
  });

  /** A run of one planned slice about two items and some days, which is running. */
  async function ofOneList(window: Window = august(1)) {
    const { stage, worker } = ledger;
    const run = await stage.run();
    await enqueue(stage.db, run, [draft({ items: ["a", "b"], window })], now);
    return { stage, run, slice: await stage.claimed("1", worker) };
  }

  test("counts the items that an answer left out as planned: it loaded the others", async () => {
    const { stage, run, slice } = await ofOneList();
    await endAttempt(stage.db, slice, ending, now);
    await skipUnanswered(stage.db, slice, ["b"]);
    expect(await runProgress(stage.db, run, now)).toMatchObject({ total: 2, alongside: 0, open: 0, skipped: 1 });
    expect(await stage.pool.query("select planned_credits::int from ops.run")).toMatchObject({
      rows: [{ planned_credits: 3 }],
    });
  });

  test("counts nothing as planned where answers came without a plan", async () => {
    const { stage } = ledger;
    const run = await stage.run({ kind: "import" });
    const [id] = await stage.insert(run, draft({ items: ["a", "b"] }));
    await skipUnanswered(stage.db, await stage.claimed(id!, ledger.worker), ["b"]);
    expect(await runProgress(stage.db, run, now)).toMatchObject({ total: 2, alongside: 2 });
  });

  test("counts both halves of a refused slice as planned: each has its own request", async () => {
    const { stage, run, slice } = await ofOneList();
    await splitSlice(stage.db, slice, now);
    expect(await runProgress(stage.db, run, now)).toMatchObject({ total: 2, alongside: 0, open: 2 });
    expect(await stage.pool.query("select planned_credits::int from ops.run")).toMatchObject({
      rows: [{ planned_credits: 6 }],
    });
  });

  test("counts days that are not published yet as from the same answer", async () => {
    const { stage, run, slice } = await ofOneList({ start: august(1).start, end: august(3).end });
    await cutTail(stage.db, slice, { window: august(3), isLate: true }, now);
    expect(await runProgress(stage.db, run, now)).toMatchObject({ total: 2, alongside: 1 });
  });

  test("counts the credits that were spent for it, and not what others paid for slices that it took over", async () => {
    const run = await ledger.stage.run({ workerId: ledger.worker });
    const elsewhere = await ledger.stage.run();
    const [sliceId, other] = await ledger.stage.insert(run, draft(), draft({ window: august(1) }));
    await land(ledger.stage.db, { ...request, runId: elsewhere, sliceId: sliceId!, cost: 50 });
    await land(ledger.stage.db, { ...request, runId: run, sliceId: sliceId!, cost: 3 });
    await land(ledger.stage.db, { ...request, runId: run, sliceId: other!, attempt: 2, cost: 10 });
    // what another run takes over was paid for by this one all the same
    await sql`update ops.slice set run_id = ${await ledger.stage.run()} where slice_id = ${other}`.execute(
      ledger.stage.db,
    );
    expect((await runProgress(ledger.stage.db, run, now)).credits).toBe(13);
  });
});

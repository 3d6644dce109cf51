import { describe, expect, test } from "vitest";
import { endOldTries, queueTries, readDueTries } from "../../src/ledger/failed-retries.ts";
import { readPlansLeft, spentOnLaterTries } from "../../src/ledger/retry-limits.ts";
import { keepPlan } from "../../src/ledger/plans.ts";
import { endAttempt } from "../../src/ledger/slices.ts";
import { day, type Day } from "../../src/core/day.ts";
import { sql } from "../../src/postgres/sql.ts";
import { dueTriesForTests } from "../support/due-tries.ts";
import { august, draft, ending, now, today } from "../support/ledger-stage.ts";
import { planAt } from "../support/slice-draft.ts";

const hour = 3_600_000;

describe("a failed slice whose next try is due", () => {
  const { ledger, failed } = dueTriesForTests();
  const due = async (on: readonly string[] = ["keyword_rank"]) =>
    (await readDueTries(ledger.stage.db, { account: "", now, today, datasets: ["keyword_rank"], on })).map(
      ({ sliceId }) => sliceId,
    );

  test("is found when its time has come, and not before, nor when a retry cannot mend it", async () => {
    const id = await failed();
    await failed({ window: august(18) }, { dueAt: now + 1 });
    await failed({ window: august(17) }, { dueAt: null });
    expect(await due()).toEqual([id]);
  });

  test("of a dataset that is off by default and that the schedule runs is due again after each try that failed", async () => {
    const { stage, worker } = ledger;
    await stage.pool.query("update ops.dataset set is_on = false where dataset = 'keyword_rank'");
    const id = await failed();
    for (let tries = 0; tries < 2; tries += 1) {
      expect(await due([])).toEqual([id]);
      const { rows } = await stage.pool.query("select from ops.failed_slice where next_try_at is not null");
      expect(rows).toHaveLength(1);
      const runId = await stage.run({ kind: "retry" });
      const tried = await readDueTries(stage.db, { account: "", now, today, datasets: ["keyword_rank"], on: [] });
      await queueTries(stage.db, { runId, tries: tried, now });
      const error = { code: "server_error", message: "500" };
      const end = { ...ending, state: "failed", error, counts: true, dueAt: now - hour } as const;
      await endAttempt(stage.db, await stage.claimed(id, worker), end, now);
    }
    // what a person retries is left to that person
    await stage.pool.query("update ops.run set worker_id = $1 where kind = 'retry'", [await stage.dead()]);
    expect(await due([])).toEqual([]);
    expect(await stage.pool.query("select from ops.failed_slice where next_try_at is null")).toMatchObject({
      rowCount: 1,
    });
  });

  test("is left alone once it was made good, or its cell is open again", async () => {
    const { stage, worker } = ledger;
    await failed();
    await failed({ window: august(18) });
    await stage.inState(await stage.run(), "loaded", worker, draft());
    await stage.insert(await stage.run(), draft({ window: august(18) }));
    expect(await due()).toEqual([]);
  });

  test("is requested once where its cell failed more than once, and holds up no other", async () => {
    const { stage } = ledger;
    const [other] = [await failed({ window: august(18) }), await failed()];
    const newest = await failed();
    const tries = await readDueTries(stage.db, {
      account: "",
      now,
      today,
      datasets: ["keyword_rank"],
      on: ["keyword_rank"],
    });
    expect(await queueTries(stage.db, { runId: await stage.run({ kind: "retry" }), tries, now })).toBe(2);
    expect((await stage.queued()).map(({ slice }) => slice).sort()).toEqual([other, newest]);
  });

  test("is left to the foreground process that runs it, until that is over", async () => {
    const { stage } = ledger;
    await failed({}, { run: await stage.run({ workerId: await stage.alive() }) });
    const orphan = await failed({ window: august(18) }, { run: await stage.run({ workerId: await stage.dead() }) });
    expect(await due()).toEqual([orphan]);
  });

  test("of a dataset that is off is left to a person, unless the schedule or a plan began it", async () => {
    const { stage } = ledger;
    await failed({}, { run: await stage.run() });
    const scheduled = await failed({ window: august(18) });
    expect(await due([])).toEqual([scheduled]);
    expect(await readDueTries(stage.db, { account: "", now, today, datasets: [], on: [] })).toEqual([]);
  });

  test("is requested for thirty days where a sync reaches ten back, and then has no next try; a snapshot on its day alone", async () => {
    const july = (from: string, to: string) => ({
      window: { start: day(`2026-07-${from}`), end: day(`2026-07-${to}`) },
    });
    const [young] = [await failed(july("20", "22")), await failed(july("19", "21"))];
    const dataset = { class: "snapshot", scope: { store: "ios", app: "2" } } as const;
    const snapshot = await failed({ ...dataset, window: august(20) });
    await failed({ ...dataset, scope: { app: "3" }, window: august(19), asOf: august(19).start });
    expect((await due()).sort()).toEqual([young, snapshot].sort());
    await endOldTries(ledger.stage.db, today);
    expect(await ledger.stage.slices("due_at is not null as kept")).toEqual(
      [true, false, true, false].map((kept) => ({ kept })),
    );
  });

  test("has no next try any more where it is a snapshot of an earlier day, and none is left of it once the day is planned", async () => {
    const { db } = ledger.stage;
    const snapshot = { class: "snapshot", window: august(19), asOf: august(19).start } as const;
    const [old, other] = [await failed(snapshot), await failed({ window: august(18), asOf: august(19).start })];
    const seen = (on: Day) =>
      db.transaction().execute(async (transaction) => {
        await sql`select set_config('storehouse.today', ${on}, true)`.execute(transaction);
        const { rows } = await sql<{ sliceId: string }>`
          select f.slice_id as "sliceId" from ops.failed_slice as f
          join   ops.slice_status as s using (slice_id)
          join   ops.slice_log as l using (slice_id)
          where  f.next_try_at = s.due_at and s.due_at = l.due_at
          order  by 1`.execute(transaction);
        return rows.map(({ sliceId }) => sliceId);
      });
    expect(await seen(august(19).start)).toEqual([old, other]);
    expect(await seen(today)).toEqual([other]);
    const kept = () => ledger.stage.slices("due_at is not null as kept");
    await endOldTries(db, august(19).start);
    expect(await kept()).toEqual([{ kept: true }, { kept: true }]);
    await endOldTries(db, today);
    expect(await kept()).toEqual([{ kept: false }, { kept: true }]);
  });

  test("counts from then on: what its calls cost, and what an open one still takes", async () => {
    const { stage } = ledger;
    const [first, second] = [await failed(), await failed({ window: august(18) })];
    const request = (slice: string, cost: number | null, at: number) =>
      stage.pool.query(
        `insert into ops.request (account_id, slice_id, attempt, page, class, operation, params, status, error_code, cost, duration_ms, byte_count, received_at)
         values ('any', $1, 1, 0, 'daily', 'any', '{}', $2, $3, $4, 0, 0, $5)`,
        [slice, cost === null ? null : 200, cost === null ? "timeout" : null, cost ?? 0, new Date(at)],
      );
    await request(first, 3, now - hour);
    expect(await spentOnLaterTries(stage.db, now, "")).toBe(0);
    const tries = await readDueTries(stage.db, { account: "", now, today, datasets: ["keyword_rank"], on: [] });
    const runId = await stage.run({ kind: "retry" });
    expect(await queueTries(stage.db, { runId, tries, now })).toBe(2);
    expect(await stage.slices("state, due_at, failures, run_id::text, queue_id::text")).toEqual(
      [1, 2].map(() => ({ state: "pending", due_at: null, failures: 1, run_id: runId, queue_id: "0" })),
    );
    expect(await spentOnLaterTries(stage.db, now, "")).toBe(6);
    for (const id of [first, second]) {
      const slice = await stage.claimed(id, ledger.worker);
      await endAttempt(stage.db, slice, { ...ending, state: id === first ? "loaded" : "failed" }, now);
    }
    await request(first, 4, now + 1);
    await request(second, null, now + 1);
    expect(await spentOnLaterTries(stage.db, now, "")).toBe(7);
    expect(await spentOnLaterTries(stage.db, now + 24 * hour, "")).toBe(0);
  });

  test("of a plan is due within its price, less what its open slices take, for as long as its days are kept", async () => {
    const { stage } = ledger;
    const planId = await keepPlan(stage.db, planAt(9, 3), now);
    const run = await stage.run({ kind: "backfill", workerId: await stage.dead(), planId });
    const id = await failed({ window: august(1), class: "history" }, { run });
    await stage.insert(run, draft({ window: august(2), class: "history" }));
    const found = await readDueTries(stage.db, { account: "", now, today, datasets: ["keyword_rank"], on: [] });
    expect(found).toMatchObject([{ sliceId: id, planId, requests: 1, credits: 3 }]);
    expect(await readPlansLeft(stage.db, found)).toEqual(new Map([[planId, 6]]));
  });
});

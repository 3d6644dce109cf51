import { beforeEach, describe, expect, test } from "vitest";
import { sql } from "../../src/postgres/sql.ts";
import { claimNext } from "../../src/ledger/queue.ts";
import { sharedQueue, sharedQueueOf } from "../../src/ledger/shared-queue.ts";
import { adoptOrphanedSlices } from "../../src/ledger/adopt-slices.ts";
import { endAttempt } from "../../src/ledger/slices.ts";
import { august, draft, ending, now, openLedgerStage } from "../support/ledger-stage.ts";
import { claim } from "../support/queue-steps.ts";
import { forTests } from "../support/for-tests.ts";

describe("adoptOrphanedSlices", () => {
  const stage = forTests(openLedgerStage);
  let me: string;
  let mine: string;

  beforeEach(async () => {
    await stage.reset();
    me = await stage.alive();
    mine = await stage.run({ workerId: me });
  });

  const queueOf = (account: string) => sharedQueueOf(stage.db, account);
  const adopt = (mostCredits = Number.POSITIVE_INFINITY, datasets = ["keyword_rank"]) =>
    adoptOrphanedSlices(stage.db, { runId: mine, datasets, mostCredits });

  test("takes the slices of a foreground process that died, in any state", async () => {
    const killed = await stage.dead();
    const run = await stage.run({ workerId: killed });
    const open = ["running", "pending", "deferred"] as const;
    for (const [index, state] of open.entries())
      await stage.inState(run, state, killed, draft({ window: august(index + 1) }));
    expect(await adopt()).toBe(3);
    expect(await stage.slices("run_id, state, due_at")).toEqual(
      open.map(() => ({ run_id: mine, state: "pending", due_at: null })),
    );
    expect((await stage.queued()).map(({ queue }) => queue)).toEqual([me, me, me]);
  });

  test("leaves the slices of another account to its own workers, in a queue of theirs", async () => {
    const [acme, again, globex] = [await queueOf("acme"), await queueOf("acme"), await queueOf("globex")];
    expect([again, new Set([sharedQueue, acme, globex]).size, Number(acme) < 0]).toEqual([acme, 3, true]);
    await stage.insert(await stage.run({ account: "acme" }), draft());
    const killed = await stage.dead();
    await stage.insert(await stage.run({ account: "acme", workerId: killed }), draft({ window: august(2) }));
    expect(await adopt()).toBe(0);
    expect(await claimNext(stage.db, { queueId: sharedQueue, workerId: me }, { most: 9, now })).toEqual([]);
    expect(await claimNext(stage.db, { queueId: acme, workerId: me }, { most: 9, now })).toHaveLength(1);
    const next = await stage.run({ account: "acme" });
    expect(await adoptOrphanedSlices(stage.db, { runId: next, datasets: ["keyword_rank"], mostCredits: 9 })).toBe(1);
    // it shows what it runs as planned
    const { rows } = await sql`select planned_slices, planned_credits::int from ops.run where run_id = ${next}`.execute(
      stage.db,
    );
    expect(rows).toEqual([{ planned_slices: 1, planned_credits: draft().credits }]);
  });

  test("lets the attempt of a dead worker write nothing afterwards", async () => {
    const killed = await stage.dead();
    const [id] = await stage.insert(await stage.run({ workerId: killed }), draft());
    const lost = await stage.claimed(id!, killed);
    await adopt();
    expect(await endAttempt(stage.db, lost, ending, now)).toBe(false);
    expect(await claim(stage.db, id!, { queueId: me, workerId: me }, now)).toMatchObject({ attempt: 2 });
  });

  test("keeps what it took from a process that was only cut off from the database", async () => {
    const [id] = await stage.insert(await stage.run(), draft());
    const cutOff = { queueId: sharedQueue, workerId: await stage.dead() };
    await stage.claimed(id!, cutOff.workerId);
    await adopt();
    expect(await claim(stage.db, id!, cutOff, now)).toBeNull();
    expect(await stage.queued()).toEqual([{ queue: me, slice: id }]);
  });

  test("leaves the slices of a living foreground process alone", async () => {
    const busy = await stage.alive();
    const run = await stage.run({ workerId: busy });
    for (const [index, state] of (["running", "pending", "deferred"] as const).entries())
      await stage.inState(run, state, busy, draft({ window: august(index + 1) }));
    expect(await adopt()).toBe(0);
    expect((await stage.queued()).map(({ queue }) => queue)).toEqual([busy]);
  });

  test("takes from the shared queue what nobody runs now, and moves it to the own queue", async () => {
    const shared = await stage.run({ kind: "schedule" });
    const [worker, killed] = [await stage.alive(), await stage.dead()];
    await stage.inState(shared, "pending", worker, draft({ window: august(1) }));
    await stage.inState(shared, "deferred", worker, draft({ window: august(2) }));
    await stage.inState(shared, "running", worker, draft({ window: august(3) }));
    await stage.inState(shared, "running", killed, draft({ window: august(4) }));
    expect(await adopt()).toBe(3);
    expect(await stage.slices("extract(day from window_start)::int as day, run_id = " + mine + " as adopted")).toEqual([
      { day: 1, adopted: true },
      { day: 2, adopted: true },
      { day: 3, adopted: false },
      { day: 4, adopted: true },
    ]);
  });

  test("takes what ended from nobody, and nothing of another dataset", async () => {
    const run = await stage.run();
    for (const [index, state] of (["loaded", "empty", "skipped", "failed"] as const).entries())
      await stage.inState(run, state, me, draft({ window: august(index + 1) }));
    await stage.inState(run, "pending", me, draft({ dataset: "other" }));
    expect(await adopt()).toBe(0);
    expect(await adopt(Number.POSITIVE_INFINITY, ["other", "keyword_rank"])).toBe(1);
  });

  test("takes no more than the budget pays for: classes in their order, newest first", async () => {
    const run = await stage.run();
    await stage.insert(
      run,
      draft({ class: "history", window: august(18), credits: 10 }),
      draft({ class: "daily", window: august(12), credits: 3 }),
      draft({ class: "daily", window: august(13), credits: 3 }),
      draft({ class: "snapshot", window: august(1), credits: 5 }),
      draft({ class: "lookback", window: august(17), credits: 3 }),
    );
    const adopted = () => stage.slices(`class || extract(day from window_start) as slice, run_id = ${mine} as adopted`);
    expect(await adopt(4)).toBe(0);
    expect(await adopt(8)).toBe(2);
    expect((await adopted()).filter((row) => row["adopted"]).map(({ slice }) => slice)).toEqual([
      "daily13",
      "snapshot1",
    ]);
    expect(await adopt(6)).toBe(2);
    expect(await adopt(9)).toBe(0);
    expect(await adopt(10)).toBe(1);
  });

  test("takes no more than the budget pays for at the price that was learned since, if that is higher", async () => {
    await stage.pool.query(
      `insert into ops.credit_cost (operation, documented, learned, last_seen_at, last_charged) values ('learned', 3, 6, now(), 6)
       on conflict (operation) do update set learned = excluded.learned`,
    );
    const planned = { operation: "learned", requests: 1, credits: 3 };
    const run = await stage.run();
    await stage.insert(run, draft({ ...planned, window: august(1) }), draft({ ...planned, window: august(2) }));
    expect(await adopt(6)).toBe(1);
    const { rows } = await sql`select planned_credits::int from ops.run where run_id = ${mine}`.execute(stage.db);
    expect(rows).toEqual([{ planned_credits: 6 }]);
  });

  test("queues what it took in the same order", async () => {
    const run = await stage.run();
    const days = [3, 11, 7, 19, 15, 1, 2, 4, 5, 6, 8, 9];
    await stage.insert(run, ...days.map((date) => draft({ window: august(date) })));
    await adopt();
    const taken = (await stage.queued()).map(({ slice }) => days[Number(slice) - 1]);
    expect(taken).toEqual(days.toSorted((a, b) => b - a));
  });

  test("gives each slice to one of two processes that check at the same moment", async () => {
    const run = await stage.run();
    const [id] = await stage.insert(run, draft());
    const other = await stage.run({ workerId: await stage.alive() });
    // the slice is held, so that both have chosen it before either may take it
    const holder = await stage.pool.connect();
    await holder.query("begin");
    await holder.query("select from ops.slice where slice_id = $1 for update", [id]);
    const both = Promise.all([
      adopt(),
      adoptOrphanedSlices(stage.db, { runId: other, datasets: ["keyword_rank"], mostCredits: 9 }),
    ]);
    await expect.poll(() => stage.waiting()).toBe(2);
    await holder.query("commit");
    holder.release();
    expect((await both).toSorted()).toEqual([0, 1]);
  });

  test("leaves a slice to the worker that claims it at the same moment", async () => {
    const [id] = await stage.insert(await stage.run(), draft());
    const worker = await stage.alive();
    const holder = await stage.pool.connect();
    await holder.query("begin");
    await holder.query(
      "update ops.slice set state = 'running', attempt = attempt + 1, worker_id = $2 where slice_id = $1",
      [id, worker],
    );
    const adopting = adopt();
    await expect.poll(() => stage.waiting()).toBe(1);
    await holder.query("commit");
    holder.release();
    expect(await adopting).toBe(0);
    expect(await stage.slices("state, worker_id")).toEqual([{ state: "running", worker_id: worker }]);
  });
});

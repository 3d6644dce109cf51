import { sql } from "../../src/postgres/sql.ts";
import { beforeEach, describe, expect, test } from "vitest";
import { reconcile } from "../../src/ledger/reconcile.ts";
import { recordJobs, enterWorker } from "../../src/ledger/workers.ts";
import { claimNext } from "../../src/ledger/queue.ts";
import { sharedQueue } from "../../src/ledger/shared-queue.ts";
import { endAttempt } from "../../src/ledger/slices.ts";
import { openWarehouse } from "../../src/postgres/database.ts";
import { august, draft, ending, now, openLedgerStage } from "../support/ledger-stage.ts";
import { claim } from "../support/queue-steps.ts";
import { forTests } from "../support/for-tests.ts";

const minute = 60_000;

describe("a process without a heartbeat", () => {
  const stage = forTests(openLedgerStage);

  beforeEach(() => stage.reset());

  /** Makes a process that holds its lock appear as if its last heartbeat was so long ago. */
  async function silent(workerId: string, forMs: number): Promise<void> {
    await sql`update ops.worker set heartbeat_at = clock_timestamp() - ${forMs}::double precision * interval '1 millisecond'
              where worker_id = ${workerId}`.execute(stage.db);
  }

  test("is left alone while its silence is short, and is deadWorkers after that although it holds its lock", async () => {
    const frozen = await stage.alive();
    await silent(frozen, minute - 5_000);
    expect(await reconcile(stage.db, { deadAfterMs: minute })).toMatchObject({ deadWorkers: [] });
    await silent(frozen, minute + 1);
    expect(await reconcile(stage.db, { deadAfterMs: minute })).toMatchObject({ deadWorkers: [frozen] });
    expect(await reconcile(stage.db, { deadAfterMs: minute })).toMatchObject({ deadWorkers: [] });
  });

  test("loses its slices, which wait again at no failure, and cannot end or claim one when it wakes", async () => {
    const frozen = await stage.alive();
    const [id = ""] = await stage.insert(await stage.run(), draft());
    const slice = await stage.claimed(id, frozen);
    await silent(frozen, 2 * minute);
    expect(await reconcile(stage.db, { deadAfterMs: minute })).toMatchObject({ freed: 1, failed: [] });
    expect(await stage.slices("state, attempt, failures, error_code")).toEqual([
      { state: "pending", attempt: 1, failures: 0, error_code: null },
    ]);
    expect(await endAttempt(stage.db, slice, ending, now)).toBe(false);
    const taker = { queueId: sharedQueue, workerId: frozen };
    expect(await claim(stage.db, id, taker, now)).toBeNull();
    expect(await claimNext(stage.db, taker, { most: 9, now })).toEqual([]);
    expect(await claimNext(stage.db, { ...taker, workerId: await stage.alive() }, { most: 9, now })).toMatchObject([
      { sliceId: id, attempt: 2 },
    ]);
    expect(await endAttempt(stage.db, slice, ending, now)).toBe(false);
  });

  test("is notified at its next heartbeat, and re-registers under another number", async () => {
    await using worker = await enterWorker(stage.pool, { kind: "worker", account: "", clock: stage.clock });
    await silent(worker.workerId, 2 * minute);
    // over a pool of their own, as another process would: its sessions are ended as well
    await using elsewhere = await openWarehouse(stage.url, 2);
    await reconcile(elsewhere.db, { deadAfterMs: minute });
    await expect.poll(() => worker.beat().catch(() => null)).toMatchObject({ isEntered: false });
    await using anew = await enterWorker(stage.pool, { kind: "worker", account: "", clock: stage.clock });
    expect(await anew.beat()).toMatchObject({ isEntered: true });
  });

  test("has its sessions ended, so that it holds no lock of a row or of planning", async () => {
    await using frozen = await openWarehouse(stage.url, 3);
    await using worker = await enterWorker(frozen.pool, { kind: "worker", account: "", clock: stage.clock });
    const [id = ""] = await stage.insert(await stage.run(), draft());
    await stage.claimed(id, worker.workerId);
    const held = await frozen.pool.connect();
    held.on("error", () => undefined);
    await held.query("begin");
    await held.query("select from ops.slice for update");
    await silent(worker.workerId, 2 * minute);
    expect(await reconcile(stage.db, { deadAfterMs: minute })).toMatchObject({
      deadWorkers: [worker.workerId],
      freed: 0,
    });
    await expect.poll(async () => (await reconcile(stage.db, { deadAfterMs: minute })).freed).toBe(1);
    held.release(true);
  });

  test("loses the jobs that it had locked, and others keep theirs", async () => {
    const [gone, living] = [await stage.dead(), await stage.alive()];
    for (const taker of [gone, living]) {
      await recordJobs(stage.db, taker, { pool: `pool of ${taker}`, schedule: "" });
      await sql`select graphile_worker.add_job('plan_due', job_key := ${`of ${taker}`})`.execute(stage.db);
      await sql`update graphile_worker._private_jobs set locked_at = now(), locked_by = ${`pool of ${taker}`} where key = ${`of ${taker}`}`.execute(
        stage.db,
      );
    }
    expect(await reconcile(stage.db, { deadAfterMs: minute })).toMatchObject({ deadWorkers: [gone], jobs: 1 });
    const { rows } = await sql`select locked_by from graphile_worker.jobs where locked_by is not null`.execute(
      stage.db,
    );
    expect(rows).toEqual([{ locked_by: `pool of ${living}` }]);
  });

  test("is never the own one, which opens a broken connection anew and does not hold its lock meanwhile", async () => {
    const [own, gone] = [await stage.dead(), await stage.dead()];
    await stage.inState(await stage.run(), "running", own, draft());
    const found = await reconcile(stage.db, { deadAfterMs: minute, workerId: own });
    expect(found).toMatchObject({ deadWorkers: [gone], freed: 0 });
    expect(await stage.slices("state, broken_off_count")).toEqual([{ state: "running", broken_off_count: 0 }]);
  });

  test("is found by several at once as if by one", async () => {
    const gone = await stage.dead();
    await stage.inState(await stage.run(), "running", gone, draft(), draft({ window: august(18) }));
    const found = await Promise.all(Array.from({ length: 6 }, () => reconcile(stage.db, { deadAfterMs: minute })));
    expect(found.flatMap(({ deadWorkers }) => deadWorkers)).toEqual([gone]);
    expect(found.reduce((sum, { freed }) => sum + freed, 0)).toBe(2);
    expect(await stage.slices("broken_off_count")).toEqual([{ broken_off_count: 1 }, { broken_off_count: 1 }]);
  });

  test("leaves slices that were under way at any number of such ends beside others as they are; from the second on they run alone", async () => {
    const run = await stage.run();
    const ids = await stage.insert(run, draft(), draft({ window: august(18) }));
    const [rest = ""] = await stage.insert(run, draft({ window: august(17) }));
    for (const end of [1, 2, 3, 4, 5]) {
      const gone = await stage.dead();
      for (const id of ids) await stage.claimed(id, gone);
      expect(await reconcile(stage.db, { deadAfterMs: minute })).toMatchObject({ freed: 2, failed: [] });
      expect(await stage.slices("broken_off_count as ends, broken_off_alone_count as alone, due_at")).toEqual([
        { ends: end, alone: 0, due_at: null },
        { ends: end, alone: 0, due_at: null },
        { ends: 0, alone: 0, due_at: null },
      ]);
    }
    const taker = { queueId: sharedQueue, workerId: await stage.alive() };
    expect(await claimNext(stage.db, taker, { most: 9, now })).toMatchObject([{ sliceId: rest }]);
    expect((await claimNext(stage.db, taker, { most: 9, now, sort: "suspect" })).map(({ sliceId }) => sliceId)).toEqual(
      ids,
    );
  });

  test("fails a slice that ran alone at the third such end, with what to do, after a wait before the last", async () => {
    const run = await stage.run();
    const [id = ""] = await stage.insert(run, draft());
    const [other = ""] = await stage.insert(run, draft({ window: august(18) }));
    const dies = async (...running: readonly string[]) => {
      const gone = await stage.dead();
      for (const one of running) await stage.claimed(one, gone);
      return reconcile(stage.db, { deadAfterMs: minute, waitMs: 1 });
    };
    const waits = async () => (await stage.slices("due_at is not null as waits"))[0]?.["waits"];
    expect([(await dies(id)).failed, await waits()]).toEqual([[], false]);
    expect([(await dies(id, other)).failed, await waits()]).toEqual([[], false]);
    expect([(await dies(id)).failed, await waits()]).toEqual([[], true]);
    await sql`update ops.slice set due_at = null`.execute(stage.db);
    expect((await dies(id)).failed).toEqual([id]);
    expect(await stage.slices("state, error_code, due_at")).toEqual([
      { state: "failed", error_code: "process_died", due_at: null },
      { state: "pending", error_code: null, due_at: null },
    ]);
  });

  test("twenty-six kills of a worker fail no slice, although most come before anything is loaded: it waits until they are over", async () => {
    const run = await stage.run();
    await stage.insert(run, ...Array.from({ length: 20 }, (_, index) => draft({ window: august(index + 1) })));
    const claims = async (taker: { queueId: string; workerId: string }) => {
      const alone = await claimNext(stage.db, taker, { most: 1, now, sort: "suspect" });
      return alone.length > 0 ? alone : claimNext(stage.db, taker, { most: 4, now });
    };
    for (let kill = 1; kill <= 26; kill += 1) {
      const taker = { queueId: sharedQueue, workerId: await stage.dead() };
      const [first] = await claims(taker);
      // every fifth lives for long enough to load a slice
      if (kill % 5 === 0 && first !== undefined) {
        expect(await endAttempt(stage.db, first, ending, now)).toBe(true);
        await claims(taker);
      }
      expect((await reconcile(stage.db, { deadAfterMs: minute })).failed).toEqual([]);
    }
    const ends = await stage.slices("state, broken_off_alone_count as alone, due_at is not null as waits");
    expect(ends.filter(({ state }) => state === "loaded")).toHaveLength(5);
    expect(ends.some(({ alone, waits }) => alone === 2 && waits === true)).toBe(true);
    expect(ends.filter(({ state }) => !["loaded", "pending"].includes(String(state)))).toEqual([]);
  });
});

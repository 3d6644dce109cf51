import { sql } from "../../src/postgres/sql.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { jobHolder, reconcile } from "../../src/ledger/reconcile.ts";
import { claim, claimNext, sharedQueue } from "../../src/ledger/queue.ts";
import { endAttempt } from "../../src/ledger/slices.ts";
import { enterWorker } from "../../src/ledger/workers.ts";
import { openWarehouse } from "../../src/postgres/database.ts";
import { august, draft, ending, now, openLedgerStage, type LedgerStage } from "../support/ledger-stage.ts";

const minute = 60_000;

describe("a process of which nothing is heard", () => {
  let stage: LedgerStage;

  beforeAll(async () => {
    stage = await openLedgerStage();
  });
  beforeEach(() => stage.reset());
  afterAll(() => stage[Symbol.asyncDispose]());

  /** Makes a process that holds its lock appear as if its last heartbeat was so long ago. */
  async function silent(workerId: string, forMs: number): Promise<void> {
    await sql`update ops.worker set heartbeat_at = clock_timestamp() - ${forMs}::double precision * interval '1 millisecond'
              where worker_id = ${workerId}`.execute(stage.db);
  }

  test("is left alone while its silence is short, and is deadWorkers after that although it holds its lock", async () => {
    const frozen = await stage.alive();
    await silent(frozen, minute - 5_000);
    expect(await reconcile(stage.db, minute)).toMatchObject({ deadWorkers: [] });
    await silent(frozen, minute + 1);
    expect(await reconcile(stage.db, minute)).toMatchObject({ deadWorkers: [frozen] });
    expect(await reconcile(stage.db, minute)).toMatchObject({ deadWorkers: [] });
  });

  test("loses its slices, which wait again at no failure, and cannot end or claim one when it wakes", async () => {
    const frozen = await stage.alive();
    const [id = ""] = await stage.insert(await stage.run(), draft());
    const slice = await stage.claimed(id, frozen);
    await silent(frozen, 2 * minute);
    expect(await reconcile(stage.db, minute)).toMatchObject({ freed: 1, failed: [] });
    expect(await stage.slices("state, attempt, failures, error_code")).toEqual([
      { state: "pending", attempt: 1, failures: 0, error_code: null },
    ]);
    expect(await endAttempt(stage.db, slice, ending, now)).toBe(false);
    const taker = { queueId: sharedQueue, workerId: frozen };
    expect(await claim(stage.db, id, taker, now)).toBeNull();
    expect(await claimNext(stage.db, taker, 9, now)).toEqual([]);
    expect(await claimNext(stage.db, { ...taker, workerId: await stage.alive() }, 9, now)).toMatchObject([
      { sliceId: id, attempt: 2 },
    ]);
    expect(await endAttempt(stage.db, slice, ending, now)).toBe(false);
  });

  test("is notified at its next heartbeat, and re-registers under another number", async () => {
    await using worker = await enterWorker(stage.pool, "worker", stage.clock);
    await silent(worker.workerId, 2 * minute);
    // over a pool of their own, as another process would: its sessions are ended as well
    await using elsewhere = await openWarehouse(stage.url, 2);
    await reconcile(elsewhere.db, minute);
    await expect.poll(() => worker.beat().catch(() => null)).toBe(false);
    await using anew = await enterWorker(stage.pool, "worker", stage.clock);
    expect(await anew.beat()).toBe(true);
  });

  test("has its sessions ended, so that it holds no lock of a row or of planning", async () => {
    await using frozen = await openWarehouse(stage.url, 3);
    await using worker = await enterWorker(frozen.pool, "worker", stage.clock);
    const [id = ""] = await stage.insert(await stage.run(), draft());
    await stage.claimed(id, worker.workerId);
    const held = await frozen.pool.connect();
    held.on("error", () => undefined);
    await held.query("begin");
    await held.query("select from ops.slice for update");
    await silent(worker.workerId, 2 * minute);
    expect(await reconcile(stage.db, minute)).toMatchObject({ deadWorkers: [worker.workerId], freed: 0 });
    await expect.poll(async () => (await reconcile(stage.db, minute)).freed).toBe(1);
    held.release(true);
  });

  test("loses the jobs that it had locked, and others keep theirs", async () => {
    const [gone, living] = [await stage.dead(), await stage.alive()];
    for (const taker of [gone, living]) {
      await sql`select graphile_worker.add_job('plan_due', job_key := ${`of ${taker}`})`.execute(stage.db);
      await sql`update graphile_worker._private_jobs set locked_at = now(), locked_by = ${jobHolder(taker)} where key = ${`of ${taker}`}`.execute(
        stage.db,
      );
    }
    expect(await reconcile(stage.db, minute)).toMatchObject({ deadWorkers: [gone], jobs: 1 });
    const { rows } = await sql`select locked_by from graphile_worker.jobs where locked_by is not null`.execute(
      stage.db,
    );
    expect(rows).toEqual([{ locked_by: jobHolder(living) }]);
  });

  test("is found by several at once as if by one", async () => {
    const gone = await stage.dead();
    await stage.inState(await stage.run(), "running", gone, draft(), draft({ window: august(18) }));
    const found = await Promise.all(Array.from({ length: 6 }, () => reconcile(stage.db, minute)));
    expect(found.flatMap(({ deadWorkers }) => deadWorkers)).toEqual([gone]);
    expect(found.reduce((sum, { freed }) => sum + freed, 0)).toBe(2);
    expect(await stage.slices("broken_off_count")).toEqual([{ broken_off_count: 1 }, { broken_off_count: 1 }]);
  });

  test("leaves a slice that was under way at three such ends as failed, with what to do; from the second on it runs alone", async () => {
    const run = await stage.run();
    const [id = ""] = await stage.insert(run, draft());
    const [other = ""] = await stage.insert(run, draft({ window: august(18) }));
    for (const end of [1, 2]) {
      await stage.claimed(id, await stage.dead());
      expect(await reconcile(stage.db, minute)).toMatchObject({ freed: 1, failed: [] });
      expect(await stage.slices("broken_off_count")).toEqual([{ broken_off_count: end }, { broken_off_count: 0 }]);
    }
    const taker = { queueId: sharedQueue, workerId: await stage.dead() };
    expect(await claimNext(stage.db, taker, 9, now)).toMatchObject([{ sliceId: other }]);
    expect(await claimNext(stage.db, taker, 9, now, "suspect")).toMatchObject([{ sliceId: id }]);
    await endAttempt(stage.db, { ...(await stage.claimed(other, taker.workerId)) }, ending, now);
    expect(await reconcile(stage.db, minute)).toMatchObject({ freed: 0, failed: [id] });
    expect(await stage.slices("state, error_code")).toEqual([
      { state: "failed", error_code: "process_died" },
      { state: "loaded", error_code: null },
    ]);
  });
});

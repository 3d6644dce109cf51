import { fork } from "node:child_process";
import { once } from "node:events";
import { sql } from "../../src/postgres/sql.ts";
import { beforeEach, describe, expect, test } from "vitest";
import { reconcile } from "../../src/ledger/reconcile.ts";
import { enterWorker } from "../../src/ledger/workers.ts";
import { adoptOrphanedSlices } from "../../src/ledger/adopt-slices.ts";
import { openWarehouse } from "../../src/postgres/database.ts";
import { freshDatabase } from "../support/database.ts";
import { draft, openLedgerStage, type LedgerStage } from "../support/ledger-stage.ts";
import { forTests } from "../support/for-tests.ts";

describe("a worker in the ledger", () => {
  const stage = forTests(openLedgerStage);

  beforeEach(async () => {
    await stage.reset();
  });

  async function workers() {
    const { rows } = await sql<{ pid: number; heartbeat_at: Date; stopped_at: Date | null }>`
      select pid, heartbeat_at, stopped_at from ops.worker order by worker_id`.execute(stage.db);
    return rows;
  }

  async function locks() {
    const { rows } = await sql`
      select from pg_locks join pg_database on oid = database
      where  locktype = 'advisory' and granted and datname = current_database()`.execute(stage.db);
    return rows;
  }

  /** Numbers of the processes that are found dead now, however recently they were heard of. */
  async function foundDead(): Promise<readonly string[]> {
    return (await reconcile(stage.db, { deadAfterMs: 60_000 })).deadWorkers;
  }

  test("is found dead at once when its process is killed, and its slices are free", async () => {
    const child = fork(new URL("../support/ledger-worker.ts", import.meta.url), [stage.url]);
    const [workerId] = (await once(child, "message")) as [string];
    await stage.inState(await stage.run({ workerId }), "running", workerId, draft());
    const mine = { runId: await stage.run(), datasets: ["keyword_rank"], mostCredits: 99 };
    expect(await foundDead()).toEqual([]);
    expect(await adoptOrphanedSlices(stage.db, mine)).toBe(0);
    child.kill("SIGKILL");
    await once(child, "exit");
    await expect.poll(() => foundDead()).toEqual([workerId]);
    expect(await stage.slices("state, attempt, failures")).toEqual([{ state: "pending", attempt: 1, failures: 0 }]);
    expect(await adoptOrphanedSlices(stage.db, mine)).toBe(1);
    expect(await workers()).toMatchObject([{ pid: child.pid, stopped_at: expect.any(Date) }]);
  });

  test("is noted once as dead", async () => {
    const gone = await stage.dead();
    expect(await foundDead()).toEqual([gone]);
    expect(await foundDead()).toEqual([]);
  });

  test("says that it lives, and when it leaves", async () => {
    const worker = await enterWorker(stage.pool, { kind: "worker", account: "", clock: stage.clock });
    const [entered] = await workers();
    expect(await worker.beat()).toEqual({ isEntered: true, answer: null });
    const [beaten] = await workers();
    expect(beaten).toEqual({ pid: process.pid, heartbeat_at: expect.any(Date), stopped_at: null });
    expect(beaten?.heartbeat_at.getTime()).toBeGreaterThan(entered?.heartbeat_at.getTime() ?? Number.NaN);
    await worker[Symbol.asyncDispose]();
    expect(await workers()).toMatchObject([{ stopped_at: expect.any(Date) }]);
    expect(await locks()).toEqual([]);
    expect(await foundDead()).toEqual([]);
  });

  test("is not taken for alive because one of the same number lives in another database", async () => {
    await using elsewhere = await freshDatabase();
    await using other = await openWarehouse(elsewhere.url, 2);
    await using neighbour = await enterWorker(other.pool, { kind: "foreground", account: "", clock: stage.clock });
    const gone = await stage.dead();
    expect(gone).toBe(neighbour.workerId);
    expect(await foundDead()).toEqual([gone]);
  });

  test("takes its lock again when the connection breaks, and is not declared dead after that", async () => {
    await using worker = await enterWorker(stage.pool, { kind: "foreground", account: "", clock: stage.clock });
    await cutLock(stage);
    await expect.poll(async () => (await locks()).length).toBe(1);
    expect(await foundDead()).toEqual([]);
    await worker.beat();
    expect(await workers()).toMatchObject([{ stopped_at: null }]);
  });

  test("leaves in peace after its connection broke, and gives its place in the pool back", async () => {
    await using warehouse = await openWarehouse(stage.url, 1);
    const worker = await enterWorker(warehouse.pool, { kind: "foreground", account: "", clock: stage.clock });
    await cutLock(stage);
    await worker[Symbol.asyncDispose]();
    expect((await warehouse.pool.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
    await expect.poll(locks).toEqual([]);
  });

  test("gives its place in the pool back when it cannot be entered", async () => {
    await using warehouse = await openWarehouse(stage.url, 1);
    await stage.pool.query("alter table ops.worker add constraint none check (false)");
    await expect(
      enterWorker(warehouse.pool, { kind: "foreground", account: "", clock: stage.clock }),
    ).rejects.toMatchObject({
      code: "23514",
    });
    await stage.pool.query("alter table ops.worker drop constraint none");
    expect((await warehouse.pool.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
  });

  test("is never seen without its lock, however many processes check while others register", async () => {
    const entered = Array.from({ length: 4 }, () => stage.alive());
    const found = Array.from({ length: 20 }, () => foundDead());
    await Promise.all(entered);
    expect((await Promise.all(found)).flat()).toEqual([]);
  });
});

/** Ends the connections that hold a worker's lock in the test's database, as a network or an administrator would. */
async function cutLock(stage: LedgerStage): Promise<void> {
  const ended = sql<{ ended: boolean }>`
    select pg_terminate_backend(pid, 10000) as ended from pg_locks as l join pg_database as d on d.oid = l.database
    where  l.locktype = 'advisory' and d.datname = current_database()`;
  expect((await ended.execute(stage.db)).rows).toEqual([{ ended: true }]);
}

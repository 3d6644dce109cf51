import { setTimeout } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { sql } from "../../src/postgres/sql.ts";
import { openWarehouse, type Database } from "../../src/postgres/database.ts";
import { lockNamed, lockNumbers, withAdvisoryLock, withLocks } from "../../src/postgres/advisory-lock.ts";
import { freshDatabase } from "../support/database.ts";

describe("a lock of a session", () => {
  test("lets one planner at a time work, of several processes with pools of their own", async () => {
    await using database = await freshDatabase();
    await using one = await openWarehouse(database.url, 2);
    await using two = await openWarehouse(database.url, 2);
    await one.pool.query("create table public.plan (cell integer)");
    // each sees what is missing and writes it: without the lock they would see the same
    const plan = (db: typeof one.db) =>
      withAdvisoryLock(db, "keywords", async (own) => {
        const { rows } = await sql<{ next: number }>`select count(*)::int as next from public.plan`.execute(own);
        await sql`select pg_sleep(0)`.execute(own);
        await sql`insert into public.plan values (${rows[0]?.next})`.execute(own);
      });
    await Promise.all([one, two, one, two, one, two].map(({ db }) => plan(db)));
    const { rows } = await one.pool.query("select cell from public.plan order by cell");
    expect(rows.map(({ cell }: { cell: number }) => cell)).toEqual([0, 1, 2, 3, 4, 5]);
  });

  test("starves nobody of connections when more planners wait than the pool has", async () => {
    await using database = await freshDatabase();
    await using warehouse = await openWarehouse(database.url, 2);
    const planners = Array.from({ length: 6 }, (_, index) =>
      withAdvisoryLock(warehouse.db, "keywords", (own) =>
        own.transaction().execute(async (transaction) => {
          await sql`select 1`.execute(transaction);
          return index;
        }),
      ),
    );
    expect(await Promise.all(planners)).toEqual([0, 1, 2, 3, 4, 5]);
  });

  test("is waited for beyond the time after which a statement without a reply counts as a lost connection", async () => {
    await using database = await freshDatabase();
    await using one = await openWarehouse(database.url, 2);
    await using two = await openWarehouse(database.url, 2, { timeoutMs: 3_000 });
    const begun = Promise.withResolvers<void>();
    const held = withAdvisoryLock(one.db, "migrate", async () => {
      begun.resolve();
      await setTimeout(4_500);
      return "first";
    });
    await begun.promise;
    expect(await withAdvisoryLock(two.db, "migrate", async () => "second")).toBe("second");
    expect(await held).toBe("first");
  });

  test("is not waited for after a stop, and taken if it is free", async () => {
    await using database = await freshDatabase();
    await using warehouse = await openWarehouse(database.url, 3);
    const stop = new AbortController();
    const change = () =>
      withAdvisoryLock(warehouse.db, { name: "keywords", signal: stop.signal }, async () => "changed");
    await withAdvisoryLock(warehouse.db, "keywords", async () => {
      const changing = change();
      stop.abort(new Error("the process stops"));
      await expect(changing).rejects.toThrow("the process stops");
      await expect(change()).rejects.toThrow("the process stops");
    });
    expect(await change()).toBe("changed");
  });

  test("is free again after a planner failed", async () => {
    await using database = await freshDatabase();
    await using warehouse = await openWarehouse(database.url, 2);
    await expect(
      withAdvisoryLock(warehouse.db, "keywords", () => Promise.reject(new Error("no plan"))),
    ).rejects.toThrow("no plan");
    expect(await withAdvisoryLock(warehouse.db, "keywords", async () => "planned")).toBe("planned");
    const { rows } = await warehouse.pool.query(
      "select from pg_locks join pg_database on oid = database where locktype = 'advisory' and datname = current_database()",
    );
    expect(rows).toHaveLength(0);
  });
});

describe("locks that a transaction begins with", () => {
  const ofReplay = (mode: "shared" | "exclusive") => (transaction: Database) =>
    lockNamed(transaction, "replay", { of: ["review"], mode });

  test("are waited for beyond the time after which a statement without a reply counts as a lost connection", async () => {
    await using database = await freshDatabase();
    await using one = await openWarehouse(database.url, 2);
    await using two = await openWarehouse(database.url, 2, { timeoutMs: 3_000 });
    const begun = Promise.withResolvers<void>();
    const held = withLocks(one.db, { take: ofReplay("exclusive") }, async () => {
      begun.resolve();
      await setTimeout(4_500);
      return "first";
    });
    await begun.promise;
    expect(await withLocks(two.db, { take: ofReplay("shared") }, async () => "second")).toBe("second");
    expect(await held).toBe("first");
  });

  test("are not waited for after a stop, and taken if they are free", async () => {
    await using database = await freshDatabase();
    await using warehouse = await openWarehouse(database.url, 3);
    const stop = new AbortController();
    const share = () =>
      withLocks(warehouse.db, { take: ofReplay("shared"), signal: stop.signal }, async () => "shared");
    await withLocks(warehouse.db, { take: ofReplay("exclusive") }, async () => {
      const sharing = share();
      stop.abort(new Error("the process stops"));
      await expect(sharing).rejects.toThrow("the process stops");
    });
    expect(await share()).toBe("shared");
  });

  test("limit no wait of the work, whose errors are not taken for theirs", async () => {
    await using database = await freshDatabase();
    await using warehouse = await openWarehouse(database.url, 2);
    let tries = 0;
    const working = withLocks(warehouse.db, { take: ofReplay("shared") }, async (transaction) => {
      tries += 1;
      const { rows } = await sql`select current_setting('lock_timeout') as limit`.execute(transaction);
      expect(rows).toEqual([{ limit: "0" }]);
      await sql`do $$ begin raise exception using errcode = 'lock_not_available'; end $$`.execute(transaction);
    });
    await expect(working).rejects.toMatchObject({ code: "55P03" });
    expect(tries).toBe(1);
  });
});

describe("numbered locks of a transaction", () => {
  test("keep out each caller that wants one of the same numbers until the end, and no other", async () => {
    await using database = await freshDatabase();
    await using warehouse = await openWarehouse(database.url, 4);
    const order: string[] = [];
    const plan = (name: string, numbers: readonly number[], work: () => Promise<unknown> = async () => undefined) =>
      warehouse.db.transaction().execute(async (transaction) => {
        await lockNumbers(transaction, "planning", numbers);
        order.push(name);
        await work();
      });
    let waits: Promise<void> | undefined;
    await plan("first", [1, 3], async () => {
      waits = plan("second", [2, 3]);
      await plan("beside", [4, 5]);
      const blocked = "select from pg_locks where locktype = 'advisory' and not granted";
      while ((await warehouse.pool.query(blocked)).rows.length === 0);
      order.push("first ends");
    });
    await waits;
    expect(order).toEqual(["first", "beside", "first ends", "second"]);
  });
});

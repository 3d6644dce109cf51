import { sql } from "../../src/postgres/sql.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { day } from "../../src/core/day.ts";
import { keywordRank } from "../../src/datasets/keyword-rank.ts";
import type { Database } from "../../src/postgres/database.ts";
import { createDimensions } from "../../src/load/dimensions.ts";
import { prepareLoad, runLoads } from "../../src/load/load.ts";
import { monthsBefore } from "../../src/load/old-months.ts";
import { createPartitions } from "../../src/load/partitions.ts";
import type { Load } from "../../src/load/ready-load.ts";
import type { Table } from "../../src/load/table.ts";
import { until } from "../support/ingest-stage.ts";
import { long } from "../support/long.ts";
import { openWarehouseStage, type WarehouseStage } from "../support/warehouse-stage.ts";

const [ranks] = keywordRank.tables as readonly [Table];

describe("partitions", () => {
  let stage: WarehouseStage;

  beforeEach(async () => {
    stage = await openWarehouseStage(12);
  });

  afterEach(() => stage[Symbol.asyncDispose]());

  function rank(date_day: string, value: number) {
    const cell = { app_key: "ios:1", date_day, country_key: "US", keyword_key: "habit", device_key: "IPAD" };
    return { ...cell, rank: value, observed_at: null };
  }

  /** Leaves of the table by name, with their bounds. */
  async function leaves(): Promise<readonly unknown[]> {
    const { rows } = await sql<{ leaf: string; bounds: string }>`
      select c.oid::regclass::text as leaf, pg_get_expr(c.relpartbound, c.oid) as bounds
      from   pg_inherits as i join pg_class as c on c.oid = i.inhrelid
      where  i.inhparent = ${ranks.name}::regclass order by 1`.execute(stage.db);
    return rows.map(({ leaf, bounds }) => `${leaf} ${bounds}`);
  }

  test("are made when a day first needs them, forwards, backwards and over the turn of a year", async () => {
    const days = ["2026-01-15", "2026-01-31", "2026-02-01", "2025-12-31", "2028-02-29"];
    await stage.load({ table: ranks, rows: days.map(rank) });
    expect(await leaves()).toEqual([
      "parts.fact_keyword_rank_2025_12 FOR VALUES FROM ('2025-12-01') TO ('2026-01-01')",
      "parts.fact_keyword_rank_2026_01 FOR VALUES FROM ('2026-01-01') TO ('2026-02-01')",
      "parts.fact_keyword_rank_2026_02 FOR VALUES FROM ('2026-02-01') TO ('2026-03-01')",
      "parts.fact_keyword_rank_2028_02 FOR VALUES FROM ('2028-02-01') TO ('2028-03-01')",
    ]);
    expect(await stage.rows(ranks, "date_day, rank")).toHaveLength(5);
  });

  test("reach from the opening of the stores to years ahead, with two loaders at once, without overlap or a month for the rest", async () => {
    const far = ["2008-07-10", "2019-12-31", "2020-01-01", "2026-08-20", "2040-02-29", "2049-12-31"];
    await Promise.all([
      stage.load({ table: ranks, rows: far.map(rank) }),
      stage.load({ table: ranks, rows: far.toReversed().map((text) => ({ ...rank(text, 1), country_key: "JP" })) }),
    ]);
    expect(await stage.rows(ranks, "date_day, rank")).toHaveLength(2 * far.length);
    expect(await leaves()).toHaveLength(far.length);
    const { rows } =
      await sql`select from pg_partitioned_table where partdefid <> 0 and partrelid = 'core.fact_keyword_rank'::regclass`.execute(
        stage.db,
      );
    expect(rows).toEqual([]);
  });

  test("that another process made meanwhile keep the sums of their days", async () => {
    const early = createPartitions(stage.db);
    await early.cover(ranks, [day("2026-01-15")]);
    await stage.load({ table: ranks, rows: [rank("2026-02-01", 3)] });
    await early.cover(ranks, [day("2026-02-01")]);
    const { rows } = await sql`select from core.fact_keyword_rank_summary`.execute(stage.db);
    expect(rows).toHaveLength(1);
  });

  test("are of a day where the table is set so; a month stays as it was begun, there and back again", async () => {
    const byDay = (...days: readonly string[]) =>
      createPartitions(stage.db, new Set([ranks.name])).cover(
        ranks,
        days.map((text) => day(text)),
      );
    const load = (...days: readonly string[]) => stage.load({ table: ranks, rows: days.map((text) => rank(text, 1)) });
    await load("2026-01-15");
    await byDay("2026-01-20", "2026-02-03", "2026-02-28");
    await load("2026-01-20", "2026-02-03", "2026-02-28");
    // the setting is taken back
    await load("2026-02-10", "2026-03-01");
    expect(await leaves()).toEqual([
      "parts.fact_keyword_rank_2026_01 FOR VALUES FROM ('2026-01-01') TO ('2026-02-01')",
      "parts.fact_keyword_rank_2026_02_03 FOR VALUES FROM ('2026-02-03') TO ('2026-02-04')",
      "parts.fact_keyword_rank_2026_02_10 FOR VALUES FROM ('2026-02-10') TO ('2026-02-11')",
      "parts.fact_keyword_rank_2026_02_28 FOR VALUES FROM ('2026-02-28') TO ('2026-03-01')",
      "parts.fact_keyword_rank_2026_03 FOR VALUES FROM ('2026-03-01') TO ('2026-04-01')",
    ]);
    expect((await stage.rows(ranks, "date_day, rank")).map((row) => row["date_day"])).toEqual([
      "2026-01-15",
      "2026-01-20",
      "2026-02-03",
      "2026-02-10",
      "2026-02-28",
      "2026-03-01",
    ]);
    expect(await monthsBefore(stage.db, ranks.name, day("2026-03-01"))).toMatchObject([
      { month: "2026-01-01", rows: 2 },
      { month: "2026-02-01", rows: 3 },
    ]);
  });

  test("that are there when a process begins are known without a query for each", async () => {
    await stage.load({ table: ranks, rows: [rank("2026-01-15", 1)] });
    await createPartitions(stage.db, new Set([ranks.name])).cover(ranks, [day("2026-02-03")]);
    const client = await stage.pool.connect();
    try {
      // who makes one of these months waits for this lock
      for (const month of ["2026_01", "2026_02"])
        await client.query("select pg_advisory_lock(hashtext('storehouse partition fact_keyword_rank_' || $1))", [
          month,
        ]);
      await createPartitions(stage.db).cover(ranks, [day("2026-01-20"), day("2026-02-03")]);
    } finally {
      client.release(true);
    }
    expect(await leaves()).toHaveLength(2);
  });

  test("that were dropped since a process began are made again once it forgets what it knew", async () => {
    await stage.load({ table: ranks, rows: [rank("2026-01-15", 1), rank("2026-02-15", 1)] });
    const partitions = createPartitions(stage.db);
    await partitions.cover(ranks, [day("2026-01-15")]);
    await sql`drop table parts.fact_keyword_rank_2026_02`.execute(stage.db);
    partitions.forget();
    await partitions.cover(ranks, [day("2026-02-15")]);
    expect(await leaves()).toHaveLength(2);
  });

  test("carry the key of the table, so that a second load of a row changes it", async () => {
    await stage.load({ table: ranks, rows: [rank("2026-01-15", 1)], at: 1_000 });
    await stage.load({ table: ranks, rows: [rank("2026-01-15", 2)], at: 2_000 });
    expect(await stage.rows(ranks, "date_day, rank")).toEqual([{ date_day: "2026-01-15", rank: 2 }]);
    const { rows } = await sql`
      select from pg_index where indrelid = 'parts.fact_keyword_rank_2026_01'::regclass and indisprimary`.execute(
      stage.db,
    );
    expect(rows).toHaveLength(1);
  });

  test("may be wanted by many workers at the same moment", async () => {
    const days = ["2026-03-01", "2026-04-01", "2026-05-01"].map((text) => day(text));
    const orders = [days, days.toReversed(), [...days.slice(1), ...days.slice(0, 1)], days];
    await Promise.all(orders.map(async (wanted) => createPartitions(stage.db).cover(ranks, wanted)));
    expect(await leaves()).toHaveLength(3);
  });

  /** Resolves when a session waits for the lock under which partitions are made. */
  const waited = () =>
    until(async () => {
      const { rows } = await sql`select from pg_locks where locktype = 'advisory' and not granted`.execute(stage.db);
      return rows.length > 0;
    });

  test("are made by one statement, however many loads of a process want them at once", async () => {
    const holder = await stage.pool.connect();
    try {
      await holder.query("select pg_advisory_lock(hashtext('storehouse partition fact_keyword_rank_2026_03'))");
      const partitions = createPartitions(stage.db);
      const covering = ["01", "02", "03"].map((date) => partitions.cover(ranks, [day(`2026-03-${date}`)]));
      await waited();
      const { totalCount, idleCount, waitingCount } = stage.pool;
      // beside the one that holds the lock
      expect(totalCount - idleCount - 1 + waitingCount).toBe(1);
      await holder.query("select pg_advisory_unlock_all()");
      for (const one of covering) await one;
    } finally {
      holder.release(true);
    }
    expect(await leaves()).toHaveLength(1);
  });

  test("are made beside a load that is under way", async () => {
    await stage.load({ table: ranks, rows: [rank("2026-03-01", 1)] });
    await stage.db.transaction().execute(async (transaction) => {
      await sql`update core.fact_keyword_rank set rank = 7`.execute(transaction);
      await createPartitions(stage.db).cover(ranks, [day("2026-04-01")]);
    });
    expect(await leaves()).toHaveLength(2);
  });

  test("go into the archive as often as they are made again, of every fact and with long names of indexes", async () => {
    const often = long ? 3 : 2;
    const { rows: facts } = await stage.pool.query<{ name: string }>(
      "select 'core.' || relname as name from pg_class where relnamespace = 'core'::regnamespace and relkind = 'p' order by 1",
    );
    for (const { name } of facts)
      for (const [first, byDay] of [
        ["2026-05-01", false],
        ["2026-06-01", true],
      ] as const)
        for (let times = 0; times < often; times += 1) {
          await stage.pool.query("select ops.make_partition($1::regclass, $2, $3)", [name, first, byDay]);
          await stage.pool.query(
            `insert into ops.dropped_month values ('a', $1, $2, 'detach', 0, 0, current_user, now(), false) on conflict do nothing`,
            [name, first],
          );
          await stage.pool.query("select ops.remove_month($1::regclass, $2, true)", [name, first]);
        }
    const { rows } = await stage.pool.query<{ count: number }>(
      "select count(*)::int as count from pg_class where relnamespace = 'archive'::regnamespace and relkind = 'r'",
    );
    expect(rows).toEqual([{ count: facts.length * 2 * often }]);
  });

  test("are searched by key, and only where the rows belong", async () => {
    await stage.load({ table: ranks, rows: ["2026-03-01", "2026-04-01", "2026-05-01"].map(rank), at: 1_000 });
    const dimensions = createDimensions(stage.db);
    const rows = [rank("2026-04-01", 9)];
    const load: Load = {
      table: ranks,
      rows,
      sliceId: "1",
      fetchedAt: 2_000,
      day: day("2026-04-01"),
      scope: {},
      complete: true,
    };
    const ready = await prepareLoad(load, dimensions, createPartitions(stage.db));
    const reads = await stage.db.transaction().execute(async (transaction) => {
      // as the commit of a slice sets it, so that a small or unknown partition is not read whole
      await sql`select set_config('enable_seqscan', 'off', true)`.execute(transaction);
      const before = await readsOfLeaves(transaction);
      await runLoads(transaction, [ready], dimensions);
      const after = await readsOfLeaves(transaction);
      return after.map(({ leaf, whole, keyed }, index) => ({
        leaf,
        whole: whole - (before[index]?.whole ?? 0),
        keyed: keyed - (before[index]?.keyed ?? 0),
      }));
    });
    expect(reads).toEqual([
      { leaf: "fact_keyword_rank_2026_03", whole: 0, keyed: 0 },
      // once for whether there is anything yet, once for what its sums will move by, once to merge
      { leaf: "fact_keyword_rank_2026_04", whole: 0, keyed: 3 },
      { leaf: "fact_keyword_rank_2026_05", whole: 0, keyed: 0 },
    ]);
  });
});

/** How often this connection has read each leaf whole and by key. */
async function readsOfLeaves(db: Database) {
  const { rows } = await sql<{ leaf: string; whole: number; keyed: number }>`
    select relname as leaf, seq_scan::int as whole, idx_scan::int as keyed
    from   pg_stat_xact_user_tables where schemaname = 'parts' and relname ^@ 'fact_' order by 1`.execute(db);
  return rows;
}

import { beforeAll, expect, test } from "vitest";
import { day } from "../../src/core/day.ts";
import { keywordRank } from "../../src/datasets/keyword-rank.ts";
import { createDimensions } from "../../src/load/dimensions.ts";
import { prepareLoad, runLoads } from "../../src/load/load.ts";
import { createPartitions } from "../../src/load/partitions.ts";
import type { Load } from "../../src/load/ready-load.ts";
import { defineTable, type Table } from "../../src/load/table.ts";
import type { Database } from "../../src/postgres/database.ts";
import { findByKey } from "../../src/postgres/plan-hints.ts";
import { sql } from "../../src/postgres/sql.ts";
import { openWarehouseStage } from "../support/warehouse-stage.ts";
import { forTests } from "../support/for-tests.ts";

/*
 * Statistics say that a table is empty where autovacuum came by while a long transaction, a replay, was filling it. Its statements are
 * not to read the table whole for each row or slice then.
 */

const plain = defineTable({
  name: "core.fact_rank_of",
  columns: { app_key: "app", date_day: "day", keyword_key: "keyword", rank: "int" },
  key: ["app_key", "date_day", "keyword_key"],
  load: { kind: "upsert" },
  partitioned: true,
});
const restated = defineTable({
  ...plain,
  name: "core.fact_restated_rank_of",
  restated: true,
  figures: { values: ["rank"], amounts: ["rank"] },
});
const replaced = defineTable({
  ...plain,
  name: "core.fact_list_of",
  load: { kind: "replace", scope: ["app_key", "date_day"] },
});

const stage = forTests(openWarehouseStage);
beforeAll(async () => {
  for (const table of [plain, restated, replaced]) await stage.create(table);
});

const rowsOfMonth = 3_000;
const month = Array.from({ length: 30 }, (_, index) => `2026-08-${String(index + 1).padStart(2, "0")}`);

/** A hundred ranks of a day. */
function loadOf(table: Table, date: string, plus: number): Load {
  const fixed = { app_key: "ios:1", date_day: date, country_key: "US", device_key: "IPHONE", observed_at: null };
  const rows = Array.from({ length: rowsOfMonth / month.length }, (_, index) => ({
    ...Object.fromEntries(Object.entries(fixed).filter(([column]) => column in table.columns)),
    keyword_key: `word ${index}`,
    rank: index + plus,
  }));
  const scope = { app_key: "ios:1", date_day: date };
  return { table, rows, sliceId: "1", fetchedAt: 1_000 + plus, day: day(date), scope, complete: true };
}

const [ranks] = keywordRank.tables;
const tables = [ranks as Table, plain, restated, replaced];

test.each(tables.map((table) => [table.name, table] as const))("%s", async (_, table) => {
  const partitions = createPartitions(stage.db);
  const [first = "", ...later] = month;
  await load(table, partitions, month.slice(0, 15), 1);
  await sql`
    update pg_catalog.pg_class set reltuples = 0, relpages = pg_catalog.pg_relation_size(oid) / 8192
    where  oid in (select relid from pg_catalog.pg_partition_tree(${table.name}::regclass) where isleaf)`.execute(
    stage.db,
  );
  // new days, then days of which each rank has changed
  expect(await load(table, partitions, later.slice(14), 1)).toBeLessThan(1_000);
  expect(await load(table, partitions, [first, ...later.slice(0, 4)], 2)).toBeLessThan(rowsOfMonth);
  const { rows } = await sql`
    select count(*)::int as rows, count(*) filter (where fetched_at = to_timestamp(1.002))::int as changed from ${sql.ref(table.name)}`.execute(
    stage.db,
  );
  expect(rows).toEqual([{ rows: rowsOfMonth, changed: 500 }]);
});

/** Loads days together; returns how many entries of the table's indexes were read. */
async function load(
  table: Table,
  partitions: ReturnType<typeof createPartitions>,
  days: readonly string[],
  plus: number,
): Promise<number> {
  const dimensions = createDimensions(stage.db);
  const ready = await Promise.all(days.map((date) => prepareLoad(loadOf(table, date, plus), dimensions, partitions)));
  return stage.db.transaction().execute(async (transaction) => {
    await findByKey(transaction);
    const before = await entriesRead(transaction, table);
    await runLoads(transaction, ready, dimensions);
    return (await entriesRead(transaction, table)) - before;
  });
}

async function entriesRead(transaction: Database, table: Table): Promise<number> {
  const { rows } = await sql<{ read: number }>`
    select sum(pg_catalog.pg_stat_get_xact_tuples_returned(i.indexrelid))::integer as read
    from   pg_catalog.pg_partition_tree(${table.name}::regclass) as t
    join   pg_catalog.pg_index as i on i.indrelid = t.relid
    where  t.isleaf`.execute(transaction);
  return rows[0]?.read ?? 0;
}

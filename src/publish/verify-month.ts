import pg from "pg";
import type { Config } from "../config/config.ts";
import { addMonths, type Day } from "../core/day.ts";
import { from } from "../export/parts-of-table.ts";
import type { Warehouse } from "../postgres/database.ts";
import { readRelations, type Relation } from "../postgres/relations.ts";
import { openClickHouse, type ClickHouse } from "./clickhouse.ts";
import { literal, monthOf, partitionOf, quoted } from "./statements.ts";
import { differenceIn, sumsInClickHouse, sumsInPostgres } from "./sums.ts";

/** True if ClickHouse has the same rows of a month of a table, by their sums, or if the table is not published. */
export type IsPublished = (month: { readonly table: string; readonly month: Day }) => Promise<boolean>;

/**
 * Does work that may remove months, with a check that they are published, or without one if no ClickHouse is configured. Throws
 * `clickhouse_refused`, `clickhouse_failed` or `clickhouse_unavailable` if it does not answer: nothing is then removed.
 */
export async function withPublishedCheck<T>(
  { db, pool }: Warehouse,
  config: Pick<Config, "environment">,
  work: (isPublished: IsPublished | undefined) => Promise<T>,
): Promise<T> {
  if (config.environment.CLICKHOUSE_URL === undefined) return work(undefined);
  await using clickHouse = openClickHouse(config);
  const relations = await readRelations(db);
  return await work(async ({ table, month }) => {
    const relation = relations.find(({ name }) => name === table);
    return relation === undefined || (await isSame({ pool, clickHouse }, relation, month));
  });
}

async function isSame(
  { pool, clickHouse }: Pick<Warehouse, "pool"> & { readonly clickHouse: ClickHouse },
  relation: Relation,
  month: Day,
): Promise<boolean> {
  const column = monthOf(relation);
  const found = await clickHouse.ask<{ name: string }>(
    `select name from system.tables where database = ${literal(relation.schema)} and name = ${literal(relation.table)}`,
  );
  if (column === null || found.length === 0) return false;
  const [start, end] = [month, addMonths(month, 1)];
  const [ours, theirs] = [pg.escapeIdentifier(column.name), quoted(column.name)];
  const where = `${ours} >= date '${start}' and ${ours} < date '${end}'`;
  const here = await sumsInPostgres(pool, relation, { where, month: column });
  const there = await sumsInClickHouse(clickHouse, {
    relation,
    where: `${theirs} >= toDate32('${start}') and ${theirs} < toDate32('${end}')${await ofSlicesAgain(pool, relation, { month, where })}`,
    month: column,
  });
  const partition = partitionOf(month.slice(0, 7));
  // only Postgres has a value that is out of range there
  const isWhole = (here.get(partition)?.outOfRange ?? 0) === 0;
  return isWhole && differenceIn(relation, partition, [here, there]) === null;
}

/**
 * A further condition for a month that retention removed before: it limits the comparison to slices that were loaded again, whose rows are
 * all here. Empty for any other month.
 */
async function ofSlicesAgain(
  pool: Warehouse["pool"],
  relation: Relation,
  { month, where }: { readonly month: Day; readonly where: string },
): Promise<string> {
  const removed = await pool.query(
    "select from ops.dropped_month where is_done and table_name = $1 and month_start = $2",
    [relation.name, month],
  );
  if (removed.rows.length === 0) return "";
  const { rows } = await pool.query<{ slice_id: string }>(
    `select distinct slice_id from ${from(relation)} where ${where}`,
  );
  // a list must not be empty, and no slice has the number 0
  return ` and slice_id in (${["0", ...rows.map((row) => row.slice_id)].join(", ")})`;
}

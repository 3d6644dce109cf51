import { sql } from "../postgres/sql.ts";
import { addMonths, monthStart, type Day } from "../core/day.ts";
import type { Database } from "../postgres/database.ts";
import { partitionColumn, type Table } from "./table.ts";

/** What a table's partitions are made for. */
type Cut = Pick<Table, "name" | "columns" | "sums">;

/** Makes monthly partitions when they are first needed. */
export interface Partitions {
  /**
   * Makes sure that the partitions of these days exist; null where they are known to, so that nobody waits. Runs outside the load's
   * transaction, since attaching takes locks.
   */
  cover(table: Cut, days: Iterable<Day>): Promise<void> | null;
  /** Checks the months in the catalogue again: another process may have dropped one since. */
  coverAnew(table: Cut, days: Iterable<Day>): Promise<void>;
}

/** Opens the partitions of a warehouse; what exists is remembered. */
export function createPartitions(db: Database): Partitions {
  const known = new Set<string>();
  const underWay = new Map<string, Promise<void>>();

  function cover(table: Cut, days: Iterable<Day>): Promise<void> | null {
    const missing = [...monthsOf(days)].filter((start) => !known.has(leafOf(table.name, start)));
    return missing.length === 0 ? null : makeAll(table, missing);
  }

  async function makeAll(table: Cut, months: readonly Day[]): Promise<void> {
    for (const start of months) {
      const leaf = leafOf(table.name, start);
      // a load that needs it meanwhile waits for the same statement
      const making = underWay.get(leaf) ?? make(db, table, start).finally(() => underWay.delete(leaf));
      underWay.set(leaf, making);
      await making;
      known.add(leaf);
    }
  }

  async function coverAnew(table: Cut, days: Iterable<Day>): Promise<void> {
    for (const start of monthsOf(days)) known.delete(leafOf(table.name, start));
    await cover(table, days);
  }

  return { cover, coverAnew };
}

/** The name, in the schema parts, of a table's partition of the month that begins on a day. */
function leafOf(table: string, start: Day): string {
  return `${table.replace(/^core\./, "")}_${start.slice(0, 7).replace("-", "_")}`;
}

/** The first days of the months in which these days lie. */
export function monthsOf(days: Iterable<Day>): ReadonlySet<Day> {
  const months = new Set<Day>();
  for (const day of new Set(days)) months.add(monthStart(day));
  return months;
}

/**
 * By a function of the database, which a role that may not make tables may call. Sums of a month that was dropped stay until rows come again:
 * then they begin anew with these, in the same statement, so that no load is between.
 */
async function make(db: Database, table: Cut, start: Day): Promise<void> {
  const made = sql`select ops.make_partition(${table.name}::regclass, ${start}::date) as is_new`;
  const { sums } = table;
  if (sums === undefined) await made.execute(db);
  else
    await sql`
      with made as materialized (${made}), begun as (
        delete from ${sql.id(...sums.name.split("."))} as k
        using  made as m
        where  m.is_new and k.${sql.id(partitionColumn(table))} >= ${start}::date and k.${sql.id(partitionColumn(table))} < ${addMonths(start, 1)}::date)
      -- read here, it is made also where there are no sums to join
      select is_new from made`.execute(db);
}

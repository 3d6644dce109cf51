import { sql } from "../postgres/sql.ts";
import { addMonths, type Day } from "../core/day.ts";
import type { Database } from "../postgres/database.ts";

/** A month of a fact or of the requests, in one partition or in one per day. `rows` are counted, `bytes` include indexes. */
export type PartitionedMonth = {
  readonly table: string;
  readonly month: Day;
  readonly rows: number;
  readonly bytes: number;
};

/** What is done with an old month. */
export type RetentionAction = "drop" | "detach";

/** The months of a table that end on a day or before it, oldest first. */
export async function monthsBefore(db: Database, table: string, day: Day): Promise<readonly PartitionedMonth[]> {
  const { rows } = await sql<Omit<PartitionedMonth, "rows" | "table"> & { readonly column: string }>`
    select to_date(m.name, 'YYYY_MM')::text as month, sum(pg_total_relation_size(c.oid))::float8 as bytes, min(a.attname) as column
    from   pg_inherits as i
    join   pg_class as c on c.oid = i.inhrelid
    join   pg_partitioned_table as p on p.partrelid = i.inhparent
    join   pg_attribute as a on a.attrelid = p.partrelid and a.attnum = p.partattrs[0]
    cross  join lateral substring(c.relname from '_([0-9]{4}_[0-9]{2})(?:_[0-9]{2})?$') as m (name)
    where  i.inhparent = ${table}::regclass and to_date(m.name, 'YYYY_MM') < ${day}::date
    group  by m.name
    order  by m.name`.execute(db);
  const old = rows.filter(({ month }) => addMonths(month, 1) <= day);
  const counted: PartitionedMonth[] = [];
  for (const { column, ...one } of old) {
    // through the table, since only its owner may read a partition directly
    const { rows: found } = await sql<{ rows: number }>`
      select count(*)::float8 as rows from ${sql.ref(table)}
      where  ${sql.id(column)} >= ${one.month}::date and ${sql.id(column)} < ${addMonths(one.month, 1)}::date`.execute(
      db,
    );
    counted.push({ ...one, table, rows: found[0]?.rows ?? 0 });
  }
  return counted;
}

/** How long to wait for a lock at a time: readers and loads queue after this wait. */
const lockTimeoutMs = 2_000;

/** Makes a transaction fail, with the error of Postgres, if it waits longer than that for a lock. */
export async function limitLockWaits(transaction: Database): Promise<void> {
  await sql`select set_config('lock_timeout', ${`${lockTimeoutMs}ms`}, true)`.execute(transaction);
}

/**
 * Takes a noted month out of its table, and drops it or moves it to `archive`, when the transaction of the caller commits. The table is
 * locked until then, and readers wait only that long.
 */
export async function removeMonth(
  transaction: Database,
  { table, month }: Pick<PartitionedMonth, "table" | "month">,
  action: RetentionAction,
): Promise<void> {
  await sql`select ops.remove_month(${table}::regclass, ${month}::date, ${action === "detach"})`.execute(transaction);
}

import type { Settings } from "../config/settings.ts";
import { datasets } from "../datasets/shared/all.ts";
import { tablesByDay } from "../planner/dataset-settings.ts";
import type { Database } from "../postgres/database.ts";
import { sql } from "../postgres/sql.ts";
import { pass, warn, type Diagnosis } from "./diagnosis.ts";

/**
 * From about this many bytes per month, daily partitions are better: some 70 million ranks, whose index no longer fits the memory of most
 * servers.
 */
const largeMonth = 8 * 2 ** 30;

/**
 * How large the database is, and whether months of a fact have grown so large that days are better partitions for it. Postgres does not
 * report how much disk space is left.
 */
export async function checkSize(db: Database, settings?: Settings, largest = largeMonth): Promise<Diagnosis> {
  const check = "database size";
  const { rows } = await sql<{ size: string }>`
    select pg_size_pretty(pg_database_size(current_database())) as size`.execute(db);
  const size = rows[0]?.size ?? "";
  if (settings === undefined) return pass(check, size);
  const byDay = tablesByDay(settings);
  const large = (await newestMonths(db)).find(({ table, bytes }) => bytes > largest && !byDay.has(table));
  if (large === undefined) return pass(check, size);
  const writer = datasets.find(({ tables }) => tables.some(({ name }) => name === large.table));
  return warn(
    check,
    `${size}; a month of ${large.table} takes ${(large.bytes / 2 ** 30).toFixed(0)} GiB`,
    `set datasets.${writer?.name ?? ""}.partitions: day, so that new months get daily partitions`,
  );
}

/** The larger of the two newest months of each fact, since the newest is not over; the largest first. */
async function newestMonths(db: Database): Promise<readonly { readonly table: string; readonly bytes: number }[]> {
  const { rows } = await sql<{ table: string; bytes: number }>`
    with month as (
      select i.inhparent, m.name, sum(pg_total_relation_size(c.oid))::float8 as bytes,
             row_number() over (partition by i.inhparent order by m.name desc) as age
      from   pg_inherits as i
      join   pg_class as c on c.oid = i.inhrelid
      join   pg_class as p on p.oid = i.inhparent and p.relnamespace = to_regnamespace('core')
      cross  join lateral substring(c.relname from '_([0-9]{4}_[0-9]{2})(?:_[0-9]{2})?$') as m (name)
      where  m.name is not null
      group  by i.inhparent, m.name
    )
    select 'core.' || p.relname as table, max(m.bytes) as bytes
    from   month as m join pg_class as p on p.oid = m.inhparent
    where  m.age <= 2
    group  by p.relname
    order  by 2 desc`.execute(db);
  return rows;
}

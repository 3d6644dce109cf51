import { sql } from "../postgres/sql.ts";
import { addDays, daysBetween, monthStart, type Day } from "../core/day.ts";
import type { Database } from "../postgres/database.ts";
import { partitionColumn, type Table } from "./table.ts";

/** What a table's partitions are made for. */
type Cut = Pick<Table, "name" | "columns" | "sums">;

/** Makes partitions when they are first needed. */
export interface Partitions {
  /**
   * Makes sure that the partitions of these days exist; null where they are known to, so that nobody waits. Runs outside the load's
   * transaction, since attaching takes locks.
   */
  cover(table: Cut, days: Iterable<Day>): Promise<void> | null;
  /** Forgets what is known to exist: another process has dropped a partition since, and the next need reads the catalogue again. */
  forget(): void;
}

/**
 * Opens the partitions of a warehouse; what exists is remembered. Each is of a month, those of the tables in `byDay` of a day, unless the
 * month has partitions of the other kind already.
 */
export function createPartitions(db: Database, byDay: ReadonlySet<string> = new Set()): Partitions {
  const known = new Map<string, Set<Day>>();
  const underWay = new Map<string, Promise<void>>();
  // found in the catalogue at the first need: a call for each of them would be the most that a night of all datasets begins with
  let leaves: Promise<ReadonlySet<string>> | null = null;

  function knownOf({ name }: Cut): Set<Day> {
    const days = known.get(name) ?? new Set();
    known.set(name, days);
    return days;
  }

  function cover(table: Cut, days: Iterable<Day>): Promise<void> | null {
    const there = knownOf(table);
    const missing = [...new Set(days)].filter((day) => !there.has(day));
    return missing.length === 0 ? null : makeAll(table, missing);
  }

  async function makeAll(table: Cut, days: readonly Day[]): Promise<void> {
    const there = knownOf(table);
    const found = await foundLeaves();
    for (const day of days) {
      if (leavesOf(table, day).some((leaf) => found.has(leaf))) there.add(day);
      if (there.has(day)) continue;
      const isByDay = byDay.has(table.name);
      const key = `${table.name} ${isByDay ? day : monthStart(day)}`;
      // loads that need it meanwhile wait for the same statement; of those that come at once only one begins it
      for (let making = underWay.get(key); making !== undefined; making = underWay.get(key)) await making;
      if (there.has(day)) continue;
      const making = make(db, table, { day, isByDay })
        .then((held) => held.forEach((one) => there.add(one)))
        .finally(() => underWay.delete(key));
      underWay.set(key, making);
      await making;
    }
  }

  function foundLeaves(): Promise<ReadonlySet<string>> {
    leaves ??= readLeaves(db).catch((error: unknown) => {
      leaves = null;
      throw error;
    });
    return leaves;
  }

  function forget(): void {
    known.clear();
    leaves = null;
  }

  return { cover, forget };
}

/** The names that a partition of a day may have, without their schema: that of its month, and that of the day alone. */
function leavesOf({ name }: Cut, day: Day): readonly string[] {
  const ofDay = `${name.slice(name.indexOf(".") + 1)}_${day.replaceAll("-", "_")}`;
  return [ofDay.slice(0, -"_DD".length), ofDay];
}

/** The names of the partitions that facts have. */
async function readLeaves(db: Database): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ name: string }>`
    select leaf.relname as name
    from   pg_catalog.pg_inherits as i
    join   pg_catalog.pg_class    as leaf on leaf.oid = i.inhrelid
    join   pg_catalog.pg_class    as fact on fact.oid = i.inhparent
    where  fact.relkind = 'p' and fact.relnamespace = 'core'::regnamespace and not i.inhdetachpending`.execute(db);
  return new Set(rows.map(({ name }) => name));
}

/**
 * By a function of the database, which a role that may not make tables may call. Sums of a month that was dropped stay until rows come again:
 * then those of the new partition's days begin anew with these, in the same statement, so that no load is between. Returns the days that
 * the partition holds.
 */
async function make(
  db: Database,
  table: Cut,
  { day, isByDay }: { readonly day: Day; readonly isByDay: boolean },
): Promise<readonly Day[]> {
  const { sums } = table;
  const { rows } = await sql<{ start: Day; end: Day }>`
    with made as materialized (
      select lower(held) as start, upper(held) as end, is_new from ops.make_partition(${table.name}::regclass, ${day}::date, ${isByDay})
    )${sums === undefined ? sql`` : begun(table, sums.name)}
    -- read here, it is made also where there are no sums to join
    select "start", "end" from made`.execute(db);
  return rows.flatMap(({ start, end }) =>
    Array.from({ length: daysBetween(start, end) }, (_, index) => addDays(start, index)),
  );
}

function begun(table: Cut, sums: string) {
  const day = sql`k.${sql.id(partitionColumn(table))}`;
  return sql`, begun as (
      delete from ${sql.ref(sums)} as k
      using  made as m
      where  m.is_new and ${day} >= m.start and ${day} < m.end)`;
}

import { sql } from "../postgres/sql.ts";
import { addDays, daysBetween, monthStart, type Day } from "../core/day.ts";
import type { Database } from "../postgres/database.ts";
import type { Table } from "./table.ts";

/** What partitions of a table are made from. */
type Cut = Pick<Table, "name">;

/** Makes partitions when they are first needed. */
export interface Partitions {
  /**
   * Makes sure that the partitions of these days exist; null if they are known to exist, so that nobody waits. Runs outside the transaction
   * of the load, since attaching takes locks.
   */
  cover(table: Cut, days: Iterable<Day>): Promise<void> | null;
  /** Clears the cache: another process has dropped a partition, and the next call reads the catalogue again. */
  forget(): void;
}

/**
 * Opens the partitions of a warehouse, with a cache of existing ones. Each covers a month, or for tables in `byDay` a day, unless the month
 * already has partitions of the other kind.
 */
export function createPartitions(db: Database, byDay: ReadonlySet<string> = new Set()): Partitions {
  const known = new Map<string, Set<Day>>();
  const underWay = new Map<string, Promise<void>>();
  // read from the catalogue when first needed: one call per partition would dominate the start of a night with all datasets
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
      // loads that need the partition wait for the same statement; if several come at once, only one starts it
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

/** The names that the partition of a day may have, without their schema: that of its month, and that of the day. */
function leavesOf({ name }: Cut, day: Day): readonly string[] {
  const ofDay = `${name.slice(name.indexOf(".") + 1)}_${day.replaceAll("-", "_")}`;
  return [ofDay.slice(0, -"_DD".length), ofDay];
}

/** The names of the partitions of facts. */
async function readLeaves(db: Database): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ name: string }>`
    select leaf.relname as name
    from   pg_catalog.pg_inherits as i
    join   pg_catalog.pg_class    as leaf on leaf.oid = i.inhrelid
    join   pg_catalog.pg_class    as fact on fact.oid = i.inhparent
    where  fact.relkind = 'p' and fact.relnamespace = 'core'::regnamespace and not i.inhdetachpending`.execute(db);
  return new Set(rows.map(({ name }) => name));
}

/** Calls a function of the database, which a role without the right to create tables may call. Returns the days of the partition. */
async function make(
  db: Database,
  table: Cut,
  { day, isByDay }: { readonly day: Day; readonly isByDay: boolean },
): Promise<readonly Day[]> {
  const { rows } = await sql<{ start: Day; end: Day }>`
    select lower(held) as start, upper(held) as end from ops.make_partition(${table.name}::regclass, ${day}::date, ${isByDay})`.execute(
    db,
  );
  return rows.flatMap(({ start, end }) =>
    Array.from({ length: daysBetween(start, end) }, (_, index) => addDays(start, index)),
  );
}

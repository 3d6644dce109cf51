import { sql } from "kysely";
import { monthStart, type Day } from "../core/day.ts";
import type { Database } from "./database.ts";

/** Makes monthly partitions when they are first needed. */
export interface Partitions {
  /** Makes sure that the partitions of these days exist. Runs outside the load's transaction, since attaching takes locks. */
  cover(table: string, days: Iterable<Day>): Promise<void>;
}

/** Opens the partitions of a warehouse; what exists is remembered. */
export function createPartitions(db: Database): Partitions {
  const known = new Map<string, Promise<void>>();

  async function cover(table: string, days: Iterable<Day>): Promise<void> {
    for (const start of monthsOf(days)) {
      const key = `${table} ${start}`;
      // whoever needs it meanwhile waits for the same one
      const made = known.get(key) ?? make(db, table, start);
      known.set(key, made);
      await made.catch((error: unknown) => {
        known.delete(key);
        throw error;
      });
    }
  }

  return { cover };
}

function monthsOf(days: Iterable<Day>): ReadonlySet<Day> {
  const months = new Set<Day>();
  for (const day of new Set(days)) months.add(monthStart(day));
  return months;
}

/** By a function of the database, which a role that may not make tables may call. */
async function make(db: Database, table: string, start: Day): Promise<void> {
  await sql`select ops.make_partition(${table}::regclass, ${start}::date)`.execute(db);
}

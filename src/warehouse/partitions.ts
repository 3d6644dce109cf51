import { sql } from "kysely";
import { addMonths, monthStart, type Day } from "../core/day.ts";
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
      const leaf = leafOf(table, start);
      // whoever needs it meanwhile waits for the same one
      const made = known.get(leaf) ?? attach(db, table, leaf, start);
      known.set(leaf, made);
      await made.catch((error: unknown) => {
        known.delete(leaf);
        throw error;
      });
    }
  }

  return { cover };
}

/** The name, in the schema parts, of a table's partition of the month that begins on a day. */
export function leafOf(table: string, start: Day): string {
  return `${table.replace(/^core\./, "")}_${start.slice(0, 7).replace("-", "_")}`;
}

function monthsOf(days: Iterable<Day>): ReadonlySet<Day> {
  const months = new Set<Day>();
  for (const day of new Set(days)) months.add(monthStart(day));
  return months;
}

async function attach(db: Database, table: string, leaf: string, start: Day): Promise<void> {
  const name = sql.id("parts", leaf);
  await db.transaction().execute(async (transaction) => {
    // two workers may want the same month at once; the second finds it there
    await sql`select pg_advisory_xact_lock(hashtext(${`storehouse partition ${leaf}`}))`.execute(transaction);
    const found = await sql`select from pg_class where oid = to_regclass(${`parts.${leaf}`})`.execute(transaction);
    if (found.rows.length > 0) return;
    await sql`create table ${name} (like ${sql.id(...table.split("."))} including defaults including constraints)`.execute(
      transaction,
    );
    // attaching takes a lighter lock on the parent than `create table ... partition of`, so loads beside it go on
    await sql`alter table ${sql.id(...table.split("."))} attach partition ${name} for values from (${sql.lit(start)}) to (${sql.lit(addMonths(start, 1))})`.execute(
      transaction,
    );
  });
}

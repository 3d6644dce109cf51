import { sql } from "kysely";
import { addMonths, type Day } from "../core/day.ts";
import { fail } from "../core/errors.ts";
import { isForbidden } from "./database-errors.ts";
import type { Database } from "./database.ts";

/** A monthly partition of a fact. `rows` are counted, `bytes` include indexes. `isMine` says whether this role owns it. */
export type MonthPartition = {
  readonly table: string;
  readonly leaf: string;
  readonly month: Day;
  readonly rows: number;
  readonly bytes: number;
  readonly isMine: boolean;
};

/** What becomes of an old month. */
export type RetentionAction = "drop" | "detach";

/** The partitions of a table whose months end on a day or before it, oldest first. */
export async function monthsBefore(db: Database, table: string, day: Day): Promise<readonly MonthPartition[]> {
  const { rows } = await sql<Omit<MonthPartition, "rows" | "table">>`
    select c.relname as leaf, to_date(right(c.relname, 7), 'YYYY_MM')::text as month, pg_total_relation_size(c.oid)::float8 as bytes,
           pg_has_role(c.relowner, 'USAGE') and pg_has_role(p.relowner, 'USAGE') as "isMine"
    from   pg_inherits as i
    join   pg_class as c on c.oid = i.inhrelid
    join   pg_class as p on p.oid = i.inhparent
    where  i.inhparent = ${table}::regclass and c.relname ~ '_[0-9]{4}_[0-9]{2}$'
    and    to_date(right(c.relname, 7), 'YYYY_MM') < ${day}::date
    order  by 2`.execute(db);
  const old = rows.filter(({ month }) => addMonths(month, 1) <= day);
  const counted: MonthPartition[] = [];
  for (const one of old) {
    const { rows: found } = await sql<{ rows: number }>`
      select count(*)::float8 as rows from ${sql.id("parts", one.leaf)}`.execute(db);
    counted.push({ ...one, table, rows: found[0]?.rows ?? 0 });
  }
  return counted;
}

/** So long is waited for a lock at a time: who reads or loads meanwhile waits behind it. */
const lockTimeoutMs = 2_000;

/**
 * Takes a month out of its table without stopping who reads or loads other months, and drops it or moves it to `archive`. Ends what an
 * interrupted one began. Throws what Postgres says when a lock is not to be had in time.
 */
export async function removeMonth(
  db: Database,
  { table, leaf }: Pick<MonthPartition, "table" | "leaf">,
  action: RetentionAction,
): Promise<void> {
  const [parent, name] = [sql.id(...table.split(".")), sql.id("parts", leaf)];
  await db.connection().execute(async (connection) => {
    await sql`select set_config('lock_timeout', ${`${lockTimeoutMs}ms`}, false)`.execute(connection);
    try {
      await endPending(connection, table);
      if (await isAttached(connection, table, leaf))
        // outside a transaction: only the month itself is locked against readers, never the whole table
        await sql`alter table ${parent} detach partition ${name} concurrently`.execute(connection);
      if (action === "drop") await sql`drop table if exists ${name}`.execute(connection);
      else await moveToArchive(connection, leaf);
    } catch (error) {
      throw isForbidden(error) ? fail("not_owner", { table: `parts.${leaf}` }, error) : error;
    } finally {
      await sql`select set_config('lock_timeout', '0', false)`.execute(connection);
    }
  });
}

/** A month that was detached before, loaded anew and detached again gets a number behind its name. */
async function moveToArchive(connection: Database, leaf: string): Promise<void> {
  const { rows } = await sql<{ taken: number }>`
    select count(*)::int as taken from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
    where  n.nspname = 'archive' and c.relkind = 'r' and c.relname ~ ('^' || ${leaf}::text || '(_[0-9]+)?$')`.execute(
    connection,
  );
  const taken = rows[0]?.taken ?? 0;
  const numbered = (name: string) => (taken === 0 ? name : `${name}_${taken + 1}`);
  await connection.transaction().execute(async (transaction) => {
    if (taken > 0) {
      // indexes move along and would meet those of the month before
      for (const index of await indexesOf(transaction, leaf))
        await sql`alter index ${sql.id("parts", index)} rename to ${sql.id(numbered(index))}`.execute(transaction);
      await sql`alter table if exists ${sql.id("parts", leaf)} rename to ${sql.id(numbered(leaf))}`.execute(
        transaction,
      );
    }
    await sql`alter table if exists ${sql.id("parts", numbered(leaf))} set schema archive`.execute(transaction);
  });
}

async function indexesOf(db: Database, leaf: string): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_index as i join pg_class as c on c.oid = i.indexrelid
    where  i.indrelid = to_regclass(${`parts.${leaf}`})`.execute(db);
  return rows.map(({ name }) => name);
}

/** A detaching that was interrupted stays half done until somebody ends it, and no other can begin. */
async function endPending(connection: Database, table: string): Promise<void> {
  const { rows } = await sql<{ leaf: string }>`
    select c.relname as leaf from pg_inherits as i join pg_class as c on c.oid = i.inhrelid
    where  i.inhparent = ${table}::regclass and i.inhdetachpending`.execute(connection);
  for (const { leaf } of rows)
    await sql`alter table ${sql.id(...table.split("."))} detach partition ${sql.id("parts", leaf)} finalize`.execute(
      connection,
    );
}

async function isAttached(connection: Database, table: string, leaf: string): Promise<boolean> {
  const { rows } = await sql`
    select from pg_inherits where inhparent = ${table}::regclass and inhrelid = to_regclass(${`parts.${leaf}`})`.execute(
    connection,
  );
  return rows.length > 0;
}

/** Throws `not_owner` when this role may not take these months out. */
export function checkOwner(months: readonly MonthPartition[]): void {
  const others = months.find(({ isMine }) => !isMine);
  if (others !== undefined) throw fail("not_owner", { table: `parts.${others.leaf}` });
}

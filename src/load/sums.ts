import { sql, type SqlFragment } from "../postgres/sql.ts";
import type { Window } from "../core/window.ts";
import type { Database } from "../postgres/database.ts";
import { list, replaces, rowThere, written, type Merging } from "./statements.ts";
import { dayColumns, partitionColumn, type Sums, type Table } from "./table.ts";

/** A table with sums over its rows. */
export type Summed = Table & { readonly sums: Sums };

/** True for a table with sums over its rows. */
export function isSummed(table: Table): table is Summed {
  return table.sums !== undefined;
}

/**
 * An expression that locks the sums for these values of `lockedBy` (each joined to one text) until the transaction ends: the difference
 * between the old and new values of a row must not include changes of another transaction. Locks use the whole hash: with fewer locks,
 * groups of a hundred slices would often share one and wait for each other without a common row.
 */
export function lockSums({ sums }: Summed, values: ReadonlySet<string>): SqlFragment {
  return sql`(
    select count(pg_advisory_xact_lock(hashtext(${sums.name}), lock))
    from   (select distinct hashtext(value) as lock from unnest(${[...values]}::text[]) as value order by lock) as locks)`;
}

/** Sums over rows `t`, by key. */
export function sumsOver({ sums }: Summed, rows: SqlFragment): SqlFragment {
  const made = Object.entries(sums.columns).map(([name, sum]) => sql`${sql.raw(sum.sql)} as ${sql.id(name)}`);
  return sql`select ${list(sums.key, "t")}, ${sql.join(made)} from ${rows} group by ${list(sums.key, "t")}`;
}

/** Adds sums to the stored ones, or starts from scratch where their rows were removed; a sum that does not change is not written. */
export function addSums({ sums }: Summed, added: SqlFragment): SqlFragment {
  const names = Object.keys(sums.columns);
  const totals = names.map((name) => sql`sum(${sql.id("d", name)})`);
  const moves = totals.map((total) => sql`${total} <> 0`);
  const set = names.map(
    (name) =>
      sql`${sql.id(name)} = case when k.has_rows then ${sql.id("k", name)} else 0 end + ${sql.id("excluded", name)}`,
  );
  return sql`
    insert into ${sql.ref(sums.name)} as k (${list(sums.key)}, ${list(names)})
    select ${list(sums.key, "d")}, ${sql.join(totals)}
    from   (${added}) as d
    group  by ${list(sums.key, "d")}
    having ${sql.join(moves, sql` or `)}
    order  by ${list(sums.key, "d")}
    on     conflict (${list(sums.key)}) do update set has_rows = true, ${sql.join(set)}`;
}

/**
 * Merges a summed table, and adds the new minus the old values to its sums, in one statement that finds each row once: MERGE does not
 * return what it changed on every supported version. The caller holds the lock, so no other writer adds a row in between.
 */
export function mergeWithSums(table: Summed, merging: Merging): SqlFragment {
  const { target, source, key, columns, sliceId, fetchedAt } = merging;
  const { sums } = table;
  const was = (column: string) => sql.id(`before_${column}`);
  const held = sums.madeOf.map((column) => sql`${sql.id("t", column)} as ${was(column)}`);
  const were = sums.madeOf.map((column) => sql`${was(column)} as ${sql.id(column)}`);
  const isThere = sql`${sql.id("t", key[0] ?? "")} is not null`;
  const taken = Object.keys(sums.columns).map((name) => sql`-${sql.id("b", name)}`);
  const before = sumsOver(table, sql`(select ${list(sums.key)}, ${sql.join(were)} from moving where was_there) as t`);
  const all = [...columns, "slice_id", "fetched_at"];
  return sql`
    with moving as materialized (
      select ${list(columns, "s")}, ${sliceId} as slice_id, ${fetchedAt} as fetched_at, ${sql.join(held)}, ${isThere} as was_there
      from   ${source} as s
      left   join ${rowThere(merging)} on true
      where  not (${isThere}) or ${replaces(merging)}),
    moved as (
      insert into ${target} (${list(all)}) select ${list(all, "m")} from moving as m
      on conflict (${list(key)}) do update set ${written(merging)})
    ${addSums(table, sql`${sumsOver(table, sql`moving as t`)} union all select ${list(sums.key, "b")}, ${sql.join(taken)} from (${before}) as b`)}`;
}

/** Marks the sums of days whose rows are being removed: they stay until such rows are loaded again. */
export async function keepSums(transaction: Database, table: Summed, { start, end }: Window): Promise<void> {
  const day = sql.id(partitionColumn(table));
  await sql`update ${sql.ref(table.sums.name)} set has_rows = false where ${day} >= ${start}::date and ${day} < ${end}::date`.execute(
    transaction,
  );
}

/** Rebuilds the sums of days from the rows of the table, or all sums if no days are given. Sums whose rows were removed stay. */
export async function rebuildSums(transaction: Database, table: Summed, within: Partial<Window>): Promise<void> {
  const days = dayColumns(table);
  const isWithin = (alias: string) =>
    days === null
      ? sql`true`
      : sql`${sql.id(alias, days.last)} >= ${within.start ?? "-infinity"}::date and ${sql.id(alias, days.first)} < ${within.end ?? "infinity"}::date`;
  const target = sql.ref(table.sums.name);
  await sql`delete from ${target} as k where k.has_rows and ${isWithin("k")}`.execute(transaction);
  const rows = sql`${sql.ref(table.name)} as t where ${isWithin("t")}`;
  await addSums(table, sumsOver(table, rows)).execute(transaction);
}

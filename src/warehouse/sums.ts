import { sql, type RawBuilder } from "kysely";
import type { Window } from "../core/window.ts";
import type { Database } from "./database.ts";
import { list } from "./staged.ts";
import { dayColumns, type Sums, type Table } from "./table.ts";

/** A table with sums that are kept up from it. */
export type Summed = Table & { readonly sums: Sums };

/** True for a table from which sums are kept up. */
export function isSummed(table: Table): table is Summed {
  return table.sums !== undefined;
}

/** Writers of the same sums wait for each other by one of so many locks: few enough for a load of any size. */
const lockCount = 256;

/**
 * Has the rest of the transaction be the only one that changes what is summed for these values of a table's key (each joined to one
 * text): what a row said before and what it says after must not be mixed with the changes of another.
 */
export async function lockSums(transaction: Database, { sums }: Summed, values: ReadonlySet<string>): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(hashtext(${sums.name}), lock)
    from   (select distinct hashtext(value) & ${lockCount - 1} as lock from unnest(${[...values]}::text[]) as value order by lock) as locks`.execute(
    transaction,
  );
}

/** Sums over rows `t`, by key. */
export function sumsOver({ sums }: Summed, rows: RawBuilder<unknown>): RawBuilder<unknown> {
  const { key, columns } = sums;
  const made = Object.entries(columns).map(([name, expression]) => sql`${sql.raw(expression)} as ${sql.id(name)}`);
  return sql`select ${list(key, "t")}, ${sql.join(made)} from ${rows} group by ${list(key, "t")}`;
}

/** Sums as they were told by `readSums`, and the number of rows in them. */
export type SumsBefore = { readonly rows: number; readonly told: string };

/** What is summed of rows `t` as they stand now. */
export async function readSums(transaction: Database, table: Summed, rows: RawBuilder<unknown>): Promise<SumsBefore> {
  const { rows: found } = await sql<SumsBefore>`
    select count(*)::int as rows, coalesce(jsonb_agg(b), '[]')::text as told from (${sumsOver(table, rows)}) as b`.execute(
    transaction,
  );
  return found[0] ?? { rows: 0, told: "[]" };
}

/** Adds sums to those that are kept, and takes what they were before from them; what does not move is not written. */
export async function addSums(
  transaction: Database,
  { sums }: Summed,
  { now, before }: { readonly now: RawBuilder<unknown>; readonly before: SumsBefore | null },
): Promise<void> {
  const target = sql`${sql.id(...sums.name.split("."))}`;
  const names = Object.keys(sums.columns);
  const differences = names.map((name) => sql`sum(${sql.id("d", name)})`);
  const negated = names.map((name) => sql`-${sql.id("b", name)}`);
  const was =
    before === null || before.rows === 0
      ? sql``
      : sql`union all select ${list(sums.key, "b")}, ${sql.join(negated)} from jsonb_populate_recordset(null::${target}, ${before.told}::jsonb) as b`;
  const added = names.map((name) => sql`${sql.id(name)} = ${sql.id("k", name)} + ${sql.id("excluded", name)}`);
  await sql`
    insert into ${target} as k (${list(sums.key)}, ${list(names)})
    select ${list(sums.key, "d")}, ${sql.join(differences)}
    from   (${now} ${was}) as d (${list(sums.key)}, ${list(names)})
    group  by ${list(sums.key, "d")}
    having ${sql.join(
      differences.map((difference) => sql`${difference} <> 0`),
      sql` or `,
    )}
    order  by ${list(sums.key, "d")}
    on     conflict (${list(sums.key)}) do update set ${sql.join(added)}`.execute(transaction);
}

/** Makes the sums of days anew from the rows that are there; all of them where no days are named. */
export async function rebuildSums(transaction: Database, table: Summed, within: Partial<Window>): Promise<void> {
  const days = dayColumns(table);
  const isWithin = (alias: string) =>
    days === null
      ? sql`true`
      : sql`${sql.id(alias, days.last)} >= ${within.start ?? "-infinity"}::date and ${sql.id(alias, days.first)} < ${within.end ?? "infinity"}::date`;
  const target = sql`${sql.id(...table.sums.name.split("."))}`;
  await sql`delete from ${target} as k where ${isWithin("k")}`.execute(transaction);
  const rows = sql`${sql.id(...table.name.split("."))} as t where ${isWithin("t")}`;
  await addSums(transaction, table, { now: sumsOver(table, rows), before: null });
}

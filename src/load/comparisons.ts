import type { Day } from "../core/day.ts";
import { sql, type Queryable, type SqlFragment } from "../postgres/sql.ts";
import { equal, list, rowThere, type Merging } from "./statements.ts";
import { dayColumns, type Table } from "./table.ts";

/** The rows that a load compares. `inScope`: the rows of the table that it may delete; null if it deletes none. */
type Compared = Merging & { readonly inScope: SqlFragment | null };

/**
 * The statement that counts, for each day that an answer contains again, how many of its rows have moved: changed figures, new rows and
 * deleted rows. It runs before the merge, in its transaction. A day without stored rows was not requested before, or had no data: it is not
 * counted. Null for a table without figures.
 */
export function comparison(table: Table, compared: Compared): SqlFragment | null {
  const { figures } = table;
  const days = dayColumns(table);
  if (figures === undefined || days === null) return null;
  const { key, sliceId } = compared;
  const day = sql`coalesce(${sql.id("s", days.first)}, ${sql.id("t", days.first)})`;
  const [was, is] = ["t", "s"].map((alias) => list([...figures.values], alias));
  const [amountWas, amountIs] = ["t", "s"].map((alias) => amountOf(figures.amounts, alias));
  const isThere = (alias: string) => sql`${sql.id(alias, key[0] ?? "")} is not null`;
  const hasMoved = sql`(not (${isThere("t")}) or not (${isThere("s")}) or (${was}) is distinct from (${is}))`;
  const slice = compared.inScope === null ? sql`s.slice_id` : sliceId;
  return sql`
    insert into ops.compared_day (slice_id, table_name, date_day, dataset, observed_on, row_count, moved_count, amount, moved_amount, account)
    select c.slice_id, ${table.name}, c.date_day, o.dataset, o.as_of, c.row_count, c.moved_count, c.amount, c.moved_amount, r.account
    from   (select ${slice} as slice_id, ${day} as date_day, count(*) as row_count, count(*) filter (where ${hasMoved}) as moved_count,
                   sum(greatest(${amountWas ?? sql`0`}, ${amountIs ?? sql`0`})) as amount,
                   sum(abs(${amountIs ?? sql`0`} - ${amountWas ?? sql`0`})) as moved_amount
            from   ${rowsOf(compared)}
            where  ${sql.id("s", days.first)} is null or ${sql.id("s", days.first)} = ${sql.id("s", days.last)}
            group  by 1, 2
            having count(*) filter (where ${isThere("t")}) > 0) as c
    join   ops.slice as o on o.slice_id = c.slice_id
    join   ops.run   as r on r.run_id = o.run_id
    where  c.date_day < o.as_of
    on conflict do nothing`;
}

/** Removes comparisons made before a day: lookbacks are learned from newer nights. */
export async function dropComparisons(db: Queryable, before: Day): Promise<void> {
  await sql`delete from ops.compared_day where observed_on < ${before}::date`.execute(db);
}

/**
 * SQL: rows `s` of the answer joined to rows `t` of the table; with a scope, also rows that the answer leaves out on days that it contains.
 */
function rowsOf({ source, target, key, inScope }: Compared): SqlFragment {
  if (inScope === null) return sql`${source} as s left join ${rowThere({ target, key })} on true`;
  return sql`${source} as s full join (select * from ${target} as t where ${inScope}) as t on ${equal(key, "t", "s")}`;
}

/** SQL: the sum of some columns of a row; null counts as 0. */
function amountOf(columns: readonly string[], alias: string): SqlFragment {
  return sql`(${sql.join(
    columns.map((column) => sql`coalesce(${sql.id(alias, column)}, 0)`),
    sql` + `,
  )})`;
}

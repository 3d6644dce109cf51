import { sql, type SqlFragment } from "../postgres/sql.ts";
import { isFresh, list, replaces, rowThere, type Merging, type Staged } from "./statements.ts";
import { dayColumns, type Table } from "./table.ts";

/**
 * The statement that records the old values of rows that are about to change. It runs before the merge, in its transaction. New and
 * unchanged rows leave no record.
 */
export function restatement(table: Table, merging: Merging): SqlFragment {
  const { source, key, columns, sliceId, fetchedAt } = merging;
  const values = columns.filter((column) => !key.includes(column));
  const valuesOf = (alias: string) => asJson(values, alias);
  return sql`
    insert into ops.restated_value (table_name, row_key, date_day, changed_at, seen_at, slice_id, was, became)
    select ${table.name}, d.row_key, d.date_day, d.changed_at, d.seen_at, d.slice_id,
           jsonb_object_agg(e.name, e.value), jsonb_object_agg(e.name, d.new -> e.name)
    from   (select ${asJson(key, "t")} as row_key, ${firstDay(table)} as date_day, ${fetchedAt} as changed_at, t.fetched_at as seen_at,
                   ${sliceId} as slice_id, ${valuesOf("t")} as old, ${valuesOf("s")} as new
            from   ${source} as s
            cross  join ${rowThere(merging)}
            where  ${replaces(merging)}) as d
    cross  join lateral jsonb_each(d.old) as e (name, value)
    where  e.value is distinct from d.new -> e.name
    group  by d.row_key, d.date_day, d.changed_at, d.seen_at, d.slice_id
    on conflict do nothing`;
}

/** The statement that records rows `t` before they are deleted. */
export function withdrawal(table: Table, staged: Staged, gone: SqlFragment): SqlFragment {
  const { target, key, columns, sliceId, fetchedAt } = staged;
  const values = columns.filter((column) => !key.includes(column));
  return sql`
    insert into ops.restated_value (table_name, row_key, date_day, changed_at, seen_at, slice_id, was, became)
    select ${table.name}, ${asJson(key, "t")}, ${firstDay(table)}, ${fetchedAt}, t.fetched_at, ${sliceId},
           ${asJson(values, "t")}, null
    from   ${target} as t
    where  ${gone}
    on conflict do nothing`;
}

/** The statement that records a reject if an answer has no row where the table has rows, which are kept. Only for a slice in the ledger. */
export function keptNote(table: Table, staged: Staged): SqlFragment {
  const { target, inScope, sliceId, fetchedAt } = staged;
  return sql`
    insert into ops.reject (slice_id, dataset, reason, item, fetched_at)
    select s.slice_id, s.dataset, ${keptReason}, jsonb_build_object('table', ${table.name}::text, 'rows', k.rows), ${fetchedAt}
    from   ops.slice as s
    cross  join (select count(*) as rows from ${target} as t where ${inScope} and ${isFresh(staged, "t")}) as k
    where  s.slice_id = ${sliceId} and k.rows > 0`;
}

const keptReason = "the answer has no row where the table has rows: those are kept";

function asJson(columns: readonly string[], alias: string): SqlFragment {
  return sql`(select to_jsonb(v) from (select ${list(columns, alias)}) as v)`;
}

/** The first day that a row is about; null if rows have no days. */
function firstDay(table: Table): SqlFragment {
  const days = dayColumns(table);
  return days === null ? sql`null::date` : sql`${sql.id("t", days.first)}`;
}

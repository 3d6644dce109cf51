import { sql } from "../postgres/sql.ts";
import type { Window } from "../core/window.ts";
import type { Database } from "../postgres/database.ts";
import { isSummed, rebuildSums } from "./sums.ts";
import { dayColumns, type Table } from "./table.ts";

/**
 * Which rows of a table to clear: rows about a day in `within`, except those of a slice without a day in it, which is not read again (an
 * answer of today may be about yesterday). With `keepPruned`, only rows whose answer is stored.
 */
export type Clearing = { readonly within: Partial<Window>; readonly keepPruned: boolean };

/**
 * Empties a table before it is rebuilt. In a dimension, whose keys other tables use, only the descriptions are cleared. A table without
 * days is emptied completely, since a part of a history cannot be rebuilt separately.
 */
export async function clearTable(transaction: Database, table: Table, { within, keepPruned }: Clearing): Promise<void> {
  const days = dayColumns(table);
  const name = sql.ref(table.name);
  const own = Object.entries(table.owned ?? {}).map(
    ([column, values]) => sql`${sql.id(column)} = any (${values}::text[])`,
  );
  const kept = keepPruned ? [sql`slice_id in (select a.slice_id from raw.answer as a)`] : [];
  const stored = sql.join([sql`true`, ...own, ...kept], sql` and `);
  if (table.name.startsWith("core.dim_")) {
    const described = Object.keys(table.columns).filter((column) => !table.key.includes(column));
    const blank = [...described, "slice_id", "fetched_at"].map((column) => sql`${sql.id(column)} = null`);
    await sql`update ${name} set ${sql.join(blank)} where fetched_at is not null and ${stored}`.execute(transaction);
  } else if (days !== null) {
    const [start, end] = [sql`${within.start ?? "-infinity"}::date`, sql`${within.end ?? "infinity"}::date`];
    await sql`
      delete from ${name} as t
      where  ${sql.id(days.last)} >= ${start} and ${sql.id(days.first)} < ${end} and ${stored}
      and    not exists (select from ops.slice as s
                         where  s.slice_id = t.slice_id and (s.window_end <= ${start} or s.window_start >= ${end}))`.execute(
      transaction,
    );
  } else await sql`delete from ${name} where ${stored}`.execute(transaction);
  if (isSummed(table)) await rebuildSums(transaction, table, within);
}

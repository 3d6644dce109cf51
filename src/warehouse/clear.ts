import { sql } from "kysely";
import type { Window } from "../core/window.ts";
import type { Database } from "./database.ts";
import type { Table } from "./table.ts";

/** What of a table to clear: days of `within` where it has days of its own; with `keepPruned` only rows whose answer is stored. */
export type Clearing = { readonly within: Partial<Window>; readonly keepPruned: boolean };

/**
 * Empties a table before it is rebuilt. Of a dimension, whose keys other tables use, only the description goes. A table without days
 * of its own is emptied whole, since a part of a history cannot be rebuilt alone.
 */
export async function clearTable(transaction: Database, table: Table, { within, keepPruned }: Clearing): Promise<void> {
  const name = sql.id(...table.name.split("."));
  const own = Object.entries(table.owned ?? {}).map(([column, value]) => sql`${sql.id(column)} = ${value}`);
  const kept = keepPruned ? [sql`slice_id in (select a.slice_id from raw.answer as a)`] : [];
  const stored = sql.join([sql`true`, ...own, ...kept], sql` and `);
  if (table.name.startsWith("core.dim_")) {
    const described = Object.keys(table.columns).filter((column) => !table.key.includes(column));
    const blank = [...described, "slice_id", "fetched_at"].map((column) => sql`${sql.id(column)} = null`);
    await sql`update ${name} set ${sql.join(blank)} where fetched_at is not null and ${stored}`.execute(transaction);
  } else if ("date_day" in table.columns) {
    await sql`
      delete from ${name}
      where  date_day >= ${within.start ?? "-infinity"}::date and date_day < ${within.end ?? "infinity"}::date and ${stored}`.execute(
      transaction,
    );
  } else await sql`delete from ${name} where ${stored}`.execute(transaction);
}

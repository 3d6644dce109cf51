import { sql } from "kysely";
import type { Window } from "../core/window.ts";
import type { Database } from "./database.ts";
import type { Table } from "./table.ts";

/**
 * Empties a table before it is rebuilt. Of a dimension, whose keys other tables use, only the description goes. `within` keeps to
 * its days where the table has days of its own; other tables are emptied whole, since a part of a history cannot be rebuilt alone.
 */
export async function clearTable(transaction: Database, table: Table, within: Partial<Window>): Promise<void> {
  const name = sql.id(...table.name.split("."));
  if (table.name.startsWith("core.dim_")) {
    const described = Object.keys(table.columns).filter((column) => !table.key.includes(column));
    const blank = [...described, "slice_id", "fetched_at"].map((column) => sql`${sql.id(column)} = null`);
    await sql`update ${name} set ${sql.join(blank)} where fetched_at is not null`.execute(transaction);
  } else if ("date_day" in table.columns) {
    await sql`delete from ${name} where date_day >= ${within.start ?? "-infinity"}::date and date_day < ${within.end ?? "infinity"}::date`.execute(
      transaction,
    );
  } else await sql`delete from ${name}`.execute(transaction);
}

import { sql } from "kysely";
import { addMonths, type Day } from "../core/day.ts";
import { fail } from "../core/errors.ts";
import type { Database } from "../warehouse/database.ts";

/** A month of a table that goes: for all datasets that write the table. */
export type DroppedMonth = {
  readonly datasets: readonly string[];
  readonly table: string;
  readonly month: Day;
  readonly action: "drop" | "detach";
  readonly rows: number;
  readonly bytes: number;
};

/**
 * Notes that a month goes, before it does: from then on its answered days count as dropped. Slices that wait, or failed, for days before
 * its end are not run any more. False, and nothing is written, while a slice that runs may write to it.
 */
export async function noteDropped(db: Database, going: DroppedMonth, now: number): Promise<boolean> {
  const end = addMonths(going.month, 1);
  const { code, message } = fail("not_kept", { end });
  return db.transaction().execute(async (transaction) => {
    const own = sql`dataset = any (${[...going.datasets]}::text[]) and class <> 'snapshot'`;
    const open = await sql`
      select from ops.slice
      where  ${own} and state in ('pending', 'running', 'deferred') and window_start < ${end}::date and (state = 'running' or window_end > ${end}::date)
      limit  1`.execute(transaction);
    if (open.rows.length > 0) return false;
    await sql`
      update ops.slice set state = 'skipped', error_code = ${code}, error_message = ${message}, due_at = null, ended_at = ${at(now)}
      where  ${own} and state in ('pending', 'deferred', 'failed') and window_end <= ${end}::date`.execute(transaction);
    await sql`
      insert into ops.dropped_month as m (dataset, table_name, month_start, action, rows_gone, bytes_gone, dropped_by, dropped_at, is_done)
      select dataset, ${going.table}, ${going.month}::date, ${going.action}, ${going.rows}, ${going.bytes}, current_user, ${at(now)}, false
      from   unnest(${[...going.datasets]}::text[]) as dataset
      on conflict (dataset, table_name, month_start) do update
      set    action = excluded.action, dropped_by = excluded.dropped_by, dropped_at = excluded.dropped_at, is_done = false,
             rows_gone = excluded.rows_gone, bytes_gone = excluded.bytes_gone`.execute(transaction);
    return true;
  });
}

/** Notes that a month is gone. */
export async function noteGone(db: Database, { table, month }: Pick<DroppedMonth, "table" | "month">): Promise<void> {
  await sql`update ops.dropped_month set is_done = true where table_name = ${table} and month_start = ${month}::date`.execute(
    db,
  );
}

/** Months that were noted and whose removal was interrupted. */
export async function halfDropped(db: Database): Promise<readonly DroppedMonth[]> {
  const { rows } = await sql<DroppedMonth>`
    select array_agg(dataset order by dataset) as datasets, table_name as "table", month_start as month, action, rows_gone::float8 as rows, bytes_gone::float8 as bytes
    from   ops.dropped_month
    where  not is_done
    group  by table_name, month_start, action, rows_gone, bytes_gone
    order  by table_name, month_start`.execute(db);
  return rows;
}

/** SQL: the day before which the answered days of a slice of `ops.slice as s` were dropped since; null where none were. */
export const goneBefore = sql<Day | null>`(
  select max((m.month_start + interval '1 month')::date) from ops.dropped_month as m
  where  m.dataset = s.dataset and m.dropped_at >= s.ended_at and s.state in ('loaded', 'empty'))`;

function at(instant: number): ReturnType<typeof sql> {
  return sql`${new Date(instant).toISOString()}::timestamptz`;
}

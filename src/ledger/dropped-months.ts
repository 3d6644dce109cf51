import { instant, sql, type SqlFragment } from "../postgres/sql.ts";
import { addMonths, type Day } from "../core/day.ts";
import { fail } from "../core/errors.ts";
import type { Database } from "../postgres/database.ts";
import { isOpen } from "./open-slices.ts";

/** A month of a table that is dropped, and the datasets that write the table, if any. */
export type DroppedMonth = {
  readonly datasets: readonly string[];
  readonly table: string;
  readonly month: Day;
  readonly action: "drop" | "detach";
  readonly rows: number;
  readonly bytes: number;
};

/**
 * Notes that a month is dropped, in the transaction that drops it: from then on its answered days count as dropped. Slices that wait, or
 * failed, for days before its end no longer run. False if a slice that runs, or is about to run, may write to it: then the transaction must
 * be rolled back.
 */
export async function noteDropped(transaction: Database, going: DroppedMonth, now: number): Promise<boolean> {
  const end = addMonths(going.month, 1);
  const own = isOf(going.datasets);
  await leaveUnkept(transaction, { datasets: going.datasets, end }, now);
  // after that statement, which waited for any process that was claiming one of the slices: such a slice is now visible as running
  const open = await sql`
    select from ops.slice
    where  ${own} and ${isOpen("slice")} and window_start < ${end}::date
    limit  1`.execute(transaction);
  if (open.rows.length > 0) return false;
  await sql`
    insert into ops.dropped_month as m (dataset, table_name, month_start, action, rows_gone, bytes_gone, dropped_by, dropped_at, is_done)
    select dataset, ${going.table}, ${going.month}::date, ${going.action}, ${going.rows}, ${going.bytes}, current_user, ${instant(now)}, false
    from   unnest(${going.datasets.length === 0 ? [""] : [...going.datasets]}::text[]) as dataset
    on conflict (dataset, table_name, month_start) do update
    set    action = excluded.action, dropped_by = excluded.dropped_by, dropped_at = excluded.dropped_at, is_done = false,
           rows_gone = greatest(m.rows_gone, excluded.rows_gone), bytes_gone = greatest(m.bytes_gone, excluded.bytes_gone)`.execute(
    transaction,
  );
  return true;
}

/** SQL: true for a slice of days of these datasets. */
function isOf(datasets: readonly string[]): SqlFragment<boolean> {
  return sql<boolean>`(dataset = any (${[...datasets]}::text[]) and class <> 'snapshot')`;
}

/** Stops slices that wait, or failed, for days before `end` from running: their rows would not be kept. */
export async function leaveUnkept(
  db: Database,
  { datasets, end }: { readonly datasets: readonly string[]; readonly end: Day },
  now: number,
): Promise<void> {
  const { code, message } = fail("not_kept", { end });
  await sql`
    update ops.slice set state = 'skipped', error_code = ${code}, error_message = ${message}, due_at = null, ended_at = ${instant(now)}
    where  ${isOf(datasets)} and state in ('pending', 'deferred', 'failed') and window_end <= ${end}::date`.execute(db);
}

/** The answers of a month so far, as a text that changes with every slice that loads into it. */
export async function answersOf(
  db: Database,
  { datasets, month }: Pick<DroppedMonth, "datasets" | "month">,
): Promise<string> {
  const { rows } = await sql<{ answers: string }>`
    select count(*) || ' ' || coalesce(sum(hashtextextended(concat_ws(' ', slice_id, attempt, ended_at), 0)), 0) as answers
    from   ops.slice
    where  dataset = any (${[...datasets]}::text[]) and state in ('loaded', 'empty')
    and    window_start < ${addMonths(month, 1)}::date and window_end > ${month}::date`.execute(db);
  return rows[0]?.answers ?? "";
}

/**
 * Forgets the digests of the answers of a month whose rows are removed: if one is requested again, it is loaded although it is the same.
 * Before the table is locked, since this may take long.
 */
export async function forgetDigests(
  transaction: Database,
  { datasets, month }: Pick<DroppedMonth, "datasets" | "month">,
): Promise<void> {
  await sql`
    update ops.slice set answer_digest = null
    where  dataset = any (${[...datasets]}::text[]) and state = 'loaded' and answer_digest is not null
    and    window_start < ${addMonths(month, 1)}::date and window_end > ${month}::date`.execute(transaction);
}

/** Notes that a month was dropped, so that it is not dropped again because of this note. */
export async function noteGone(
  transaction: Database,
  { table, month }: Pick<DroppedMonth, "table" | "month">,
): Promise<void> {
  await sql`update ops.dropped_month set is_done = true where table_name = ${table} and month_start = ${month}::date`.execute(
    transaction,
  );
}

/** SQL: the day before which the answered days of a slice of `ops.slice_log as s` have been dropped; null if none were. */
export const goneBefore = sql<Day | null>`(
  select max((m.month_start + interval '1 month')::date) from ops.retention_log as m
  where  m.dataset = s.dataset and m.dropped_at >= s.ended_at and s.state in ('loaded', 'empty'))`;

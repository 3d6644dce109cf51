import { sql, type SqlFragment } from "../postgres/sql.ts";
import type { Day } from "../core/day.ts";
import type { Slice, SliceState } from "../core/slice.ts";
import type { Window } from "../core/window.ts";
import type { Database } from "../postgres/database.ts";
import { goneBefore } from "./dropped-months.ts";
import { itemsOf } from "./batches.ts";
import { ownColumns, type OwnRow, sliceWith } from "./slice-rows.ts";

/** A slice with landed pages, and its state. Retention has dropped its days before `goneBefore`. */
export type LandedSlice = Slice & { readonly goneBefore: Day | null; readonly state: SliceState };

/** Slices in memory at a time. */
const pageSize = 500;

/**
 * The slices of a dataset whose answers were loaded, or would be loaded now, in the order in which the answers came. They are read as of
 * the first one, without those whose days retention has dropped. `within` selects windows that touch it. Every slice has at least one
 * landed page. They are found and sorted once and then read through a cursor, so this needs a transaction, which only one such reading at a
 * time may use.
 */
export async function* landedSlices(
  transaction: Database,
  dataset: string,
  within: Partial<Window>,
  states: readonly SliceState[] = mayBeLoaded,
): AsyncGenerator<LandedSlice> {
  const isWanted = sql`
    s.dataset = ${dataset} and s.window_end > ${within.start ?? "-infinity"}::date and s.window_start < ${within.end ?? "infinity"}::date`;
  await sql`declare landed_slices no scroll cursor for ${landedRows(isWanted, states)}`.execute(transaction);
  // the next page is requested before this one is used up: otherwise the caller would wait behind the writes of the transaction
  let next = readPage(transaction, new Map());
  try {
    for (;;) {
      const { rows, items } = await next;
      const isLast = rows.length < pageSize;
      if (!isLast) {
        next = readPage(transaction, items);
        // the next `await` throws it
        next.catch(() => undefined);
      }
      for (const row of rows) yield sliceOfRow(row, items);
      if (isLast) break;
    }
  } finally {
    // no read may be under way when the transaction ends
    await next.catch(() => undefined);
  }
  await sql`close landed_slices`.execute(transaction);
}

/** The slice with this number, if its answer was loaded, or would be loaded now; null if not. */
export async function landedSlice(db: Database, sliceId: string): Promise<LandedSlice | null> {
  const { rows } = await landedRows(sql`s.slice_id = ${sliceId}`, mayBeLoaded).execute(db);
  const [row] = rows;
  return row === undefined ? null : sliceOfRow(row, await itemsOfPage(db, rows, new Map()));
}

const mayBeLoaded: readonly SliceState[] = ["loaded", "empty", "failed", "lost"];

/** SQL: slices `s` with a landed page in some states, and those whose answer is held, in the order in which the answers came. */
function landedRows(isWanted: SqlFragment, states: readonly SliceState[]): SqlFragment<LandedRow> {
  return sql<LandedRow>`
    select ${ownColumns}, s.batch_id, s.state, ${goneBefore} as dropped_before
    from   ops.slice as s
    cross  join lateral (select max(a.fetched_at) as landed_at from raw.answer as a where a.slice_id = s.slice_id) as landed
    where  ${isWanted} and landed.landed_at is not null
    and    coalesce(${goneBefore}, date '-infinity') < s.window_end
    -- an answer that is held is loaded as far as it says what is there
    and    (s.state = any (${[...states]}::text[]) or s.error_code = 'answer_held' and 'failed' = any (${[...states]}::text[]))
    -- what came before a snapshot was moved to its day is not its answer
    and    (s.class <> 'snapshot' or s.state not in ('failed', 'lost') or (landed.landed_at at time zone 'UTC')::date >= s.window_start)
    order  by landed.landed_at, s.slice_id`;
}

function sliceOfRow(row: LandedRow, items: Page["items"]): LandedSlice {
  const slice = sliceWith(row, row.batch_id === null ? null : (items.get(row.batch_id) ?? null));
  return { ...slice, goneBefore: row.dropped_before, state: row.state };
}

type LandedRow = OwnRow & { batch_id: string | null; state: SliceState; dropped_before: Day | null };

/** Slices of the cursor, and the items of their batches. */
type Page = { readonly rows: readonly LandedRow[]; readonly items: ReadonlyMap<string, readonly string[]> };

async function readPage(transaction: Database, known: Page["items"]): Promise<Page> {
  const { rows } = await sql<LandedRow>`fetch ${sql.lit(pageSize)} from landed_slices`.execute(transaction);
  return { rows, items: await itemsOfPage(transaction, rows, known) };
}

/** The items of the batches of some rows; slices of many days share a few batches, and known ones are not read again. */
async function itemsOfPage(
  db: Database,
  rows: readonly LandedRow[],
  known: ReadonlyMap<string, readonly string[]>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const needed = [...new Set(rows.flatMap(({ batch_id: id }) => (id === null ? [] : [id])))];
  const read = await itemsOf(
    db,
    needed.filter((id) => !known.has(id)),
  );
  return new Map(needed.map((id) => [id, (known.get(id) ?? read.get(id)) as readonly string[]]));
}

/** Slices whose loaded answer is no longer stored, how many of them are folded into others, and their first and last day. */
export type MissingAnswers = {
  readonly slices: number;
  readonly folded: number;
  readonly from: Day | null;
  readonly to: Day | null;
};

/**
 * Counts the loaded slices of a dataset whose answers were pruned; only windows that touch `within`, without those whose days were dropped.
 * An answer without a body was never stored. Folded slices count with the days of their month.
 */
export async function missingAnswers(db: Database, dataset: string, within: Partial<Window>): Promise<MissingAnswers> {
  const { rows } = await sql<MissingAnswers>`
    with folded as (
      select coalesce(sum(m.slice_count), 0) as slices, min(m.month_start) as first_day, max((m.month_start + interval '1 month')::date - 1) as last_day
      from   ops.folded_month as m
      where  m.dataset = ${dataset} and m.slice_count > 0
      and    m.month_start + interval '1 month' > ${within.start ?? "-infinity"}::date and m.month_start < ${within.end ?? "infinity"}::date
    ), pruned as (
      select count(*) as slices, min(s.window_start) as first_day, max(s.window_end - 1) as last_day
      from   ops.slice as s
      where  s.dataset = ${dataset} and s.state in ('loaded', 'empty') and s.error_code is null
      and    s.window_end > ${within.start ?? "-infinity"}::date and s.window_start < ${within.end ?? "infinity"}::date
      and    coalesce(${goneBefore}, date '-infinity') < s.window_end
      and    not exists (select from raw.answer as a where a.slice_id = s.slice_id)
    )
    select (pruned.slices + folded.slices)::float8 as slices, folded.slices::float8 as folded,
           least(pruned.first_day, folded.first_day) as "from", greatest(pruned.last_day, folded.last_day) as "to"
    from   pruned, folded`.execute(db);
  return rows[0] as MissingAnswers;
}

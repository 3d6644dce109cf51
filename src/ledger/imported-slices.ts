import { sql } from "../postgres/sql.ts";
import type { Slice, SliceDraft } from "../core/slice.ts";
import type { Database } from "../postgres/database.ts";
import { insertSlices, sliceColumns, sliceOf, type SliceRow } from "./slices.ts";

/** What `ops.request` says of an answer that was imported from a file: nothing was sent, so no account was charged. */
export const importedRequest = {
  accountId: "import",
  status: 200,
  errorCode: null,
  cost: 0,
  remaining: null,
  durationMs: 0,
  workerId: null,
} as const;

/** A slice that may have been answered by the same answer, and whether its answer is still stored. */
type StoredAnswer = { readonly slice: Slice; readonly isStored: boolean };

/**
 * Slices that were loaded for the same thing. With `times` (epoch-ms by page) those whose pages came at just these times, also when
 * their answer was pruned since; without, all whose answer is stored.
 */
export async function storedAnswers(
  db: Database,
  draft: SliceDraft,
  times: readonly number[] | null,
): Promise<readonly StoredAnswer[]> {
  const came = (times ?? []).map((time) => new Date(time).toISOString());
  const { rows } = await sql<SliceRow & { is_stored: boolean }>`
    select *
    from  (select ${sliceColumns}, exists (select from raw.answer as a where a.slice_id = s.slice_id) as is_stored
           from   ops.slice as s
           left   join ops.batch as b on b.batch_id = s.batch_id
           where  s.dataset = ${draft.dataset} and s.operation = ${draft.operation} and s.state in ('loaded', 'empty')
           and    s.scope = ${JSON.stringify(draft.scope)}::jsonb and s.window_start = ${draft.window.start}
           and    (s.window_end = ${draft.window.end} or s.requested_end = ${draft.window.end})
           and    b.items is not distinct from ${draft.items === null ? null : [...draft.items]}::text[]
           and    not exists (select from unnest(${came}::timestamptz[]) with ordinality as page (at, number)
                              where  not exists (select from ops.request as q
                                                 where q.slice_id = s.slice_id and q.page = page.number - 1 and q.received_at = page.at and q.error_code is null))) as alike
    where  is_stored or ${times !== null}
    order  by is_stored desc, slice_id`.execute(db);
  return rows.map((row) => ({ slice: sliceOf(row), isStored: row.is_stored }));
}

/**
 * A slice for an answer that is there already, in a final state from the start, so that nobody requests it: the one that waits for the same
 * where there is one, and the answer is not older than its plan. Null when one is under way. To be called in the transaction that
 * loads the answer.
 */
export async function takeSlice(db: Database, runId: string, draft: SliceDraft, now: number): Promise<Slice | null> {
  const at = sql`${new Date(now).toISOString()}::timestamptz`;
  const [inserted] = await insertSlices(db, runId, [draft], now);
  const { rows } = await sql<SliceRow>`
    with taken as (
      update ops.slice as s
      set    state = 'loaded', operation = ${draft.operation}, as_of = ${draft.asOf}, fingerprint = ${draft.fingerprint}, run_id = ${runId},
             worker_id = null, attempt = attempt + 1, due_at = null, error_code = null, error_message = null, started_at = ${at}, ended_at = ${at}
      where  ${inserted === undefined ? waitsFor(draft) : sql`s.slice_id = ${inserted}`}
      returning *
    )
    select ${sliceColumns} from taken as s left join ops.batch as b on b.batch_id = s.batch_id`.execute(db);
  const [row] = rows;
  return row === undefined ? null : sliceOf(row);
}

function waitsFor(draft: SliceDraft): ReturnType<typeof sql> {
  return sql`
    s.dataset = ${draft.dataset} and s.scope = ${JSON.stringify(draft.scope)}::jsonb
    and s.window_start = ${draft.window.start} and s.window_end = ${draft.window.end} and s.as_of <= ${draft.asOf}
    and s.state in ('pending', 'deferred')
    and (select items from ops.batch as b where b.batch_id = s.batch_id) is not distinct from ${draft.items === null ? null : [...draft.items]}::text[]`;
}

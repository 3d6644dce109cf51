import { sql } from "kysely";
import { addDays, type Day } from "../core/day.ts";
import { fail } from "../core/errors.ts";
import type { Slice } from "../core/slice.ts";
import { holds, type Window } from "../core/window.ts";
import type { Database } from "../warehouse/database.ts";

/**
 * The days of a window after the newest one that its answer tells of; null where that is the last, or where the answer tells of none:
 * then the whole slice is empty.
 */
export function untoldDays(window: Window, toldUntil: Day | null): Window | null {
  if (toldUntil === null || !holds(window, toldUntil)) return null;
  const start = addDays(toldUntil, 1);
  return start < window.end ? { start, end: window.end } : null;
}

/**
 * Takes the last days of a slice's window, of which its answer tells nothing, out of it, so that no coverage is claimed for them, and
 * notes them as an empty slice of their own, which costs nothing: the plan asks for them again while they may be late. Where a later
 * slice is about them already, that one decides. To be called in the transaction that ends the slice.
 */
export async function cutUntold(db: Database, slice: Slice, untold: Window): Promise<void> {
  const { code, message } = fail("no_content", { operation: slice.operation });
  const { rows } = await sql`
    update ops.slice set window_end = ${untold.start}
    where  slice_id = ${slice.sliceId} and attempt = ${slice.attempt} and window_start < ${untold.start}::date and window_end = ${untold.end}
    returning slice_id`.execute(db);
  if (rows.length === 0) return;
  // an error's code says that no answer of its own is stored for it
  await sql`
    insert into ops.slice (dataset, operation, scope, batch_id, window_start, window_end, as_of, fingerprint, class, state, planned_requests,
                           planned_credits, run_id, worker_id, attempt, error_code, error_message, created_at, started_at, ended_at)
    select dataset, operation, scope, batch_id, ${untold.start}, ${untold.end}, as_of, fingerprint, class, 'empty', 0,
           0, run_id, worker_id, attempt, ${code}, ${message}, created_at, started_at, ended_at
    from   ops.slice as s
    where  s.slice_id = ${slice.sliceId}
    and    not exists (
      select from ops.slice as x
      left   join ops.batch as b on b.batch_id = x.batch_id
      where  hashtextextended(x.scope::text, 0) = hashtextextended(s.scope::text, 0) and x.window_end > ${untold.start}::date
      and    x.window_start < ${untold.end}::date and x.dataset = s.dataset and x.scope = s.scope and x.slice_id > s.slice_id
      and    (x.batch_id is null or b.items && (select items from ops.batch as own where own.batch_id = s.batch_id)))`.execute(
    db,
  );
}

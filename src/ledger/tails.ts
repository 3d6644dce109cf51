import { sql } from "../postgres/sql.ts";
import { fail } from "../core/errors.ts";
import { pagePrice, type Slice, type SliceDraft } from "../core/slice.ts";
import { windowLength, type Window } from "../core/window.ts";
import type { Database } from "../postgres/database.ts";
import { turnAfterPlan } from "./queue-turn.ts";
import { hasSameScope } from "./same-scope.ts";
import { insertSlices } from "./slices.ts";

/**
 * The last days of a slice's window that its answer reports nothing about. `isLate`: they may not be published yet, and a plan requests
 * them again on a later day.
 */
export type Tail = { readonly window: Window; readonly isLate: boolean };

/**
 * Takes the tail of a slice out of it, so that no coverage is claimed for days that were not answered, and queues it as a separate slice in
 * the same run and plan: two answers without a row make days empty. A late tail is empty at once, and so is a tail that the same answer
 * left out before and that came back empty then; both cost nothing. If a later slice is about these days, that one decides. If `now`
 * (epoch-ms) is null, nothing is queued, and the plan requests the days. To be called in the transaction that ends the slice.
 */
export async function cutTail(db: Database, slice: Slice, tail: Tail, now: number | null): Promise<void> {
  const { start, end } = tail.window;
  const { rows } = await sql`
    update ops.slice set window_end = ${start}, requested_end = coalesce(requested_end, window_end)
    where  slice_id = ${slice.sliceId} and attempt = ${slice.attempt} and window_start < ${start}::date and window_end = ${end}
    returning slice_id`.execute(db);
  if (rows.length === 0) return;
  const known = await sql<{ later: boolean; empty: boolean }>`
    select coalesce(bool_or(x.slice_id > s.slice_id), false) as later,
           coalesce(bool_or(x.state = 'empty' and x.tail_of is not null and x.window_start <= ${start}::date
                            and x.window_end >= ${end}::date - 1), false) as empty
    from   ops.slice as s
    join   ops.slice as x on ${hasSameScope("x", "s")} and x.window_end > ${start}::date and x.window_start < ${end}::date and x.slice_id <> s.slice_id
    left   join ops.batch as b on b.batch_id = x.batch_id
    where  s.slice_id = ${slice.sliceId}
    and    (x.batch_id is null or b.items && (select items from ops.batch as own where own.batch_id = s.batch_id))`.execute(
    db,
  );
  const { later = false, empty = false } = known.rows[0] ?? {};
  if (later) return;
  if (tail.isLate || empty) await noteEmpty(db, slice, tail.window);
  else if (now !== null) await queueAdditional(db, slice, tailDraft(slice, tail.window), now);
}

/** The request for a tail. Its expected pages are in proportion to its share of the days of the window. */
function tailDraft(slice: Slice, window: Window): SliceDraft {
  const share = windowLength(window) / windowLength(slice.window);
  const requests = Math.max(1, Math.ceil(slice.requests * share));
  return { ...slice, window, requests, credits: requests * pagePrice(slice), tailOf: slice.sliceId };
}

/**
 * Queues an additional slice that another slice led to, in the plan and the current run of that slice. Its turn is by class and day, except
 * that a tail comes after all slices of its plan: their price was agreed to, and tails have only what they leave of it.
 */
export async function queueAdditional(db: Database, slice: Slice, draft: SliceDraft, now: number): Promise<void> {
  const ids = await insertSlices(db, slice.runId, [draft], now);
  if (ids.length === 0) return;
  await sql`
    update ops.slice as s set plan_id = first.plan_id, retried_at = first.retried_at,
           turn = case when first.plan_id is not null and s.tail_of is not null then ${turnAfterPlan} else s.turn end
    from   ops.slice as first
    where  first.slice_id = ${slice.sliceId} and s.slice_id = any (${[...ids]}::bigint[])`.execute(db);
  await sql`
    update ops.run set planned_slices = planned_slices + 1, planned_credits = planned_credits + ${draft.credits}
    where  run_id = ${slice.runId}`.execute(db);
}

/** Its error code means that it has no stored answer of its own. */
async function noteEmpty(db: Database, slice: Slice, window: Window): Promise<void> {
  const { code, message } = fail("no_content", { operation: slice.operation });
  await sql`
    insert into ops.slice (dataset, operation, scope, batch_id, window_start, window_end, tail_of, as_of, fingerprint, class, state, planned_requests,
                           planned_credits, run_id, worker_id, attempt, error_code, error_message, created_at, started_at, ended_at)
    select dataset, operation, scope, batch_id, ${window.start}, ${window.end}, slice_id, as_of, fingerprint, class, 'empty', 0,
           0, run_id, worker_id, attempt, ${code}, ${message}, created_at, started_at, ended_at
    from   ops.slice
    where  slice_id = ${slice.sliceId}`.execute(db);
}

import { instant, sql } from "../postgres/sql.ts";
import type { Day } from "../core/day.ts";
import type { Slice, SliceDraft } from "../core/slice.ts";
import { cleanText } from "../core/text.ts";
import { oneDay } from "../core/window.ts";
import type { Database } from "../postgres/database.ts";
import { batchNumbers, digestOf, insertBatches } from "./batches.ts";
import { turnOf } from "./queue-turn.ts";
import { hasSameScope, isOfScope } from "./same-scope.ts";
import { announceQueued, isShared } from "./shared-queue.ts";
import { markUnreadable } from "./unreadable-pages.ts";

/*
 * The life of a slice, by its state and the function that changes it:
 *
 *   (new)    --insertSlices--> pending
 *            --noteEmpty--> empty (the last days of a window that an answer says nothing about)
 *            --skipUnanswered--> skipped (items that an answer does not name)
 *            --noteLostDays, noteMoved--> lost (snapshots that were not requested in time)
 *   pending  --claimNext, claimAll--> running
 *   running  --endAttempts, endUnchanged--> loaded | empty | skipped | failed
 *            --releaseStopped, releaseOrphanedClaims, releaseFormerClaims--> pending (a stop, or a lost connection)
 *            --splitSlice, dropKnownRefused--> pending (with some of its items)
 *            --endAttempts--> pending (an error that may pass: not before `due_at`)
 *            --endAttempts--> pending (a replay rebuilds its dataset: not before `due_at`)
 *            --endAttempts--> deferred (no credits, or no room in a budget: not before `due_at`)
 *            --releaseOrphanedClaims--> pending (its worker does not run it: the claim or the end was lost)
 *            --reconcile--> pending (its worker died; poison.ts says when it becomes failed instead)
 *   deferred --wakeDue, resumeAffordable, resumeWithinBudgets, cancelBeyondPrices--> pending
 *   pending, deferred
 *            --takeSlices--> loaded | empty | failed (an import or the gateway has its answer)
 *            --leaveUnkept--> skipped (its days are no longer kept; also a failed one)
 *            --returnToFailed--> failed | skipped (as before a retry that was stopped)
 *            --cancelBeyondPrices, cancelRestOfPlan, cancelPlan--> failed (a page of it is stored)
 *   failed   --queueTries (automatically), reopen (storehouse retry)--> pending
 *            --noteLostDays--> lost (a snapshot whose time is over, the first one of its round)
 *   loaded   --holdAnswer, skipUnanswered--> skipped (in the transaction that loads it)
 *   skipped  --agreeToHeld--> loaded (a person applies an answer that was held)
 *            --reopen (storehouse retry)--> pending
 *   loaded, empty, failed, lost
 *            --noteOutcomes--> loaded | empty | failed (its stored answer is read again, by a replay or an import)
 *
 * cancel-slices.ts deletes cancelled slices, and join-waiting.ts those whose days a newer one takes over; adopt-slices.ts moves open ones
 * from run to run, and waiting-elsewhere.ts those that wait for another account, which become pending. Each claim raises `attempt`: every
 * statement that ends an attempt names it, and does nothing if another claim came in between.
 */

/**
 * Inserts planned slices as pending and returns their numbers in the same order. It does not insert slices that are open already, nor a
 * snapshot if one waits from an earlier day: its answer will be about today.
 */
export async function insertSlices(
  db: Database,
  runId: string,
  drafts: readonly SliceDraft[],
  now: number,
): Promise<readonly string[]> {
  if (drafts.length === 0) return [];
  const batchIds = await insertBatches(db, drafts);
  const rows = drafts.map((draft, position) => ({
    position,
    dataset: draft.dataset,
    operation: draft.operation,
    scope: draft.scope,
    batch_id: draft.items === null || draft.items.length === 0 ? null : batchIds.get(digestOf(draft.items)),
    window_start: draft.window.start,
    window_end: draft.window.end,
    as_of: draft.asOf,
    fingerprint: draft.fingerprint,
    class: draft.class,
    planned_requests: draft.requests,
    planned_credits: draft.credits,
    tail_of: draft.tailOf ?? null,
    last_day: draft.lastDay ?? draft.window.start,
    created_at: new Date(draft.waitsSince ?? now),
  }));
  const waiting = await leftToWaiting(
    db,
    runId,
    rows.filter((row) => row.class === "snapshot"),
  );
  const inserted = await sql<{ slice_id: string; queue_id: string }>`
    insert into ops.slice (dataset, operation, scope, batch_id, window_start, window_end, as_of, fingerprint, class, state,
                           planned_requests, planned_credits, tail_of, run_id, plan_id, queue_id, turn, created_at)
    select dataset, operation, scope, batch_id, window_start, window_end, as_of, fingerprint, class, 'pending',
           planned_requests, planned_credits, tail_of, run_id, plan_id, queue_id, ${turnOf(sql`run.account`)}, created_at
    from   jsonb_to_recordset(${JSON.stringify(rows.filter(({ position }) => !waiting.has(position)))}::jsonb) as s
           (dataset text, operation text, scope jsonb, batch_id bigint, window_start date, window_end date, as_of date,
            fingerprint text, class text, planned_requests integer, planned_credits integer, tail_of bigint, last_day date, created_at timestamptz, position integer)
    cross  join (select r.run_id, r.plan_id, r.account, coalesce(r.worker_id, r.shared_queue_id) as queue_id, coalesce(p.newest_first, true) as newest_first
                 from   ops.run as r left join ops.plan as p using (plan_id) where r.run_id = ${runId}) as run
    order  by position
    on conflict do nothing
    returning slice_id, queue_id`.execute(db);
  if (isShared(inserted.rows[0]?.queue_id ?? "1")) await announceQueued(db);
  return inserted.rows.map((row) => row.slice_id);
}

type SnapshotRow = Pick<SliceDraft, "dataset" | "scope" | "fingerprint"> & {
  readonly position: number;
  readonly batch_id: string | null | undefined;
};

/** The positions of snapshots of a sync that wait already from an earlier day; the waiting slice gets the current fingerprint. */
async function leftToWaiting(db: Database, runId: string, rows: readonly SnapshotRow[]): Promise<ReadonlySet<number>> {
  if (rows.length === 0) return new Set();
  const found = await sql<{ position: number }>`
    update ops.slice as s set fingerprint = p.fingerprint
    from   jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as p (dataset text, scope jsonb, batch_id bigint, fingerprint text, position integer)
    where  s.class = 'snapshot' and s.state in ('pending', 'deferred')
    and    ${hasSameScope("s", "p")} and coalesce(s.batch_id, 0) = coalesce(p.batch_id, 0)
    -- a plan that a person agreed to is queued whole
    and    exists (select from ops.run as r where r.run_id = ${runId} and r.kind in ('sync', 'schedule'))
    -- a stored answer is about its own day and fingerprint
    and    not exists (select from raw.answer as a where a.slice_id = s.slice_id)
    returning p.position`.execute(db);
  return new Set(found.rows.map(({ position }) => position));
}

/** How an attempt ended. `dueAt` in epoch-ms, for `pending` and `deferred`. */
export type Ending = {
  readonly state: "pending" | "deferred" | "loaded" | "empty" | "skipped" | "failed";
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly dueAt: number | null;
  /** True when the attempt counts against the slice. */
  readonly counts: boolean;
  readonly rowsLoaded: number;
  readonly rowsRejected: number;
  /** Digest, as hex, of an answer that was loaded completely. */
  readonly answerDigest?: string | undefined;
};

/** Ends an attempt; false if another attempt has taken the slice over: then nothing is written. */
export async function endAttempt(db: Database, slice: Slice, ending: Ending, now: number): Promise<boolean> {
  return (await endAttempts(db, [{ slice, ending }], now)).has(slice.sliceId);
}

/**
 * Ends attempts of different slices in one statement. Returns the numbers of those that had not been taken over; for the others nothing is
 * written.
 */
export async function endAttempts(
  db: Database,
  ends: readonly { readonly slice: Slice; readonly ending: Ending }[],
  now: number,
): Promise<ReadonlySet<string>> {
  await markUnreadable(db, ends);
  const ids = ends.map(({ slice }) => slice.sliceId);
  const column = (of: (end: { slice: Slice; ending: Ending }) => unknown) => ends.map(of);
  // the state is a column of the rows, so that Postgres searches by the key: a condition on it would make the planner choose an index of open
  // slices, which is full of dead entries by the end of a run, or read the whole table
  const ended = await sql<{ slice_id: string }>`
    update ops.slice as s
    set    state = e.state, error_code = e.error_code, error_message = e.error_message, due_at = e.due_at,
           failures = s.failures + e.failures, rows_loaded = e.rows_loaded, rows_rejected = e.rows_rejected,
           answer_digest = decode(e.answer_digest, 'hex'), ended_at = ${instant(now)}
    from   unnest(${ids}::bigint[], ${column(({ slice }) => slice.attempt)}::integer[], ${column(({ ending }) => ending.state)}::text[],
                  ${column(({ ending }) => ending.error?.code ?? null)}::text[],
                  ${column(({ ending }) => (ending.error === null ? null : cleanText(ending.error.message)))}::text[],
                  ${column(({ ending }) => (ending.dueAt === null ? null : new Date(ending.dueAt).toISOString()))}::timestamptz[],
                  ${column(({ ending }) => (ending.counts ? 1 : 0))}::integer[], ${column(({ ending }) => ending.rowsLoaded)}::integer[],
                  ${column(({ ending }) => ending.rowsRejected)}::integer[], ${column(({ ending }) => ending.answerDigest ?? null)}::text[],
                  ${column(() => "running")}::text[])
           as e (slice_id, attempt, state, error_code, error_message, due_at, failures, rows_loaded, rows_rejected, answer_digest, was)
    where  s.slice_id = e.slice_id and s.attempt = e.attempt and s.state = e.was
    returning s.slice_id`.execute(db);
  return new Set(ended.rows.map((row) => row.slice_id));
}

/** How often the slice has failed so far, and how often it was requested again automatically after all attempts had failed. */
export async function failuresOf(
  db: Database,
  slice: Slice,
): Promise<{ readonly failures: number; readonly laterTries: number }> {
  const { rows } = await sql<{ failures: number; laterTries: number }>`
    select failures, later_tries as "laterTries" from ops.slice where slice_id = ${slice.sliceId}`.execute(db);
  return rows[0] ?? { failures: 0, laterTries: 0 };
}

/**
 * Splits a refused slice, so that one bad item does not cost the others: it keeps the first half of its items and becomes pending, and the
 * rest becomes a new slice. To be called in a transaction. Returns both numbers; none if the slice was taken over.
 */
export async function splitSlice(db: Database, slice: Slice, now: number): Promise<readonly string[]> {
  const items = slice.items ?? [];
  const middle = Math.ceil(items.length / 2);
  const first = { ...slice, items: items.slice(0, middle) };
  const second = { ...slice, items: items.slice(middle) };
  const [batch] = await batchNumbers(db, [first.items]);
  const kept = await sql`
    update ops.slice set state = 'pending', batch_id = ${batch}
    where  slice_id = ${slice.sliceId} and attempt = ${slice.attempt} and state = 'running'
    returning slice_id`.execute(db);
  if (kept.rows.length === 0) return [];
  const rest = await insertSlices(db, slice.runId, [second], now);
  // of the same plan and day, even if another run has adopted it; it has its own request, so the run has planned one slice more
  await sql`
    with rest as (
      update ops.slice as s set plan_id = first.plan_id, turn = first.turn, retried_at = first.retried_at, created_at = first.created_at
      from   ops.slice as first
      where  first.slice_id = ${slice.sliceId} and s.slice_id = any (${[...rest]}::bigint[])
      returning s.run_id, s.planned_credits
    )
    update ops.run as r set planned_slices = r.planned_slices + 1, planned_credits = r.planned_credits + rest.planned_credits
    from   rest
    where  r.run_id = rest.run_id`.execute(db);
  return [slice.sliceId, ...rest];
}

/** Removes an item that was refused alone from the pending slices of its scope: each of them would be refused too. */
export async function dropRefused(db: Database, slice: Slice): Promise<void> {
  const [item] = slice.items ?? [];
  if (item === undefined || slice.items?.length !== 1) return;
  const waiting = sql`${isOfScope(slice)} and s.state = 'pending'`;
  const { rows } = await sql<{ batch_id: string; items: string[] }>`
    select distinct b.batch_id, b.items
    from   ops.slice as s
    join   ops.batch as b on b.batch_id = s.batch_id
    where  ${waiting} and ${item} = any (b.items) and cardinality(b.items) > 1`.execute(db);
  for (const { batch_id, items } of rows) {
    const rest = items.filter((other) => other !== item);
    const [batch] = await batchNumbers(db, [rest]);
    // a slice that waits for the outcome of this one need not wait any longer
    await sql`
      update ops.slice as s set batch_id = ${batch}, due_at = null
      where  ${waiting} and s.batch_id = ${batch_id}`.execute(db);
  }
}

/** Moves a running snapshot slice of an earlier day to today, since its answer will be about today. Returns the slice as it is then. */
export async function redate(db: Database, slice: Slice, today: Day): Promise<Slice> {
  const window = oneDay(today);
  const { rows } = await sql`
    update ops.slice set window_start = ${window.start}, window_end = ${window.end}, as_of = ${today}
    where  slice_id = ${slice.sliceId} and attempt = ${slice.attempt} and state = 'running'
    returning slice_id`.execute(db);
  return rows.length > 0 ? { ...slice, window, asOf: today } : slice;
}

/** Sets `as_of` of a running slice to the day on which it is requested, which decides whether its days are final. Returns the slice as it is then. */
export async function noteRequested(db: Database, slice: Slice, today: Day): Promise<Slice> {
  const { rows } = await sql`
    update ops.slice as s set as_of = ${today}
    where  s.slice_id = ${slice.sliceId} and s.attempt = ${slice.attempt} and s.state = 'running'
    returning s.slice_id`.execute(db);
  return rows.length > 0 ? { ...slice, asOf: today } : slice;
}

import { instant, sql } from "../postgres/sql.ts";
import { fail, type StorehouseError } from "../core/errors.ts";
import { changedSince, type Scope, type Slice } from "../core/slice.ts";
import { cleanText } from "../core/text.ts";
import type { Database } from "../postgres/database.ts";
import { batchNumbers } from "./batches.ts";
import { turnAfterRefusals } from "./queue-turn.ts";
import { hasSameScope, isOfScope } from "./same-scope.ts";

/**
 * Takes items that an answer does not name out of its slice, so that no coverage is claimed for them, and records them as a separate
 * skipped slice, which costs nothing: plans request them another way from then on. If no item is left, the slice itself is skipped. To be
 * called in the transaction that ends the slice.
 */
export async function skipUnanswered(db: Database, slice: Slice, unanswered: readonly string[]): Promise<void> {
  const rest = (slice.items ?? []).filter((item) => !unanswered.includes(item));
  const { code, message } = fail("not_tracked", { operation: slice.operation });
  if (rest.length === 0) {
    await sql`
      update ops.slice set state = 'skipped', error_code = ${code}, error_message = ${message}
      where  slice_id = ${slice.sliceId} and attempt = ${slice.attempt}`.execute(db);
    return;
  }
  const [kept, apart] = await batchNumbers(db, [rest, unanswered]);
  await sql`
    with apart as (
      insert into ops.slice (dataset, operation, scope, batch_id, window_start, window_end, as_of, fingerprint, class, state, planned_requests,
                             planned_credits, run_id, worker_id, attempt, error_code, error_message, created_at, started_at, ended_at)
      select dataset, operation, scope, ${apart}, window_start, window_end, as_of, fingerprint, class, 'skipped', planned_requests,
             0, run_id, worker_id, attempt, ${code}, ${message}, created_at, started_at, ended_at
      from   ops.slice
      where  slice_id = ${slice.sliceId}
      returning run_id
    )
    -- the run planned these items; one without planned slices, such as an import, planned nothing
    update ops.run as r set planned_slices = r.planned_slices + 1
    from   apart
    where  r.run_id = apart.run_id and r.planned_slices > 0`.execute(db);
  await sql`update ops.slice set batch_id = ${kept} where slice_id = ${slice.sliceId}`.execute(db);
}

/** Makes a running slice of a stopping process pending again. The error and counts of its earlier attempts stay. */
export async function releaseStopped(db: Database, slice: Slice, now: number): Promise<void> {
  await sql`
    update ops.slice set state = 'pending', due_at = null, ended_at = ${instant(now)}
    where  slice_id = ${slice.sliceId} and attempt = ${slice.attempt} and state = 'running'`.execute(db);
}

/**
 * Defers the pending slices of operations in a queue until an instant (epoch-ms): slices of other operations are sent first, and those about
 * the refused organisation or app last.
 */
export async function putOffOperations(
  db: Database,
  {
    queueId,
    account,
    operations,
    until,
  }: {
    readonly queueId: string;
    readonly account: string;
    readonly operations: readonly string[];
    readonly until: number;
  },
): Promise<void> {
  await sql`
    update ops.slice as s
    set    due_at = ${instant(until)}, turn = ${turnAfterRefusals(sql`${account}`)}
    where  queue_id = ${queueId}::bigint and state = 'pending' and operation = any (${[...operations]})`.execute(db);
}

/**
 * Changes the expected requests and credits of a running slice, once its answer reports them; false if another attempt has taken it over.
 */
export async function reprice(
  db: Database,
  slice: Pick<Slice, "sliceId" | "attempt">,
  { requests, credits }: Pick<Slice, "requests" | "credits">,
): Promise<boolean> {
  const { rows } = await sql`
    update ops.slice set planned_requests = ${requests}, planned_credits = ${credits}
    where  slice_id = ${slice.sliceId} and attempt = ${slice.attempt} and state = 'running'
    returning slice_id`.execute(db);
  return rows.length > 0;
}

/** A scope of a dataset whose last answer is no longer valid; with `fingerprint`, only if that answer was requested under it. */
export type Outdated = { readonly dataset: string; readonly scope: Scope; readonly fingerprint?: string };

/**
 * Makes scopes due again although their last answer is recent, because what it was requested under has changed. A scope with a slice that
 * waits or runs is left alone, since its answer is still to come.
 */
export async function makeDueAgain(db: Database, outdated: readonly Outdated[]): Promise<void> {
  await sql`
    update ops.slice as s
    set    fingerprint = ${changedSince}
    from   jsonb_to_recordset(${JSON.stringify(outdated)}::jsonb) as o (dataset text, scope jsonb, fingerprint text)
    where  s.slice_id = (select max(l.slice_id) from ops.slice as l
                         where  ${hasSameScope("l", "o")} and l.state not in ('failed', 'lost'))
    and    s.state in ('loaded', 'empty', 'skipped')
    and    (o.fingerprint is null or s.fingerprint = o.fingerprint)`.execute(db);
}

/** True if the last answer about a scope was made due again, and none has come since. */
export async function isDueAgain(db: Database, of: Outdated): Promise<boolean> {
  const { rows } = await sql<{ fingerprint: string }>`
    select s.fingerprint
    from   ops.slice as s
    where  ${isOfScope(of)} and s.state in ('loaded', 'empty', 'skipped')
    order  by s.slice_id desc
    limit  1`.execute(db);
  return rows[0]?.fingerprint === changedSince;
}

/** The outcome of a stored answer that was loaded again, or imported. */
export type LateOutcome = {
  readonly state: "loaded" | "empty" | "failed";
  readonly problem: StorehouseError | null;
  readonly rows: number;
  readonly rejects: number;
};

/**
 * Updates the outcome of slices in a final state, in a transaction that has begun with `findByKey`. A slice with a newer attempt is left
 * alone. An outcome that has not changed is not written. A lost day stays lost until its answer can be read.
 */
export async function noteOutcomes(
  db: Database,
  ends: readonly { readonly slice: Slice; readonly outcome: LateOutcome }[],
): Promise<void> {
  const column = (of: (outcome: LateOutcome) => unknown) => ends.map(({ outcome }) => of(outcome));
  await sql`
    update ops.slice as s
    set    state = e.state, error_code = e.error_code, error_message = e.error_message, due_at = null,
           rows_loaded = e.rows_loaded, rows_rejected = e.rows_rejected
    from   unnest(${ends.map(({ slice }) => slice.sliceId)}::bigint[], ${ends.map(({ slice }) => slice.attempt)}::integer[], ${column(({ state }) => state)}::text[],
                  ${column(({ problem }) => problem?.code ?? null)}::text[],
                  ${column(({ problem }) => (problem === null ? null : cleanText(problem.message)))}::text[],
                  ${column(({ rows }) => rows)}::integer[], ${column(({ rejects }) => rejects)}::integer[])
           as e (slice_id, attempt, state, error_code, error_message, rows_loaded, rows_rejected)
    where  s.slice_id = e.slice_id and s.attempt = e.attempt
    and    (s.state in ('loaded', 'empty', 'failed') or s.state = 'lost' and e.state <> 'failed')
    and    (s.state, s.error_code, s.error_message, s.due_at, s.rows_loaded, s.rows_rejected)
           is distinct from (e.state, e.error_code, e.error_message, null, e.rows_loaded, e.rows_rejected)`.execute(db);
}

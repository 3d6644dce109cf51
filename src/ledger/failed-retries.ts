import { instant, sql } from "../postgres/sql.ts";
import { dayOf, type Day } from "../core/day.ts";
import { unreadableCodes } from "../core/errors.ts";
import type { Scope } from "../core/slice.ts";
import type { Window } from "../core/window.ts";
import type { Database } from "../postgres/database.ts";
import { hasLanded } from "./cancel-slices.ts";
import { ofTiming } from "./dataset-timings.ts";
import { isOpen, likelyCredits, requestsLeft, type OpenWork } from "./open-slices.ts";
import { isUnrefused } from "./queue-turn.ts";
import { addPlanned, queueOf } from "./runs.ts";
import { hasSameList } from "./same-scope.ts";
import { isAlive } from "./workers.ts";

/**
 * Which failed slices are retried: those of `datasets`, which the configuration does not switch off. `on`: the datasets whose slices are
 * retried also if a person started them. `withoutRefused`: none whose operation was refused lately.
 */
export type LaterTries = {
  /** Epoch-ms, and its day as planning counts days. */
  readonly now: number;
  readonly today: Day;
  readonly datasets: readonly string[];
  readonly on: readonly string[];
  /** The account of the slices, "" for that of API_TOKEN. */
  readonly account: string;
  readonly withoutRefused?: boolean | undefined;
};

/**
 * A failed slice that is due for another try, with its expected cost; `planId` is set for a slice of a backfill; `app` is '' if it is not
 * about one. `joins`: the failed slices that it replaces, and the window of all of them together.
 */
export type DueTry = OpenWork & {
  readonly sliceId: string;
  readonly planId: string | null;
  readonly app: string;
  readonly joins?: { readonly sliceIds: readonly string[]; readonly window: Window };
};

/**
 * A due try as it is read. `mayJoin`: another slice can request its days, since it is about days and has no plan and no usable stored page.
 */
export type FoundTry = DueTry & {
  readonly operation: string;
  readonly scope: Scope;
  readonly window: Window;
  /** Equal for slices that one call can replace together. */
  readonly alike: string;
  readonly mayJoin: boolean;
};

/**
 * Failed slices whose `due_at` has passed, in the order of the queue. It leaves out slices
 *   - whose cells a newer slice has answered (`ops.failed_slice`), or that are open again
 *   - of a run whose foreground process is alive
 *   - whose days are no longer requested: snapshots of earlier days, and days that are too long ago. Slices of a plan stay due for as long
 *     as their days are kept.
 */
export async function readDueTries(db: Database, of: LaterTries): Promise<readonly FoundTry[]> {
  const due = sql`select slice_id from ops.slice where state = 'failed' and due_at <= ${instant(of.now)} and dataset = any (${[...of.datasets]}::text[])`;
  // usually nothing is due, and Postgres takes twenty times as long to plan the statement below as to run this check
  if ((await sql`${due} limit 1`.execute(db)).rows.length === 0) return [];
  const { rows } = await sql<FoundTry>`
    with due as materialized (${due})
    select s.slice_id as "sliceId", s.plan_id as "planId", s.dataset, s.class, coalesce(s.scope ->> 'app', '') as app,
           1 as slices, ${requestsLeft}::int as requests, ${likelyCredits}::float8 as credits, s.operation, s.scope, json_build_object('start', s.window_start, 'end', s.window_end) as window,
           concat_ws(' ', s.dataset, s.operation, s.scope, coalesce(s.batch_id, 0), s.class, s.fingerprint) as alike,
           s.class <> 'snapshot' and s.plan_id is null and s.tail_of is null and s.requested_end is null and s.broken_off_count = 0
           and (not ${hasLanded} or s.planned_requests = 1 and s.error_code = any (${[...unreadableCodes]}::text[]))
           and ${ofTiming(sql`t.kind`)} = 'series' as "mayJoin"
    from   due
    join   ops.failed_slice as f on f.slice_id = due.slice_id
    join   ops.slice as s on s.slice_id = due.slice_id
    join   ops.run   as r on r.run_id = s.run_id
    left   join ops.credit_price as c on c.operation = s.operation
    where  r.account = ${of.account} and (r.worker_id is null or not ${isAlive(sql`r.worker_id`)})
    -- a try that no person started is of what the schedule or a plan began
    and    (s.plan_id is not null or r.kind = 'schedule' or r.kind = 'retry' and r.worker_id is null or s.dataset = any (${[...of.on]}::text[]))
    and    case when s.class = 'snapshot' then s.as_of >= ${of.today}::date else s.window_end > ${requestedFrom(of.today)} end
    and    ${isOnlyOfRequest}
    ${of.withoutRefused === true ? sql`and ${isUnrefused(sql`${of.account}`)}` : sql``}
    order  by s.turn, s.slice_id`.execute(db);
  return rows;
}

/** True if any failed slice is to be tried again: most nights have none, and the statements about them take longer to plan than this to run. */
export async function hasLaterTries(db: Database): Promise<boolean> {
  const { rows } = await sql`select from ops.slice as s where ${isTried} order by s.due_at limit 1`.execute(db);
  return rows.length > 0;
}

/**
 * Stops retrying failed slices that are no longer requested: snapshots of an earlier day, since planning requests today's instead, and days
 * that are too long ago.
 */
export async function endOldTries(db: Database, today: Day): Promise<void> {
  await sql`
    update ops.slice as s set due_at = null
    where  s.state = 'failed' and s.due_at is not null
    and    case when s.class = 'snapshot' then s.as_of < ${today}::date else s.window_end <= ${requestedFrom(today)} end`.execute(
    db,
  );
}

/** SQL: true for a failed slice `s` that is requested again automatically. */
export const isTried = sql`s.state = 'failed' and s.due_at is not null`;

/** SQL: true for a failed slice `s` unless another slice of the same request is open or failed later: only one of them may be pending. */
export const isOnlyOfRequest = sql<boolean>`not exists (
      select from ops.slice as o
      where  ${hasSameList("o", "s")} and o.window_end = s.window_end and o.window_start = s.window_start
      and    (${isOpen("o")} or o.state = 'failed' and o.slice_id > s.slice_id)
      offset 0)`; // a barrier: as a join it would read the whole ledger

/** A failed day is requested for at least this many days, even if a sync reaches back less: outages last longer than a night. */
const fewestTriedDays = 30;

/** SQL: the first day for which a failed slice (`ops.slice as s`) is still requested. */
function requestedFrom(today: Day) {
  const firstDay = sql`
    greatest(case when s.plan_id is null
                  then coalesce(t.first_day, ${today}::date + 1 - t.settle_days - greatest(t.history_days, ${fewestTriedDays}) - coalesce(t.pack_days, 0)) end,
             (date_trunc('month', ${today}::timestamp) - make_interval(months => t.keep_months))::date)`;
  return sql<Day>`coalesce(${ofTiming(firstDay)}, date '-infinity')`;
}

/**
 * Makes failed slices pending in a run, in a transaction of the caller, and returns how many. A try that joins others replaces them: they
 * are deleted, and their requests of today move to it, so that the daily limit still counts them. Their stored answers move too; none of
 * these is read again, since they are about other days. A try is left alone if another process has queued any of its slices.
 */
export async function queueTries(
  transaction: Database,
  { runId, tries, now }: { readonly runId: string; readonly tries: readonly DueTry[]; readonly now: number },
): Promise<number> {
  const wanted = tries.map(({ sliceId, joins }) => ({ kept: sliceId, gone: joins?.sliceIds ?? [], ...joins?.window }));
  const { rows } = await sql<{ id: string }>`
    with wanted as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb) as w (kept bigint, gone bigint[], start date, "end" date)
    ), found as materialized (
      select s.slice_id, s.attempt, s.failures, s.later_tries, s.created_at, s.retried_at
      from   ops.slice as s
      where  s.slice_id in (select unnest(kept || gone) from wanted) and s.state = 'failed'
      order  by s.slice_id
      for    update
    ), whole as materialized (
      select w.*, max(f.attempt) as attempt, max(f.failures) as failures, max(f.later_tries) as later_tries, min(f.created_at) as created_at, min(f.retried_at) as retried_at
      from   wanted as w
      join   found  as f on f.slice_id = any (w.kept || w.gone)
      group  by w.kept, w.gone, w.start, w."end"
      having count(*) = 1 + cardinality(w.gone)
    ), charged as (
      update ops.request as q set slice_id = w.kept
      from   whole as w
      where  q.slice_id = any (w.gone) and q.received_at >= ${dayOf(now)}::timestamp at time zone 'UTC'
    ), unread as (
      update raw.answer as a set slice_id = w.kept from whole as w where a.slice_id = any (w.gone)
    ), deleted as (
      delete from ops.slice where slice_id in (select unnest(gone) from whole)
    )
    update ops.slice as s
    set    state = 'pending', due_at = null, run_id = ${runId}, queue_id = ${queueOf(runId)}, retried_at = coalesce(w.retried_at, ${instant(now)}),
           window_start = coalesce(w.start, s.window_start), window_end = coalesce(w."end", s.window_end),
           failures = w.failures, later_tries = w.later_tries + 1, created_at = w.created_at, attempt = w.attempt,
           read_from_attempt = case when w.gone = '{}' then s.read_from_attempt else w.attempt + 1 end
    from   whole as w
    where  s.slice_id = w.kept
    returning s.slice_id as id`.execute(transaction);
  await addPlanned(
    transaction,
    runId,
    rows.map(({ id }) => id),
  );
  return rows.length;
}

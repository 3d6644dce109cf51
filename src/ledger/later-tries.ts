import { instant, sql } from "../postgres/sql.ts";
import { dayOf, type Day } from "../core/day.ts";
import { mayHaveBeenCharged } from "../credits/charges.ts";
import type { Scope } from "../core/slice.ts";
import type { Window } from "../core/window.ts";
import type { Database } from "../postgres/database.ts";
import { hasLanded } from "./cancel-slices.ts";
import { ofTiming } from "./dataset-timings.ts";
import { isOfAccount, isOpen, likelyCredits, onePage, requestsLeft, type OpenWork } from "./open-slices.ts";
import { priceLeftBeyond } from "./plans.ts";
import { queueOf } from "./runs.ts";
import { hasSameList } from "./same-scope.ts";
import { isAlive } from "./workers.ts";

/**
 * Which failed slices are requested again: datasets that the configuration does not switch off, and of these the ones that run without
 * being named.
 */
export type LaterTries = {
  /** Epoch-ms, and its day as planning has it. */
  readonly now: number;
  readonly today: Day;
  readonly datasets: readonly string[];
  readonly on: readonly string[];
  /** Account whose slices are meant, "" for that of API_TOKEN. */
  readonly account: string;
};

/**
 * A failed slice whose time has come, as a piece of work: its plan, if it belongs to one, and its app, '' where it is about none. `joins`
 * where it takes over the days of others: their numbers, and the days of all.
 */
export type DueTry = OpenWork & {
  readonly sliceId: string;
  readonly planId: string | null;
  readonly app: string;
  readonly joins?: { readonly sliceIds: readonly string[]; readonly window: Window };
};

/** One as it is found. `mayJoin`: of days, with nothing that is its own beside its answer: no plan, no page that is paid for. */
export type FoundTry = DueTry & {
  readonly operation: string;
  readonly scope: Scope;
  readonly window: Window;
  /** What those have in common that may become one. */
  readonly alike: string;
  readonly mayJoin: boolean;
};

/**
 * Failed slices whose time has come, in their turn, except those that were made good or are open again, that a living foreground process
 * has, or whose days are requested no more: a snapshot of an earlier day, days before those that a sync requests. A slice of a plan is
 * due for as long as its days are kept.
 */
export async function readDueTries(db: Database, of: LaterTries): Promise<readonly FoundTry[]> {
  const due = sql`select slice_id from ops.slice where state = 'failed' and due_at <= ${instant(of.now)} and dataset = any (${[...of.datasets]}::text[])`;
  // as a rule nothing is due, and what follows takes Postgres twenty times as long to plan as this check
  if ((await sql`${due} limit 1`.execute(db)).rows.length === 0) return [];
  const { rows } = await sql<FoundTry>`
    with due as materialized (${due})
    select s.slice_id as "sliceId", s.plan_id as "planId", s.dataset, s.class, coalesce(s.scope ->> 'app', '') as app, 1 as slices, ${requestsLeft}::int as requests, ${likelyCredits}::float8 as credits,
           s.operation, s.scope, json_build_object('start', s.window_start, 'end', s.window_end) as window,
           concat_ws(' ', s.dataset, s.operation, s.scope, coalesce(s.batch_id, 0), s.class, s.fingerprint) as alike,
           s.class <> 'snapshot' and s.plan_id is null and s.tail_of is null and s.requested_end is null and s.broken_off_count = 0 and not ${hasLanded}
           and ${ofTiming(sql`t.kind`)} = 'series' as "mayJoin"
    from   due
    join   ops.failed_slice as f on f.slice_id = due.slice_id
    join   ops.slice as s on s.slice_id = due.slice_id
    join   ops.run   as r on r.run_id = s.run_id
    left   join ops.credit_cost as c on c.operation = s.operation
    where  r.account = ${of.account} and (r.worker_id is null or not ${isAlive(sql`r.worker_id`)})
    and    (s.plan_id is not null or r.kind = 'schedule' or s.dataset = any (${[...of.on]}::text[]))
    and    case when s.class = 'snapshot' then s.as_of >= ${of.today}::date else s.window_end > ${requestedFrom(of.today)} end
    and    ${mayWait}
    order  by s.turn, s.slice_id`.execute(db);
  return rows;
}

/** Ends the tries of snapshots that failed on days before today: planning requests the one of today instead. */
export async function endTriesOfSnapshots(db: Database, today: Day): Promise<void> {
  await sql`
    update ops.slice set due_at = null
    where  state = 'failed' and due_at is not null and class = 'snapshot' and as_of < ${today}::date`.execute(db);
}

/** SQL: true for a failed slice `s` unless another one for the same request is open or failed later: two of them cannot wait at once. */
export const mayWait = sql<boolean>`not exists (
      select from ops.slice as o
      where  ${hasSameList("o", "s")} and o.window_end = s.window_end and o.window_start = s.window_start
      and    (${isOpen("o")} or o.state = 'failed' and o.slice_id > s.slice_id)
      offset 0)`; // a fence: as a join the whole ledger would be read

/** SQL: the first day of which the dataset of a slice (`ops.slice as s`) still requests answers. */
function requestedFrom(today: Day) {
  const firstDay = sql`
    greatest(case when s.plan_id is null
                  then coalesce(t.first_day, ${today}::date + 1 - t.settle_days - t.history_days - coalesce(t.pack_days, 0)) end,
             (date_trunc('month', ${today}::timestamp) - make_interval(months => t.keep_months))::date)`;
  return sql<Day>`coalesce(${ofTiming(firstDay)}, date '-infinity')`;
}

/**
 * What requesting failed slices of an account again has cost on the day (UTC) of `now`, with calls that may have been charged, and what the
 * open ones of them still take.
 */
export async function spentOnLaterTries(db: Database, now: number, account: string): Promise<number> {
  const isMine = isOfAccount(account);
  const { rows } = await sql<{ credits: number }>`
    select (select coalesce(sum(case when ${mayHaveBeenCharged} then ${onePage()} else q.cost end), 0)
            from   ops.slice as s
            join   ops.request as q using (slice_id)
            where  s.retried_at is not null and ${isMine} and q.received_at >= greatest(s.retried_at, ${dayOf(now)}::timestamp at time zone 'UTC'))::float8
         + (select coalesce(sum(${likelyCredits}), 0)
            from   ops.slice as s
            left   join ops.credit_cost as c on c.operation = s.operation
            where  s.retried_at is not null and ${isMine} and ${isOpen()})::float8 as credits`.execute(db);
  return rows[0]?.credits ?? 0;
}

/** What may be spent: credits in all, and by plan what is left of its price. */
export type TryLimits = { readonly credits: number; readonly plans: ReadonlyMap<string, number> };

/** The slices that the limits pay for, in their turn; one that is too dear does not stand in the way of cheaper ones. */
export function affordableTries(due: readonly DueTry[], { credits, plans }: TryLimits): readonly DueTry[] {
  let left = credits;
  const leftOfPlans = new Map(plans);
  return due.filter((one) => {
    const ofPlan = one.planId === null ? Number.POSITIVE_INFINITY : (leftOfPlans.get(one.planId) ?? 0);
    if (one.credits > Math.min(left, ofPlan)) return false;
    left -= one.credits;
    if (one.planId !== null) leftOfPlans.set(one.planId, ofPlan - one.credits);
    return true;
  });
}

/** What is left of the price of each plan that due slices belong to, less what its open slices still take. */
export async function readPlansLeft(db: Database, due: readonly DueTry[]): Promise<ReadonlyMap<string, number>> {
  const left = new Map<string, number>();
  for (const planId of new Set(due.flatMap((one) => one.planId ?? [])))
    left.set(planId, await priceLeftBeyond(db, planId));
  return left;
}

/**
 * Queues failed slices again in a run; those that another process queued first are left alone, and so are those of which it queued one whose
 * days they take over. The others are deleted, and what they were charged today counts for the one that is left. Returns how many.
 */
export async function queueTries(
  db: Database,
  { runId, tries, now }: { readonly runId: string; readonly tries: readonly DueTry[]; readonly now: number },
): Promise<number> {
  const wanted = tries.map(({ sliceId, joins }) => ({ kept: sliceId, gone: joins?.sliceIds ?? [], ...joins?.window }));
  const { rows } = await sql`
    with wanted as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb) as w (kept bigint, gone bigint[], start date, "end" date)
    ), found as materialized (
      select s.slice_id, s.failures, s.created_at, s.retried_at
      from   ops.slice as s
      where  s.slice_id in (select unnest(kept || gone) from wanted) and s.state = 'failed'
      order  by s.slice_id
      for    update
    ), whole as materialized (
      select w.*, max(f.failures) as failures, min(f.created_at) as created_at, min(f.retried_at) as retried_at
      from   wanted as w
      join   found  as f on f.slice_id = any (w.kept || w.gone)
      group  by w.kept, w.gone, w.start, w."end"
      having count(*) = 1 + cardinality(w.gone)
    ), charged as (
      update ops.request as q set slice_id = w.kept
      from   whole as w
      where  q.slice_id = any (w.gone) and q.received_at >= ${dayOf(now)}::timestamp at time zone 'UTC'
    ), deleted as (
      delete from ops.slice where slice_id in (select unnest(gone) from whole)
    )
    update ops.slice as s
    set    state = 'pending', due_at = null, run_id = ${runId}, queue_id = ${queueOf(runId)}, retried_at = coalesce(w.retried_at, ${instant(now)}),
           window_start = coalesce(w.start, s.window_start), window_end = coalesce(w."end", s.window_end),
           failures = w.failures, created_at = w.created_at
    from   whole as w
    where  s.slice_id = w.kept
    returning s.slice_id`.execute(db);
  return rows.length;
}

import { sql, type SqlFragment } from "../postgres/sql.ts";
import type { Database } from "../postgres/database.ts";
import { chargedCredits } from "../credits/charges.ts";
import { isOpen, likelyCredits, unsureCredits } from "./open-slices.ts";
import { priceLeftBeyond } from "./plans.ts";
import { isAlive } from "./workers.ts";

/** SQL: an answer of `ops.slice as s` has landed: it is paid for. */
export const hasLanded = sql<boolean>`exists (select from raw.answer as a where a.slice_id = s.slice_id)`;

/** Deletes the slices `s` that a query finds, save those that another transaction has locked and is about to change. Returns how many. */
export async function cancelFound(db: Database, found: SqlFragment): Promise<number> {
  const { rows } = await sql`
    with found as (${found} for update of s skip locked)
    delete from ops.slice as s using found where s.slice_id = found.slice_id
    returning s.slice_id`.execute(db);
  return rows.length;
}

/**
 * Cancels what syncs in the foreground left that were killed or stopped. A cancelled slice is deleted: its cells count as not requested,
 * and the next sync or scheduled run plans them again where they are due. `own` names a run of this process that has just stopped; without it the
 * runs of dead processes are meant. Kept open are answers that have begun to land, which are paid for; slices during which the process
 * died, unless it had a limit, so that a poisoned slice is counted; what a run had adopted; slices of a plan; and what a run that
 * ended in good order deferred. Returns how many were cancelled.
 */
export function cancelUnfinished(db: Database, own: string | null = null): Promise<number> {
  const isOver = own === null ? sql`not ${isAlive(sql`r.worker_id`)}` : sql`r.run_id = ${own}`;
  return cancelFound(
    db,
    sql`
      with broken_off as materialized (
        select r.run_id, r.started_at, r.max_credits is not null as is_limited from ops.run as r
        where  r.kind = 'sync' and r.worker_id is not null and (r.ended_at is null or r.outcome in ('interrupted', 'aborted')) and ${isOver}
        and    exists (select from ops.slice as s where s.run_id = r.run_id and ${isOpen()})
      )
      select s.slice_id from ops.slice as s
      join   broken_off as r using (run_id)
      where  s.state in ('pending', 'deferred') and s.plan_id is null and s.created_at >= r.started_at
      and    (s.broken_off_count = 0 or r.is_limited) and not ${hasLanded}`,
  );
}

/**
 * Cancels what the schedule of an account queued, and nobody has begun, of some datasets. What a person named, in a sync or a plan, stays,
 * and so do answers that have begun to land. Returns how many were cancelled.
 */
export async function cancelScheduled(db: Database, account: string, datasets: readonly string[]): Promise<number> {
  if (datasets.length === 0) return 0;
  return cancelFound(
    db,
    sql`
      select s.slice_id from ops.slice as s
      join   ops.run as r on r.run_id = s.run_id and r.kind = 'schedule' and r.account = ${account} and s.dataset = any (r.datasets)
      where  s.dataset = any (${[...datasets]}::text[]) and ${isOpen()} and s.state <> 'running' and s.plan_id is null and not ${hasLanded}`,
  );
}

/**
 * Cancels deferred slices of a run for which its limit has no credits left. Slices of a plan stay, see `cancelBeyondPrices`; so do answers
 * that have begun to land: their pages are paid for, and the next run fetches the rest alone. Returns how many.
 */
export async function cancelBeyondLimit(db: Database, runId: string, credits: number): Promise<number> {
  if (credits === Number.POSITIVE_INFINITY) return 0;
  const { rows } = await sql`
    with open as (
      select s.slice_id, sum(${likelyCredits}) over (order by s.turn, s.slice_id) as running
      from   ops.slice as s
      left   join ops.credit_cost as c on c.operation = s.operation
      where  s.run_id = ${runId} and s.state = 'deferred' and not ${hasLanded}
      and    (s.plan_id is null or s.tail_of is not null and not exists (select from ops.request as q where q.slice_id = s.slice_id))
    )
    delete from ops.slice as s using open
    where  s.slice_id = open.slice_id and s.run_id = ${runId} and s.state = 'deferred' and open.running > ${credits}::numeric
    returning s.slice_id`.execute(db);
  return rows.length;
}

/**
 * SQL: true for an open slice `s` of a run `r` that nobody runs to its end: the run's foreground process is over, or what is left of the
 * plan's price did not pay for its call.
 */
const isLeftOver = sql<boolean>`(case when r.worker_id is null then s.state = 'deferred' and s.error_code = 'plan_spent'
                                      else not ${isAlive(sql`r.worker_id`)} end)`;

/** Plans of which foreground runs that are over left slices. */
async function plansLeftOver(db: Database): Promise<readonly string[]> {
  const { rows } = await sql<{ planId: string }>`
    select distinct s.plan_id as "planId"
    from   ops.slice as s
    join   ops.run   as r on r.run_id = s.run_id
    where  s.plan_id is not null and ${isOpen()} and ${isLeftOver}`.execute(db);
  return rows.map(({ planId }) => planId);
}

/** SQL: adds to a plan what was charged, or may have been, for slices of it that the part `cancelled` of the statement deletes. */
export function chargesKept(planId: SqlFragment): SqlFragment {
  return sql`
        update ops.plan as p
        set    past_credits = p.past_credits + gone.charged, past_unsure_credits = p.past_unsure_credits + gone.unsure
        from   (select ${chargedCredits} as charged, ${unsureCredits("c")} as unsure
                from   cancelled as c join ops.request as q on q.slice_id = c.slice_id) as gone
        where  p.plan_id = ${planId}`;
}

/**
 * Cancels open slices of plans whose foreground runs are over, or that the price did not pay for, as far as what is left of the price does
 * not pay for them: it is all that was agreed to, and what is due is planned anyway. Answers that have begun to land are paid for and stay,
 * before all others. The plan keeps what its cancelled slices were charged, or may have been. Returns how many were cancelled.
 */
export async function cancelBeyondPrices(db: Database): Promise<number> {
  let cancelled = 0;
  for (const planId of await plansLeftOver(db)) {
    const left = await priceLeftBeyond(db, planId, sql`${isLeftOver} is not true`);
    const { rows } = await sql<{ count: number }>`
      with open as (
        select s.slice_id, s.run_id, landed, sum(${likelyCredits}) over (order by not landed, s.turn, s.slice_id) as running
        from   ops.slice as s
        join   ops.run as r on r.run_id = s.run_id and ${isLeftOver}
        left   join ops.credit_cost as c on c.operation = s.operation
        cross  join lateral (select ${hasLanded} as landed) as answer
        where  s.plan_id = ${planId} and ${isOpen()}
      ), cancelled as (
        delete from ops.slice as s
        using  open
        where  s.slice_id = open.slice_id and s.run_id = open.run_id and open.running > ${left}::numeric and not open.landed
        and    ${isOpen()}
        and    (s.state <> 'running' or s.worker_id is null or not ${isAlive(sql`s.worker_id`)})
        returning s.slice_id, s.planned_credits, s.planned_requests
      ), resumed as (
        -- what a call under way gave back may pay for it; pages that landed are kept, and the rest waits for a retry
        update ops.slice as s
        set    state = case when open.running <= ${left}::numeric then 'pending' else 'failed' end
        from   open
        where  s.slice_id = open.slice_id and s.run_id = open.run_id and s.state = 'deferred' and s.error_code = 'plan_spent'
        and    (open.running <= ${left}::numeric or open.landed)
      ), kept as (
        ${chargesKept(sql`${planId}`)}
      )
      select count(*)::int as count from cancelled`.execute(db);
    cancelled += rows[0]?.count ?? 0;
  }
  return cancelled;
}

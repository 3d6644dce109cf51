import { sql, type SqlFragment } from "../postgres/sql.ts";
import { limitSpentCodes } from "../core/waiting-codes.ts";
import type { Database } from "../postgres/database.ts";
import { chargedCredits } from "../credits/charges.ts";
import { hasOpenSlices, isOpen, likelyCredits } from "./open-slices.ts";
import { isPaidFromPlan } from "./plan-payers.ts";
import { priceLeftBeyond } from "./plans.ts";
import { hasLivingWorker, isAlive } from "./workers.ts";

/** SQL: true if a page of `ops.slice as s` is stored, and therefore paid for. */
export const hasLanded = sql<boolean>`exists (select from raw.answer as a where a.slice_id = s.slice_id)`;

/** Deletes the slices `s` that a query finds, except those that another transaction has locked. Returns how many. */
export async function cancelFound(db: Database, found: SqlFragment): Promise<number> {
  const { rows } = await sql`
    with found as (${found} for update of s skip locked)
    delete from ops.slice as s using found where s.slice_id = found.slice_id
    returning s.slice_id`.execute(db);
  return rows.length;
}

/**
 * Cancels the slices of foreground syncs that were killed or stopped: of the run `own`, or of all runs of dead processes. A cancelled slice
 * is deleted, so that its cells count as not requested and the next run plans them again if they are due. Returns how many. It keeps
 *   - slices with a stored page, which is paid for
 *   - slices during which a process without a credit limit died: poison.ts counts how often
 *   - slices that the run had adopted, and those of a plan
 *   - slices that were deferred by a run that ended normally
 */
export async function cancelUnfinished(db: Database, own: string | null = null): Promise<number> {
  if (!(await hasOpenSlices(db))) return 0;
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
 * Cancels slices of these datasets that the schedule of an account queued and no worker has started. Slices of a sync or plan that a person
 * started stay, and so do slices with a stored page. Returns how many.
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
 * Cancels deferred slices of a run, in order, that the rest of its credit limit does not pay for. Slices of a plan stay (see
 * `cancelBeyondPrices`), and so do slices with stored pages: the next run fetches only their remaining pages. Returns how many.
 */
export async function cancelBeyondLimit(db: Database, runId: string, credits: number): Promise<number> {
  if (credits === Number.POSITIVE_INFINITY) return 0;
  const { rows } = await sql`
    with open as (
      select s.slice_id, sum(${likelyCredits}) over (order by s.turn, s.slice_id) as running
      from   ops.slice as s
      left   join ops.credit_price as c on c.operation = s.operation
      where  s.run_id = ${runId} and s.state = 'deferred' and not ${hasLanded}
      and    (s.plan_id is null or s.tail_of is not null and not exists (select from ops.request as q where q.slice_id = s.slice_id))
    ), cancelled as (
      delete from ops.slice as s using open
      where  s.slice_id = open.slice_id and s.run_id = ${runId} and s.state = 'deferred' and open.running > ${credits}::numeric
      returning s.plan_id
    ), kept as (
      update ops.plan as p set cancelled_slice_count = p.cancelled_slice_count + gone.slices
      from   (select plan_id, count(*) as slices from cancelled group by plan_id) as gone
      where  p.plan_id = gone.plan_id
    )
    select from cancelled`.execute(db);
  return rows.length;
}

/**
 * SQL: true for an open slice `s` that its run `r` will not finish: its foreground process has ended, or the price of its plan is spent. Where
 * one plan is named, whose process has just adopted what its price pays for, also one that waits in the shared queue for a worker to start.
 */
const isLeftOver = (ofPlan: string | null) => sql<boolean>`(
    case when r.worker_id is null then s.state = 'deferred' and s.error_code = 'plan_spent'
                                       or ${ofPlan !== null}::boolean and s.state in ('pending', 'deferred') and not ${hasLivingWorker}
         else not ${isAlive(sql`r.worker_id`)} end)`;

/** SQL: true for a slice `s` that its last error says waits for a limit or price. */
const waitsForPrice = sql<boolean>`(s.state = 'deferred' and coalesce(s.error_code = any (${[...limitSpentCodes]}::text[]), false))`;

/** The plans with leftover slices, or this plan if it has any. */
async function plansLeftOver(db: Database, ofPlan: string | null): Promise<readonly string[]> {
  const { rows } = await sql<{ planId: string }>`
    select distinct s.plan_id as "planId"
    from   ops.slice as s
    join   ops.run   as r on r.run_id = s.run_id
    where  s.plan_id = coalesce(${ofPlan}::bigint, s.plan_id) and ${isOpen()} and ${isLeftOver(ofPlan)}`.execute(db);
  return rows.map(({ planId }) => planId);
}

/** SQL: counts the slices of a plan that the CTE `cancelled` deletes, and adds their charges to it. */
export function cancelledKept(planId: SqlFragment): SqlFragment {
  return sql`
        update ops.plan as p
        set    cancelled_slice_count = p.cancelled_slice_count + (select count(*) from cancelled),
               past_credits = p.past_credits + gone.charged
        from   (select ${chargedCredits} as charged
                from   cancelled as c join ops.request as q on q.slice_id = c.slice_id
                where  ${isPaidFromPlan}) as gone
        where  p.plan_id = ${planId}`;
}

/** How many slices of a plan were cancelled, and how many failed instead: these have stored pages, and a retry fetches the others. */
export type EndedSlices = { readonly cancelled: number; readonly failed: number };

/**
 * Cancels leftover slices of plans, or of this plan, in order, that the rest of the plan's price does not pay for: nobody agreed to more, and
 * what is due is planned anyway. Slices with stored pages come first and are never cancelled: those that waited for the price fail, and for a
 * named plan also those that waited for anything else. The plan keeps the charges of its cancelled slices.
 */
export async function cancelBeyondPrices(db: Database, ofPlan: string | null = null): Promise<EndedSlices> {
  let [cancelled, failed] = [0, 0];
  for (const planId of await plansLeftOver(db, ofPlan)) {
    const left = await priceLeftBeyond(db, planId, sql`${isLeftOver(ofPlan)} is not true`);
    const { rows } = await sql<EndedSlices>`
      with open as (
        select s.slice_id, s.run_id, s.state as was, landed, sum(${likelyCredits}) over (order by not landed, s.turn, s.slice_id) as running
        from   ops.slice as s
        join   ops.run as r on r.run_id = s.run_id and ${isLeftOver(ofPlan)}
        left   join ops.credit_price as c on c.operation = s.operation
        cross  join lateral (select ${hasLanded} as landed) as answer
        where  s.plan_id = ${planId} and ${isOpen()}
      ), cancelled as (
        delete from ops.slice as s
        using  open
        where  s.slice_id = open.slice_id and s.run_id = open.run_id and open.running > ${left}::numeric and not open.landed
        -- a worker that has just started may have claimed it
        and    s.state = open.was
        and    (s.state <> 'running' or s.worker_id is null or not ${isAlive(sql`s.worker_id`)})
        returning s.slice_id
      ), resumed as (
        -- a settled call may have freed credits for it; one with stored pages fails, so that a retry fetches the rest
        update ops.slice as s
        set    state = case when open.running <= ${left}::numeric then 'pending' else 'failed' end, due_at = null,
               error_code = case when ${waitsForPrice} then s.error_code else 'plan_spent' end,
               error_message = case when ${waitsForPrice} then s.error_message else ${`the price of plan ${planId} does not pay for all of its pages`} end
        from   open
        where  s.slice_id = open.slice_id and s.run_id = open.run_id and s.state = open.was
        and    (s.state = 'deferred' and s.error_code = 'plan_spent' and open.running <= ${left}::numeric
                or open.running > ${left}::numeric and open.landed
                   and (${waitsForPrice} or ${ofPlan !== null}::boolean and s.state in ('pending', 'deferred')))
        returning s.state
      ), kept as (
        ${cancelledKept(sql`${planId}`)}
      )
      select (select count(*)::int from cancelled) as cancelled, (select count(*)::int from resumed where state = 'failed') as failed`.execute(
      db,
    );
    cancelled += rows[0]?.cancelled ?? 0;
    failed += rows[0]?.failed ?? 0;
  }
  return { cancelled, failed };
}

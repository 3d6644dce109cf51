import { sql } from "../postgres/sql.ts";
import { unchargedCodes } from "../core/errors.ts";
import type { Database } from "../postgres/database.ts";
import { isOpen, likelyCredits } from "./open-slices.ts";
import { planStanding, priceLeft } from "./plans.ts";
import { isAlive } from "./workers.ts";

/** SQL: what one page of a slice (`ops.slice as s`) costs. */
const onePage = sql`ceil(s.planned_credits / greatest(s.planned_requests, 1)::numeric)`;

/** SQL: ends of processes that may have cost a page of a slice (`ops.slice as s`) and that no request tells of. */
const underWay = sql`greatest(s.broken_off_count - (select count(*) from ops.request as q where q.slice_id = s.slice_id and q.error_code = 'process_died'), 0)`;

/**
 * Forgets open slices of runs in the foreground that are gone, as far as what is left of their `--max-credits` does not pay for them:
 * nobody has allowed them, and what is due is planned anyway. Calls without an answer, and pages under way at the end, count as
 * charged. Slices of a plan stay: its price is their limit, see dropBeyondPrices. Returns how many.
 */
export async function dropBeyondLimit(db: Database): Promise<number> {
  const { rows } = await sql`
    with gone as materialized (
      select r.run_id, r.max_credits - (
               select coalesce(sum(case when q.status is null and q.error_code <> all (${unchargedCodes}::text[]) then ${onePage} else q.cost end), 0)
               from   ops.request as q
               left   join ops.slice as s on s.slice_id = q.slice_id
               where  q.worker_id = r.worker_id and q.received_at >= r.started_at) as credits
      from   ops.run as r
      where  r.max_credits is not null and r.plan_id is null and r.worker_id is not null and not ${isAlive(sql`r.worker_id`)}
      and    exists (select from ops.slice as s where s.run_id = r.run_id and ${isOpen()})
    ), open as (
      select s.slice_id, s.run_id, gone.credits,
             sum(${likelyCredits} + ${underWay} * ${onePage}) over (partition by s.run_id order by s.turn, s.slice_id) as running
      from   ops.slice as s
      join   gone using (run_id)
      left   join ops.credit_cost as c on c.operation = s.operation
      where  ${isOpen()}
    )
    delete from ops.slice as s
    using  open
    where  s.slice_id = open.slice_id and s.run_id = open.run_id and open.running > open.credits
    and    s.plan_id is null and ${isOpen()}
    and    (s.state <> 'running' or s.worker_id is null or not ${isAlive(sql`s.worker_id`)})
    returning s.slice_id`.execute(db);
  return rows.length;
}

/**
 * What is left of the price of each plan of which runs in the foreground that are gone left slices: less what was charged, or may have
 * been, and what its slices in other hands will take.
 */
async function pricesLeft(db: Database): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ planId: string; credits: number; inHand: number }>`
    with gone as materialized (
      select run_id from ops.run as r
      where  worker_id is not null and not ${isAlive(sql`r.worker_id`)}
    )
    select p.plan_id as "planId", p.credits::float8 as credits,
           (select coalesce(sum(${likelyCredits}), 0)::float8
            from   ops.slice as s
            left   join ops.credit_cost as c on c.operation = s.operation
            where  s.plan_id = p.plan_id and ${isOpen()} and s.run_id not in (select run_id from gone)) as "inHand"
    from   ops.plan as p
    where  exists (select from ops.slice as s
                   where  s.plan_id = p.plan_id and ${isOpen()} and s.run_id in (select run_id from gone))`.execute(db);
  const left = new Map<string, number>();
  for (const { planId, credits, inHand } of rows)
    left.set(planId, priceLeft({ credits }, await planStanding(db, planId, null)) - inHand);
  return left;
}

/**
 * Forgets open slices of plans whose runs in the foreground are gone, as far as what is left of the price does not pay for them: it is
 * all that was agreed to, and what is due is planned anyway. Returns how many.
 */
export async function dropBeyondPrices(db: Database): Promise<number> {
  let dropped = 0;
  for (const [planId, left] of await pricesLeft(db)) {
    const { rows } = await sql`
      with open as (
        select s.slice_id, s.run_id, sum(${likelyCredits}) over (order by s.turn, s.slice_id) as running
        from   ops.slice as s
        join   ops.run as r on r.run_id = s.run_id and r.worker_id is not null and not ${isAlive(sql`r.worker_id`)}
        left   join ops.credit_cost as c on c.operation = s.operation
        where  s.plan_id = ${planId} and ${isOpen()}
      )
      delete from ops.slice as s
      using  open
      where  s.slice_id = open.slice_id and s.run_id = open.run_id and open.running > ${left}::numeric
      and    ${isOpen()}
      and    (s.state <> 'running' or s.worker_id is null or not ${isAlive(sql`s.worker_id`)})
      returning s.slice_id`.execute(db);
    dropped += rows.length;
  }
  return dropped;
}

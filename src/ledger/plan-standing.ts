import { sql } from "kysely";
import type { Database } from "../warehouse/database.ts";
import { isAlive } from "./workers.ts";

/** Where the slices of a plan stand, whichever run has them, and what they cost so far. */
export type PlanStanding = {
  readonly total: number;
  readonly open: number;
  /** Of the open ones those that another living process is about to load. */
  readonly elsewhere: number;
  /** Of the open ones those that no run has in hand. */
  readonly abandoned: number;
  /** Those that failed and were not made good since by another slice. */
  readonly failed: number;
  readonly skipped: number;
  readonly credits: number;
  /** Credits of calls that got no answer: nobody knows whether they were charged. */
  readonly unsureCredits: number;
};

/** Errors of calls that never left this machine; any other call without a status may have been charged. */
export const unsent = ["no_connection", "bad_request", "not_encodable"];

/** Counts where the slices of a plan stand. `beside` is the run that asks, whose own are neither elsewhere nor abandoned; null when none does. */
export async function planStanding(db: Database, planId: string, beside: string | null): Promise<PlanStanding> {
  const { rows } = await sql<PlanStanding>`
    select count(*)::int as total,
           count(*) filter (where is_open)::int                                   as open,
           count(*) filter (where is_open and others and state <> 'deferred' and in_hand)::int as elsewhere,
           count(*) filter (where is_open and others and not in_hand)::int        as abandoned,
           (select count(*)::int from ops.failed_slice as f where f.plan_id = ${planId}) as failed,
           count(*) filter (where state = 'skipped')::int                         as skipped,
           (select coalesce(sum(q.cost), 0)::float8 from ops.request as q
            join   ops.slice as o on o.slice_id = q.slice_id where o.plan_id = ${planId}) as credits,
           (select coalesce(sum(ceil(o.planned_credits::numeric / greatest(o.planned_requests, 1))), 0)::float8 from ops.request as q
            join   ops.slice as o on o.slice_id = q.slice_id
            where  o.plan_id = ${planId} and q.status is null and q.error_code <> all (${unsent}::text[])) as "unsureCredits"
    from  (select s.state, s.state in ('pending', 'running', 'deferred') as is_open, s.run_id is distinct from ${beside} as others,
                  s.run_id in (select r.run_id from ops.run as r where ${isAlive(sql`r.worker_id`)})
                  or s.state = 'running' and s.worker_id in (select w.worker_id from ops.worker as w where ${isAlive(sql`w.worker_id`)}) as in_hand
           from   ops.slice as s
           where  s.plan_id = ${planId}) as slice`.execute(db);
  return {
    total: 0,
    open: 0,
    elsewhere: 0,
    abandoned: 0,
    failed: 0,
    skipped: 0,
    credits: 0,
    unsureCredits: 0,
    ...rows[0],
  };
}

/** What is left of the price of a plan: running it, and going on with it, never spends more. */
export function priceLeft(plan: { readonly credits: number }, { credits, unsureCredits }: PlanStanding): number {
  return Math.max(0, plan.credits - credits - unsureCredits);
}

/** What other runs did since an instant (epoch-ms) with the datasets of a plan. */
export type Meanwhile = { readonly dataset: string; readonly state: string; readonly slices: number };

/** Slices of these datasets that were queued or ended since the plan was made and are not its own, by dataset and state. */
export async function meanwhile(
  db: Database,
  plan: { readonly planId: string; readonly madeAt: number; readonly datasets: readonly string[] },
): Promise<readonly Meanwhile[]> {
  const since = sql`${new Date(plan.madeAt).toISOString()}::timestamptz`;
  const { rows } = await sql<Meanwhile>`
    select dataset, state, count(*)::int as slices
    from   ops.slice
    where  dataset = any (${[...plan.datasets]}::text[]) and plan_id is distinct from ${plan.planId}
    and    (created_at > ${since} or ended_at > ${since})
    group  by dataset, state
    order  by dataset, state`.execute(db);
  return rows;
}

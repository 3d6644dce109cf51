import { instant, sql } from "../postgres/sql.ts";
import type { Day } from "../core/day.ts";
import type { CreditClass } from "../core/slice.ts";
import { chargedCredits } from "../credits/charges.ts";
import type { Database } from "../postgres/database.ts";
import { isPaidFromPlan, paysFromPlan } from "./plan-payers.ts";
import { isAlive } from "./workers.ts";
import { isOfAccount, isOpen, likelyCredits } from "./open-slices.ts";

/** The slices of a plan by dataset, class, operation, app and country; '' if the dataset does not distinguish them. */
export type PlanLine = {
  readonly dataset: string;
  readonly class: CreditClass;
  readonly operation: string;
  readonly store: string;
  readonly app: string;
  readonly country: string;
  readonly slices: number;
  readonly requests: number;
  readonly credits: number;
};

/** A stored plan. `request` and `basis` are JSON of the planner; `naiveCredits` is null when something was left out. */
export type PlanRecord<Request, Basis> = {
  /** The account that it is for, "" for that of API_TOKEN. */
  readonly account: string;
  readonly asOf: Day;
  readonly request: Request;
  readonly basis: Basis;
  readonly newestFirst: boolean;
  readonly digest: string;
  readonly slices: number;
  readonly requests: number;
  readonly credits: number;
  readonly naiveCredits: number | null;
  readonly leftOut: { readonly slices: number; readonly credits: number };
  readonly lines: readonly PlanLine[];
};

/** A plan with its number, when it was made and when it was queued (epoch-ms; null if it never was). */
export type KeptPlan<Request, Basis> = PlanRecord<Request, Basis> & {
  readonly planId: string;
  readonly madeAt: number;
  readonly queuedAt: number | null;
};

/** Stores a plan and returns its number. */
export async function keepPlan<R, B>(db: Database, plan: PlanRecord<R, B>, now: number): Promise<string> {
  const lines = plan.lines.map(({ app, country, ...line }) => ({ ...line, track_id: app, country_code: country }));
  const { rows } = await sql<{ plan_id: string }>`
    with plan as (
      insert into ops.plan (made_at, as_of, request, basis, newest_first, digest, slices, requests, credits, naive_credits,
                            left_out_slices, left_out_credits, account)
      values (${instant(now)}, ${plan.asOf}, ${JSON.stringify(plan.request)}::jsonb, ${JSON.stringify(plan.basis)}::jsonb, ${plan.newestFirst},
              ${plan.digest}, ${plan.slices}, ${plan.requests}, ${plan.credits}, ${plan.naiveCredits}, ${plan.leftOut.slices},
              ${plan.leftOut.credits}, ${plan.account})
      returning plan_id
    ), lines as (
      insert into ops.plan_line (plan_id, dataset, class, operation, store, track_id, country_code, slices, requests, credits)
      select plan_id, dataset, class, operation, store, track_id, country_code, slices, requests, credits
      from   plan, jsonb_to_recordset(${JSON.stringify(lines)}::jsonb) as l
             (dataset text, class text, operation text, store text, track_id text, country_code text, slices integer, requests bigint,
              credits bigint)
    )
    select plan_id from plan`.execute(db);
  return rows[0]?.plan_id ?? "";
}

/** The plan with this number, null if the account has none. `R` and `B` are the types that the planner stored. */
export async function readPlan<R, B>(db: Database, planId: string, account: string): Promise<KeptPlan<R, B> | null> {
  type PlanRow = Omit<KeptPlan<R, B>, "madeAt" | "queuedAt" | "lines"> & { madeAt: Date; queuedAt: Date | null };
  const { rows } = await sql<PlanRow>`
    select plan_id as "planId", account, made_at as "madeAt", as_of as "asOf", request, basis, newest_first as "newestFirst", digest, slices,
           requests::float8 as requests, credits::float8 as credits, naive_credits::float8 as "naiveCredits",
           json_build_object('slices', left_out_slices, 'credits', left_out_credits) as "leftOut", queued_at as "queuedAt"
    from   ops.plan
    where  plan_id = ${planId} and account = ${account}`.execute(db);
  const [row] = rows;
  if (row === undefined) return null;
  const lines = await sql<PlanLine>`
    select dataset, class, operation, store, track_id as app, country_code as country, slices, requests::float8 as requests,
           credits::float8 as credits
    from   ops.plan_line
    where  plan_id = ${planId}
    order  by dataset, class, operation, store, track_id, country_code`.execute(db);
  return { ...row, madeAt: row.madeAt.getTime(), queuedAt: row.queuedAt?.getTime() ?? null, lines: lines.rows };
}

/** The numbers of the newest plans, for a hint. */
export async function newestPlans(db: Database, account: string): Promise<readonly string[]> {
  const { rows } = await sql<{ plan_id: string }>`
    select plan_id from ops.plan where account = ${account} order by plan_id desc limit 5`.execute(db);
  return rows.map((row) => row.plan_id);
}

/** The account of a plan; null if there is no such plan. */
export async function accountOfPlan(db: Database, planId: string): Promise<string | null> {
  const { rows } = await sql<{ account: string }>`select account from ops.plan where plan_id = ${planId}`.execute(db);
  return rows[0]?.account ?? null;
}

/** The plans of an account of which slices of these datasets wait at a spent price, until a command ends them. It also works for the reader role. */
export async function plansAtSpentPrice(
  db: Database,
  datasets: readonly string[],
  account: string,
): Promise<readonly string[]> {
  const { rows } = await sql<{ plan_id: string }>`
    select distinct s.plan_id from ops.slice_log as s
    where  s.dataset = any (${[...datasets]}::text[]) and s.state = 'deferred' and s.error_code = 'plan_spent' and ${isOfAccount(account)}
    order  by s.plan_id`.execute(db);
  return rows.map((row) => row.plan_id);
}

/** The run of this process that queued a plan; null when this process did not. */
export async function runOfPlan(db: Database, planId: string, workerId: string): Promise<string | null> {
  const { rows } = await sql<{ run_id: string }>`
    select run_id from ops.run where plan_id = ${planId} and worker_id = ${workerId} order by run_id limit 1`.execute(
    db,
  );
  return rows[0]?.run_id ?? null;
}

/**
 * Notes that all slices of a plan are queued; false if another process was first. To be called at the start of the transaction that queues
 * them.
 */
export async function noteQueued(db: Database, planId: string, now: number): Promise<boolean> {
  const { rows } = await sql`
    update ops.plan set queued_at = ${instant(now)} where plan_id = ${planId} and queued_at is null returning plan_id`.execute(
    db,
  );
  return rows.length > 0;
}

/** Open slices of a plan in runs other than the given one. */
export type PlanElsewhere = {
  /** Slices that another living process is about to load. */
  readonly runningElsewhere: number;
  /** Slices that belong to no running process. */
  readonly orphaned: number;
};

/** The progress of a plan over all of its runs, and its cost so far. */
export type PlanProgress = PlanElsewhere & {
  readonly total: number;
  readonly open: number;
  /** Failed ones whose cells no newer slice has answered. */
  readonly failed: number;
  readonly skipped: number;
  /** Slices that were cancelled, tails and halves of slices included; they are not part of the total. */
  readonly cancelled: number;
  /** Slices of the total that are not tails. */
  readonly own: number;
  /** Slices whose last days had no data and were queued again, as tails. */
  readonly cut: number;
  /** Credits that were charged for its slices, except by a sync or a retry that a person ran. */
  readonly credits: number;
  /** Credits that calls took from its price, without current holds (see plan-price.ts). */
  readonly takenCredits: number;
};

/** Counts the slices and adds up the charges of a plan: it reads all of its requests. */
export async function readPlanProgress(db: Database, planId: string): Promise<PlanProgress> {
  const { rows } = await sql<PlanProgress>`
    select slices.total + p.past_slice_count as total, slices.open, slices."runningElsewhere", slices.orphaned,
           (select count(*)::int from ops.failed_slice as f where f.plan_id = ${planId}) as failed, slices.skipped,
           p.cancelled_slice_count as cancelled, slices.own + p.past_slice_count as own, slices.cut,
           spent.credits + p.past_credits::float8 as credits, ${takenCredits} as "takenCredits"
    from   ops.plan as p
    cross  join (select count(*)::int as total, count(*) filter (where is_open)::int as open, ${countedElsewhere},
                        count(*) filter (where state = 'skipped')::int as skipped,
                        count(*) filter (where not is_tail)::int as own, count(*) filter (where is_cut)::int as cut
                 from   ${slicesOf(planId)}) as slices
    cross  join (select ${chargedCredits} as credits
                 from   ops.request as q join ops.slice as o on o.slice_id = q.slice_id
                 where  o.plan_id = ${planId} and ${isPaidFromPlan}) as spent
    where  p.plan_id = ${planId}`.execute(db);
  return rows[0] as PlanProgress;
}

/** Counts the open slices of a plan in other runs. */
export async function readPlanElsewhere(db: Database, planId: string, beside: string): Promise<PlanElsewhere> {
  const { rows } = await sql<PlanElsewhere>`
    select ${countedElsewhere} from ${slicesOf(planId)} where is_open and run_id <> ${beside}::bigint`.execute(db);
  return rows[0] as PlanElsewhere;
}

const livingWorkers = sql`select w.worker_id from ops.worker as w where ${isAlive(sql`w.worker_id`)}`;

/** SQL: the slices of a plan, and whether a living process has them. */
const slicesOf = (planId: string) => sql`
      (select s.state, s.run_id, ${isOpen()} as is_open, s.tail_of is not null as is_tail, s.requested_end is not null as is_cut,
              s.run_id in (select r.run_id from ops.run as r where ${isAlive(sql`r.worker_id`)})
              or s.state = 'running' and s.worker_id in (${livingWorkers}) as is_owned
       from   ops.slice as s
       where  s.plan_id = ${planId}) as slice`;

/** SQL: counts the open slices of `slicesOf` that a living process has, and those that none has. */
const countedElsewhere = sql`
           count(*) filter (where is_open and state <> 'deferred' and is_owned)::int as "runningElsewhere",
           count(*) filter (where is_open and not is_owned)::int as orphaned`;

/** SQL: credits that calls took from the price of a plan `p`, calls without a reply included, without current holds. */
const takenCredits = sql<number>`
           (p.taken_credits - (select coalesce(sum(h.cost), 0) from ops.credit_hold as h
                               where  h.plan_id = p.plan_id and h.worker_id in (${livingWorkers})))::float8`;

/** The rest of the price of a plan: its runs together never spend more than the price. */
export function priceLeft(plan: { readonly credits: number }, progress: PlanProgress): number {
  return Math.max(0, plan.credits - progress.takenCredits);
}

/** The rest of the price of a plan, less the expected cost of its open slices for which `counts` is true (`ops.slice as s`, run `r`). */
export async function priceLeftBeyond(db: Database, planId: string, counts = sql`true`): Promise<number> {
  const { rows } = await sql<{ left: number }>`
    select greatest(0, p.credits - ${takenCredits})
         - (select coalesce(sum(${likelyCredits}), 0)::float8
            from   ops.slice as s
            join   ops.run   as r on r.run_id = s.run_id
            left   join ops.credit_price as c on c.operation = s.operation
            where  s.plan_id = p.plan_id and ${isOpen()} and ${paysFromPlan} and ${counts}) as left
    from   ops.plan as p
    where  p.plan_id = ${planId}`.execute(db);
  return rows[0]?.left ?? 0;
}

/** What other runs did since an instant (epoch-ms) with the datasets of a plan. */
export type Meanwhile = { readonly dataset: string; readonly state: string; readonly slices: number };

/** Slices of these datasets, outside the plan, that were queued or ended since the plan was made, by dataset and state. */
export async function meanwhile(
  db: Database,
  plan: { readonly planId: string; readonly madeAt: number; readonly datasets: readonly string[] },
): Promise<readonly Meanwhile[]> {
  const since = instant(plan.madeAt);
  const { rows } = await sql<Meanwhile>`
    select dataset, state, count(*)::int as slices
    from   ops.slice
    where  dataset = any (${[...plan.datasets]}::text[]) and plan_id is distinct from ${plan.planId}
    and    (created_at > ${since} or ended_at > ${since})
    group  by dataset, state
    order  by dataset, state`.execute(db);
  return rows;
}

import { longestPauseMs } from "../core/retry-times.ts";
import { instant, sql, type Queryable, type SqlFragment } from "../postgres/sql.ts";
import type { Clock } from "../core/clock.ts";
import type { BudgetSubject } from "../core/credit-budget.ts";
import { dayOf } from "../core/day.ts";
import { appliesTo, budgetsOfCall, type BudgetOfCall } from "./budgets.ts";
import { wasDeclaredDead } from "./declared-dead.ts";
import { reconciledBalance } from "./reconciled-balance.ts";
import { credits, usablePace } from "./sql-values.ts";

/** Permission to send one call: the hold to settle afterwards, and the earliest start by the shared rate limit (epoch-ms). */
export type Grant = { readonly holdId: string; readonly startsAt: number };

/** The outcome of a call. `charged` is null for a refusal, or if no reply came. */
export type CallReceipt = {
  readonly charged: number | null;
  readonly remaining: number | null;
  readonly resetsAt: number | null;
  /** True if the service refused the call because of the rate (429). */
  readonly tooFast: boolean;
  /** Retry-After as epoch-ms; left out if the reply had none. */
  readonly notBefore?: number | null;
  /** True if no reply came: the call may have been charged, and counts as charged until the service reports a balance. */
  readonly lost: boolean;
};

/** A hold that is not settled expires this long after the earliest start of its call: longer than any call may take. */
const holdMs = 15 * 60_000;
/** The rate is halved at most this often: a burst of refusals counts once. */
const slowEveryMs = 1_000;
/** Clocks of workers differ by less: a time further ahead was written by a wrong clock. */
const mostAheadMs = 60_000;
/** Refusals lower the rate no further, in requests a second: from 0 it could not recover. */
const slowedTo = 0.1;

/**
 * A request for the credits of one call. `floor` is the share of the total that must be left afterwards; `workerId` is the sending process,
 * null when it is not in ops.worker.
 */
export type CreditRequest = {
  readonly accountId: string;
  readonly workerId: string | null;
  readonly cost: number;
  readonly floor: number;
  /** Credits that must be left afterwards, if that is more. */
  readonly keeps: number;
  /** Slice that the call is for; null if there is none. */
  readonly sliceId: string | null;
  /** Plan whose price it counts against; null if there is none. */
  readonly planId: string | null;
  /** Budgets of the process that cover it, and may refuse it. */
  readonly budgets: readonly BudgetOfCall[];
  /** What it is about: it counts in every budget that covers this, also in those of other processes. */
  readonly about: BudgetSubject;
  /** True if no budget limits it. */
  readonly passesBudgets: boolean;
};

/** A hold, or one row with null for both if there is none. `sees_budgets` is false if the statement must be repeated. */
type Reserved = { readonly hold_id: string | null; readonly starts_at: Date; readonly sees_budgets: boolean };

/**
 * Holds credits for requests that differ only in their slice and subject, first ones first: as many as keep the floor, the rest of the
 * plan's price and the process's own budgets. None while the balance is unknown or its period is over. One statement, which locks the rows of
 * account, plan and budgets and so serialises all workers. Lock order, here and in `settleAfter`: account before budgets.
 */
export async function reserveMany(
  db: Queryable,
  requests: readonly CreditRequest[],
  clock: Clock,
): Promise<readonly Grant[]> {
  const [request] = requests;
  if (request === undefined) return [];
  const count = requests.length;
  const now = instant(clock.now());
  const cost = credits(request.cost);
  const today = sql`${dayOf(clock.now())}::date`;
  // calls in flight and a pause cannot explain a later start: a clock that was ahead wrote it, and it would stop all workers
  const latestStart = sql`${instant(clock.now() + longestPauseMs + mostAheadMs)} + (a.in_flight + 1) * (interval '1 second' / a.pace_per_second)`;
  // numeric, since 0.07 * 100 must be exactly 7
  const free = sql`(a.remaining::bigint - a.held - greatest(ceil(a.total * ${request.floor}::numeric), ${Math.ceil(request.keeps)}::bigint))`;
  const { rows } = await sql<Reserved>`
    with account as materialized (
      select a.account_id, greatest(${now}, least(a.next_start_at, ${latestStart})) as starts_at, interval '1 second' / a.pace_per_second as gap,
             case when ${free} < ${cost} then 0 when ${cost} <= 0 then ${count} else least(${count}, floor(${free} / greatest(${cost}, 1))) end::integer as fits,
             -- false if this statement waited for one that added rows of budgets, since it does not see them
             a.budgets_opened = (select seen.budgets_opened from ops.credit_account as seen where seen.account_id = ${request.accountId}) as sees_budgets
      from   ops.credit_account as a
      where  a.account_id = ${request.accountId} and a.remaining is not null and a.total is not null and (a.resets_at is null or a.resets_at > ${now})
      and    not ${wasDeclaredDead(request.workerId)}
      for    update
    ), plan as materialized (
      select floor((p.credits - p.taken_credits) / ${cost}::numeric) as fits
      from   ops.plan as p where p.plan_id = ${request.planId}::bigint and ${cost} > 0
      for    update
    ), budget as materialized (
      select b.*, own.keeps, own.budget_id is not null as is_own
      from   account
      cross  join ops.credit_budget as b
      left   join ${budgetsOfCall(request.budgets)} as own (budget_id, keeps) on own.budget_id = b.budget_id
      where  b.account_id = ${request.accountId} and b.ends_on >= ${today} and (own.budget_id is not null or ${today} >= b.starts_on and ${today} < b.ends_on)
      for    update of b
    ), fitting as materialized (
      select account_id, starts_at, gap, sees_budgets, greatest(0, least(fits, (select plan.fits from plan), (
               select floor(min(credits - taken_credits - keeps) / ${cost}::numeric) from budget where is_own and ${cost} > 0 and not ${request.passesBudgets}::boolean)))::integer as fits
      from   account
    ), granted as (
      update ops.credit_account as a
      set    held = a.held + f.fits * ${cost}, in_flight = a.in_flight + f.fits,
             overlapped = a.in_flight > 0 or f.fits > 1, next_start_at = f.starts_at + f.fits * f.gap
      from   fitting as f
      where  a.account_id = f.account_id and f.fits > 0 and f.sees_budgets
      returning f.*
    ), taken as (
      update ops.plan as p set taken_credits = p.taken_credits + g.fits * ${cost}
      from   granted as g where p.plan_id = ${request.planId}::bigint
    ), call as materialized (
      select g.account_id, g.starts_at + (c.place - 1) * g.gap + ${holdFor} as expires_at, c.place, c.slice_id, c.dataset, c.app,
             array(select b.budget_id from budget as b where b.is_own or ${appliesTo("b", sql`c.dataset`, sql`c.app`)}) as budget_ids
      from   granted as g
      join   unnest(${requests.map(({ sliceId }) => sliceId)}::bigint[], ${requests.map(({ about }) => about.dataset)}::text[],
                    ${requests.map(({ about }) => about.app)}::text[]) with ordinality as c (slice_id, dataset, app, place) on c.place <= g.fits
    ), taken_of_budgets as (
      update ops.credit_budget as b set taken_credits = taken_credits + t.calls * ${cost}
      from   (select budget_id, count(*) as calls from call cross join unnest(budget_ids) as budget_id group by budget_id) as t
      where  b.budget_id = t.budget_id
    ), held as (
      insert into ops.credit_hold (account_id, worker_id, cost, expires_at, budget_ids, plan_id, slice_id, dataset, app)
      select account_id, ${request.workerId}::bigint, ${cost}, expires_at, budget_ids, ${request.planId}::bigint, slice_id, dataset, app
      from   call
      order  by place
      returning hold_id, expires_at - ${holdFor} as starts_at
    )
    select held.hold_id, held.starts_at, account.sees_budgets from account left join held on true order by held.hold_id`.execute(
    db,
  );
  if (rows[0]?.sees_budgets === false) return reserveMany(db, requests, clock);
  return rows.flatMap(({ hold_id, starts_at }) =>
    hold_id === null ? [] : [{ holdId: hold_id, startsAt: starts_at.getTime() }],
  );
}

/** SQL: a hold expires this long after the earliest start of its call. */
export const holdFor = sql`${holdMs}::double precision * interval '1 millisecond'`;

/** The settlement of a hold: the outcome of its call. */
export type Settlement = { readonly holdId: string; readonly receipt: CallReceipt };

/** Replies that are settled together share one end of the period, which they report within a second or two of each other. */
const sharedEndMs = 2_000;

/** True for two successful calls of the same period: one statement can settle both. */
export function canShareStatement({ receipt: a }: Settlement, { receipt: b }: Settlement): boolean {
  return isPlain(a) && isPlain(b) && Math.abs((a.resetsAt ?? 0) - (b.resetsAt ?? 0)) < sharedEndMs;
}

/** True for a successful call whose reply has a balance and the end of its period. */
function isPlain({ charged, remaining, resetsAt, tooFast, lost }: CallReceipt): boolean {
  return charged !== null && remaining !== null && resetsAt !== null && !tooFast && !lost;
}

/** One receipt for several such calls: the sum of charges and the lowest balance. */
function summed(settlements: readonly Settlement[]): CallReceipt {
  const [first, ...rest] = settlements.map(({ receipt }) => receipt);
  if (first === undefined) throw new Error("there is nothing to settle");
  return rest.reduce(
    (sum, one) => ({
      ...sum,
      charged: (sum.charged ?? 0) + (one.charged ?? 0),
      remaining: Math.min(sum.remaining ?? 0, one.remaining ?? 0),
    }),
    first,
  );
}

/** Holds of one account to settle, and the highest rate to recover to, in requests per second. */
type SettledHolds = {
  readonly accountId: string;
  readonly settlements: readonly Settlement[];
  readonly pace: number;
};

/** Settles holds and books what their calls cost; several only if `canShareStatement` is true for them. */
export async function settle(db: Queryable, end: SettledHolds, clock: Clock): Promise<void> {
  await settleAfter(null, end, clock).execute(db);
}

/** What the same statement does first: its CTEs, and a condition that reads them. If that is false, nothing is settled. */
export type FirstStep = { readonly first: SqlFragment; readonly isDone: SqlFragment };

/** SQL: the charges of calls; null if they are unknown. */
function bookedOf(settlements: readonly Settlement[]): SqlFragment {
  return sql`array[${sql.join(settlements.map(({ receipt: { charged, lost } }) => credits(lost ? null : (charged ?? 0))))}]`;
}

/**
 * The statement that settles holds, after a first step if there is one.
 *   - It locks the row of the account late, since all workers wait for it.
 *   - Balance: one that was reported during concurrent calls counts only if it is lower. One above the total raises the total, and with it
 *     the floors.
 *   - Budgets, and the price of a plan: what was taken for a call is corrected to its charge, and stays taken if that is unknown. A budget
 *     that has more room than before refuses nothing until it refuses again: what waits for it is resumed by the next run.
 *   - Rate: a refusal halves the shared rate; each successful call raises it by 5 %, up to `pace`.
 */
export function settleAfter(before: FirstStep | null, end: SettledHolds, clock: Clock): SqlFragment {
  const receipt = summed(end.settlements);
  const now = clock.now();
  // calls that are settled together were concurrent, and an expired hold is settled late
  const isExact = sql`(${end.settlements.length === 1}::boolean and gone.count = 1 and a.in_flight = 1 and not a.overlapped)`;
  const booked = receipt.lost ? sql`gone.cost` : credits(receipt.charged ?? 0);
  const { remaining, resetsAt } = reconciledBalance(receipt, { isExact, fallback: sql`a.remaining - ${booked}`, now });
  const pause = Math.min(receipt.notBefore ?? 0, now + longestPauseMs);
  const slow = sql`(${receipt.tooFast}::boolean and (a.slowed_at between ${instant(now - slowEveryMs)} and ${instant(now + mostAheadMs)}) is not true)`;
  return sql`
    with ${before === null ? sql`` : sql`${before.first},`}
         -- by the key: the index by account is full of dead entries
         ended as (delete from ops.credit_hold where hold_id = any (${end.settlements.map(({ holdId }) => holdId)}::bigint[])
                   and account_id is not distinct from ${end.accountId} returning hold_id, cost, budget_ids, plan_id),
         gone  as (select coalesce(sum(cost), 0)::integer as cost, count(*)::integer as count, ${before?.isDone ?? sql`true`} as is_done from ended),
         settled as (
    update ops.credit_account as a
    set    held = a.held - gone.cost, in_flight = a.in_flight - gone.count, remaining = ${remaining}, resets_at = ${resetsAt},
           total = case when a.total < ${remaining} then ${remaining} else a.total end,
           observed_at = case when ${receipt.remaining !== null}::boolean then ${instant(now)} else a.observed_at end,
           next_start_at = case when ${pause > now}::boolean then greatest(a.next_start_at, ${instant(pause)}) else a.next_start_at end,
           slowed_at = case when ${slow} then ${instant(now)} else a.slowed_at end,
           pace_per_second = case
             when ${slow} then least(a.pace_per_second, greatest(${slowedTo}::double precision, a.pace_per_second / 2))
             when ${receipt.charged !== null}::boolean then least(${usablePace(end.pace)}::double precision, a.pace_per_second * 1.05 ^ ${end.settlements.length}::double precision)
             else a.pace_per_second end
    from   gone
    where  a.account_id = ${end.accountId} and gone.is_done
    returning a.account_id),
         differing as (
    select ended.plan_id, ended.budget_ids, charged.credits - ended.cost as credits
    from   settled
    cross  join ended
    join   unnest(${end.settlements.map(({ holdId }) => holdId)}::bigint[], ${bookedOf(end.settlements)})
           as charged (hold_id, credits) using (hold_id)
    where  charged.credits <> ended.cost),
         corrected_plan as (
    update ops.plan as p set taken_credits = p.taken_credits + d.credits
    from   (select plan_id, sum(credits) as credits from differing group by plan_id) as d
    where  p.plan_id = d.plan_id)
    update ops.credit_budget as b
    set    taken_credits = b.taken_credits + d.credits, refused_at = case when d.credits < 0 then null else b.refused_at end
    from   (select budget_id, sum(credits) as credits from differing cross join unnest(budget_ids) as budget_id group by budget_id) as d
    where  b.budget_id = d.budget_id`;
}

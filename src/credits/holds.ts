import { instant, sql, type Queryable, type SqlFragment } from "../postgres/sql.ts";
import type { Clock } from "../core/clock.ts";
import { reconciledBalance } from "./reconciled-balance.ts";
import { credits, usablePace } from "./sql-values.ts";

/** Permission to send one call: the hold to settle afterwards, and when the shared pace allows the call to start (epoch-ms). */
export type Grant = { readonly holdId: string; readonly startsAt: number };

/** The outcome of a call. `charged` is null for a refusal and where no reply came. */
export type CallReceipt = {
  readonly charged: number | null;
  readonly remaining: number | null;
  readonly resetsAt: number | null;
  /** True when the service refused the pace. */
  readonly tooFast: boolean;
  /** Epoch-ms before which the service wants no further call; left out where it named no time. */
  readonly notBefore?: number | null;
  /** True when no reply came: whether the call was charged is unknown, so it counts as charged until the service reports a balance. */
  readonly lost: boolean;
};

/** A hold that is not settled expires this long after its call could start; longer than any call may take. */
const holdMs = 15 * 60_000;
/** A burst of refusals is one refusal: the pace is halved at most this often. */
const slowEveryMs = 1_000;
/** The longest pause that a Retry-After can cause: a service that names a later time may mean something else. */
const longestPauseMs = 5 * 60_000;
/** The clocks of workers differ by less. A time that is further ahead is of a clock that was set right since. */
const mostAheadMs = 60_000;
/** Below this the pace does not fall, so that it can recover. */
const slowestPace = 0.1;

/**
 * A request for the credits of one call. `floor` is the share of the total that it leaves untouched; `workerId` the process that sends the
 * call, null when it is not in ops.worker.
 */
export type CreditRequest = {
  readonly accountId: string;
  readonly workerId: string | null;
  readonly cost: number;
  readonly floor: number;
  /** Slice that the call is for; null or left out where it is for none. */
  readonly sliceId?: string | null;
  /** Plan whose price it counts against; null or left out where there is none. */
  readonly planId?: string | null;
  /** Budgets that it counts against. */
  readonly budgetIds?: readonly string[];
  /** True where it is granted also when a budget has no credits for it. */
  readonly passesBudgets?: boolean;
};

/**
 * Holds credits for several requests that differ only in their slice: for the first of them, as many as fit above the floor and into
 * what is left of their plan's price and of their budgets; for none while the balance is unknown or the period is over. One statement:
 * the rows of account, plan and budgets serialise all workers. That of the account is locked before those of budgets, here and where
 * holds are settled.
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
  const budgetIds = sql`${[...(request.budgetIds ?? [])]}::bigint[]`;
  // what waits and a pause take no longer; a next start beyond that is of a clock that was ahead, and would keep everybody waiting
  const latestStart = sql`${instant(clock.now() + longestPauseMs + mostAheadMs)} + (a.in_flight + 1) * (interval '1 second' / a.pace_per_second)`;
  // without a total there is no floor to keep, so that nothing is granted; numeric, because 0.07 * 100 is 7 and not a little more
  const free = sql`(a.remaining::bigint - a.held - ceil(a.total * ${request.floor}::numeric))`;
  const { rows } = await sql<{ hold_id: string; starts_at: Date }>`
    with account as materialized (
      select a.account_id, greatest(${now}, least(a.next_start_at, ${latestStart})) as starts_at, interval '1 second' / a.pace_per_second as gap,
             case when ${free} < ${cost} then 0 when ${cost} <= 0 then ${count} else least(${count}, floor(${free} / greatest(${cost}, 1))) end::integer as fits
      from   ops.credit_account as a
      where  a.account_id = ${request.accountId} and a.remaining is not null and a.total is not null and (a.resets_at is null or a.resets_at > ${now})
      -- a process whose lease expired may wake up and not know
      and    not exists (select from ops.worker as w where w.worker_id = ${request.workerId}::bigint and w.stopped_at is not null)
      for    update
    ), plan as materialized (
      select floor((p.credits - p.taken_credits) / ${cost}::numeric) as fits
      from   ops.plan as p where p.plan_id = ${request.planId ?? null}::bigint and ${cost} > 0
      for    update
    ), budget as materialized (
      select b.budget_id, case when ${request.passesBudgets === true}::boolean then ${count} else floor((b.credits - b.taken_credits) / ${cost}::numeric) end as fits
      from   account
      join   ops.credit_budget as b on b.account_id = account.account_id and b.budget_id = any (${budgetIds}) and ${cost} > 0
      for    update of b
    ), fitting as materialized (
      select account_id, starts_at, gap,
             greatest(0, least(fits, (select plan.fits from plan), (select min(budget.fits) from budget)))::integer as fits
      from   account
    ), granted as (
      update ops.credit_account as a
      set    held = a.held + f.fits * ${cost}, in_flight = a.in_flight + f.fits,
             overlapped = a.in_flight > 0 or f.fits > 1, next_start_at = f.starts_at + f.fits * f.gap
      from   fitting as f
      where  a.account_id = f.account_id and f.fits > 0
      returning f.*
    ), taken as (
      update ops.plan as p set taken_credits = p.taken_credits + g.fits * ${cost}
      from   granted as g where p.plan_id = ${request.planId ?? null}::bigint
    ), taken_of_budgets as (
      update ops.credit_budget as b set taken_credits = taken_credits + g.fits * ${cost}
      from   granted as g where b.budget_id = any (${budgetIds})
    )
    insert into ops.credit_hold (account_id, worker_id, cost, expires_at, budget_ids, slice_id)
    select account_id, ${request.workerId}::bigint, ${cost}, starts_at + (place - 1) * gap + ${holdFor}, ${budgetIds},
           (${requests.map(({ sliceId }) => sliceId ?? null)}::bigint[])[place]
    from   granted, generate_series(1, fits) as place
    order  by place
    returning hold_id, expires_at - ${holdFor} as starts_at`.execute(db);
  return rows.map((row) => ({ holdId: row.hold_id, startsAt: row.starts_at.getTime() }));
}

/** SQL: how long after its call could start a hold expires. */
export const holdFor = sql`${holdMs}::double precision * interval '1 millisecond'`;

/** The settlement of a hold: the outcome of its call. */
export type Settlement = { readonly holdId: string; readonly receipt: CallReceipt };

/** Reports of one deadline vary by a second; nearer ones are of the same period. */
const sameDeadlineMs = 2_000;

/** True for two good calls that report the same period: one statement may settle both, as if one after the other. */
export function canShareStatement({ receipt: a }: Settlement, { receipt: b }: Settlement): boolean {
  return isPlain(a) && isPlain(b) && Math.abs((a.resetsAt ?? 0) - (b.resetsAt ?? 0)) < sameDeadlineMs;
}

/** True for a good call whose reply reported balance and deadline. */
function isPlain({ charged, remaining, resetsAt, tooFast, lost }: CallReceipt): boolean {
  return charged !== null && remaining !== null && resetsAt !== null && !tooFast && !lost;
}

/** Several such receipts as one: the sum of the charges, and the lowest balance. */
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

/** What settles: holds of one account, and the pace that it may recover to, in requests a second. */
type SettledHolds = {
  readonly accountId: string;
  readonly settlements: readonly Settlement[];
  readonly pace: number;
};

/** Settles holds and books what their calls cost; several only where `canShareStatement`. */
export async function settle(db: Queryable, end: SettledHolds, clock: Clock): Promise<void> {
  await settleAfter(null, end, clock).execute(db);
}

/** What a statement does before it settles holds: its CTEs, and a condition that runs them; where it is false nothing is settled. */
export type FirstStep = { readonly first: SqlFragment; readonly isDone: SqlFragment };

/** What calls are charged, as SQL; null for those of which that is not known. */
function bookedOf(settlements: readonly Settlement[]): SqlFragment {
  return sql`array[${sql.join(settlements.map(({ receipt: { charged, lost } }) => credits(lost ? null : (charged ?? 0))))}]`;
}

/**
 * The statement that settles holds, after something else if there is any. The row of the account, for which all workers wait, is locked
 * late: only those of budgets come after it. A balance reported beside concurrent calls counts only when it is lower. One above the total
 * shows that the allowance has grown, and the floors with it. A refused pace halves the shared one; each good call raises it by a
 * twentieth, up to `pace`.
 */
export function settleAfter(before: FirstStep | null, end: SettledHolds, clock: Clock): SqlFragment {
  const receipt = summed(end.settlements);
  const now = clock.now();
  // of several calls each had a concurrent one, and the reply to a hold that lapsed is from long ago
  const isExact = sql`(${end.settlements.length === 1}::boolean and gone.count = 1 and a.in_flight = 1 and not a.overlapped)`;
  const booked = receipt.lost ? sql`gone.cost` : credits(receipt.charged ?? 0);
  const { remaining, resetsAt } = reconciledBalance(receipt, { isExact, fallback: sql`a.remaining - ${booked}`, now });
  const pause = Math.min(receipt.notBefore ?? 0, now + longestPauseMs);
  const slow = sql`(${receipt.tooFast}::boolean and (a.slowed_at between ${instant(now - slowEveryMs)} and ${instant(now + mostAheadMs)}) is not true)`;
  return sql`
    with ${before === null ? sql`` : sql`${before.first},`}
         -- by the key: in the index by account there is a dead entry for each hold of the last minute
         ended as (delete from ops.credit_hold where hold_id = any (${end.settlements.map(({ holdId }) => holdId)}::bigint[])
                   and account_id is not distinct from ${end.accountId} returning hold_id, cost, budget_ids),
         gone  as (select coalesce(sum(cost), 0)::integer as cost, count(*)::integer as count, ${before?.isDone ?? sql`true`} as is_done from ended),
         settled as (
    update ops.credit_account as a
    set    held = a.held - gone.cost, in_flight = a.in_flight - gone.count, remaining = ${remaining}, resets_at = ${resetsAt},
           total = case when a.total < ${remaining} then ${remaining} else a.total end,
           observed_at = case when ${receipt.remaining !== null}::boolean then ${instant(now)} else a.observed_at end,
           next_start_at = case when ${pause > now}::boolean then greatest(a.next_start_at, ${instant(pause)}) else a.next_start_at end,
           slowed_at = case when ${slow} then ${instant(now)} else a.slowed_at end,
           pace_per_second = case
             when ${slow} then least(a.pace_per_second, greatest(${slowestPace}::double precision, a.pace_per_second / 2))
             when ${receipt.charged !== null}::boolean then least(${usablePace(end.pace)}::double precision, a.pace_per_second * 1.05 ^ ${end.settlements.length}::double precision)
             else a.pace_per_second end
    from   gone
    where  a.account_id = ${end.accountId} and gone.is_done
    returning a.account_id)
    update ops.credit_budget as b set taken_credits = b.taken_credits + d.credits
    from   settled
    cross  join (select budget_id, sum(charged.credits - ended.cost) as credits
                 from   ended
                 join   unnest(${end.settlements.map(({ holdId }) => holdId)}::bigint[], ${bookedOf(end.settlements)})
                        as charged (hold_id, credits) using (hold_id)
                 cross  join unnest(ended.budget_ids) as budget_id
                 where  charged.credits is not null
                 group  by budget_id) as d
    where  b.budget_id = d.budget_id`;
}

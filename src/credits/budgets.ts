import type { Clock } from "../core/clock.ts";
import {
  budgetDays,
  isCovered,
  type BudgetPeriod,
  type BudgetSubject,
  type CreditBudget,
} from "../core/credit-budget.ts";
import { dayOf, type Day } from "../core/day.ts";
import type { Database } from "../postgres/database.ts";
import { instant, sql, type Queryable } from "../postgres/sql.ts";
import { chargedCredits } from "./charges.ts";

/*
 * A budget limits the credits that calls of some datasets or apps may take in a calendar day or month (UTC). Each period has a row with the
 * credits taken so far: the statement that grants a call adds its price, and the statement that settles it corrects that to what was charged
 * (both in holds.ts). A call without a reply counts with its price.
 */

/** A budget in its current period: the credits taken, and since when it has refused calls. */
export type BudgetUse = CreditBudget & {
  readonly startsOn: Day;
  readonly endsOn: Day;
  readonly taken: number;
  readonly refusedAt: Date | null;
};

/** Finds the rows (`budget_id`) that a call counts against. */
export type BudgetBook = (subject: BudgetSubject) => Promise<readonly string[]>;

/** Opens the budgets at the first call of each day, even if none is configured: this deletes rows of earlier configurations. */
export function createBudgetBook(options: {
  readonly db: Database;
  readonly accountId: string;
  readonly budgets: readonly CreditBudget[];
  readonly clock: Clock;
}): BudgetBook {
  const { db, accountId, budgets, clock } = options;
  let open: { readonly day: Day; readonly rows: Promise<readonly OpenBudget[]> } | null = null;
  return async (subject) => {
    const day = dayOf(clock.now());
    if (open?.day !== day) open = { day, rows: openBudgets(db, { accountId, budgets, day }) };
    const { rows } = open;
    rows.catch(() => (open = null));
    return (await rows).filter((row) => isCovered(subject, row)).map(({ budgetId }) => budgetId);
  };
}

type OpenBudget = CreditBudget & { readonly budgetId: string };

/** The budgets of an account, and the day that selects their periods. */
export type BudgetsOn = { readonly accountId: string; readonly budgets: readonly CreditBudget[]; readonly day: Day };

/**
 * Upserts the rows of the configured budgets for the periods of a day, and deletes those of budgets that are no longer configured. A new
 * row, and one whose datasets or apps have changed, starts with the charges of the period so far.
 */
export async function openBudgets(db: Database, of: BudgetsOn): Promise<readonly OpenBudget[]> {
  const { accountId, budgets, day } = of;
  return db.transaction().execute(async (transaction) => {
    // blocks grants: the next statement sees what they have taken
    await sql`select from ops.credit_account where account_id = ${accountId} for update`.execute(transaction);
    if (budgets.length === 0) {
      await sql`delete from ops.credit_budget where account_id = ${accountId} and ends_on > ${day}::date`.execute(
        transaction,
      );
      return [];
    }
    const { rows } = await sql<{ budgetId: string; budget: string; period: BudgetPeriod }>`
      with ${counted(of, true)}, gone as (
        delete from ops.credit_budget as b
        where  b.account_id = ${accountId} and b.ends_on > ${day}::date
        and    not exists (select from wanted as w where w.budget = b.budget and w.period = b.period)
      )
      insert into ops.credit_budget as b (account_id, budget, period, starts_on, ends_on, credits, datasets, apps, taken_credits)
      select ${accountId}, budget, period, starts_on, ends_on, credits, datasets, apps, taken from counted
      on conflict (account_id, budget, period, starts_on) do update
      set    credits = excluded.credits, datasets = excluded.datasets, apps = excluded.apps, taken_credits = excluded.taken_credits,
             refused_at = case when excluded.credits > b.credits or (excluded.datasets, excluded.apps) is distinct from (b.datasets, b.apps)
                               then null else b.refused_at end
      returning budget_id as "budgetId", budget, period`.execute(transaction);
    return rows.flatMap((row) => {
      const own = budgets.find(({ budget, period }) => budget === row.budget && period === row.period);
      return own === undefined ? [] : [{ ...own, budgetId: row.budgetId }];
    });
  });
}

/** The budgets in the periods of a day, by name and period; one without a row is computed from past charges. */
export async function readBudgets(db: Queryable, of: BudgetsOn): Promise<readonly BudgetUse[]> {
  if (of.budgets.length === 0) return [];
  const { rows } = await sql<BudgetUse>`
    with ${counted(of, false)}
    select budget, period, credits, datasets, apps, starts_on as "startsOn", ends_on as "endsOn", taken::float8 as taken, refused_at as "refusedAt"
    from   counted
    order  by budget, period`.execute(db);
  return rows;
}

/**
 * SQL: the CTEs `wanted` (the budgets with their periods) and `counted` (the same with credits taken). `withHeld`: new rows include current
 * holds.
 */
function counted({ accountId, budgets, day }: BudgetsOn, withHeld: boolean) {
  const wanted = budgets.map((one) => {
    const { start, end } = budgetDays(one.period, day);
    return { ...one, starts_on: start, ends_on: end };
  });
  return sql`wanted as (
        select * from jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb)
          as w (budget text, period text, credits integer, datasets text[], apps text[], starts_on date, ends_on date)
      ), counted as (
        select w.*, case when k.account_id is null or (k.datasets, k.apps) is distinct from (w.datasets, w.apps)
                         then ${chargedBefore(accountId)} ${withHeld ? sql`+ ${heldBefore(accountId)}` : sql``}
                         else k.taken_credits end as taken,
               -- a refusal does not survive a raised limit or a changed subject: slices that wait for the budget are resumed
               case when w.credits <= k.credits and (k.datasets, k.apps) is not distinct from (w.datasets, w.apps) then k.refused_at end as refused_at
        from   wanted as w
        left   join ops.credit_budget_use as k on k.account_id = ${accountId} and k.budget = w.budget and k.period = w.period and k.starts_on = w.starts_on
      )`;
}

/** SQL: true if a budget `w` applies to the dataset and app of a call. */
function isOf(dataset: string, app: string) {
  return sql`(w.datasets is null or ${sql.ref(dataset)} = any (w.datasets)) and (w.apps is null or ${sql.ref(app)} = any (w.apps))`;
}

/** SQL: credits charged in the period of a budget `w`, for any token of the account, replaced ones included. */
function chargedBefore(accountId: string) {
  const tokens = sql`
    select o.account_id from ops.credit_balance as t join ops.credit_balance as o on o.account = t.account where t.account_id = ${accountId}
    union  select ${accountId}`;
  return sql`(
    select ${chargedCredits} from ops.request_log as q
    where  q.account_id in (${tokens}) and q.received_at >= w.starts_on::timestamp at time zone 'UTC'
    -- dataset and app of the request itself: its slice may be folded or cancelled
    and    ${isOf("q.dataset", "q.track_id")})`;
}

/** SQL: credits held for calls of a budget `w`. */
function heldBefore(accountId: string) {
  return sql`(
    select coalesce(sum(h.cost), 0) from ops.credit_hold as h left join ops.slice_status as l on l.slice_id = h.slice_id
    where  h.account_id = ${accountId} and ${isOf("l.dataset", "l.track_id")})`;
}

/** Returns the budget that refuses a call (of several, the one whose period ends last), and records the refusal. */
export async function refusingBudget(
  db: Queryable,
  { budgetIds, cost, now }: { readonly budgetIds: readonly string[]; readonly cost: number; readonly now: number },
): Promise<BudgetUse | null> {
  const { rows } = await sql<BudgetUse>`
    with used_up as materialized (
      select * from ops.credit_budget where budget_id = any (${[...budgetIds]}::bigint[]) and taken_credits + ${cost} > credits
    ), noted as (
      update ops.credit_budget set refused_at = ${instant(now)}
      where  budget_id in (select budget_id from used_up where refused_at is null)
    )
    select budget, period, credits, datasets, apps, starts_on as "startsOn", ends_on as "endsOn", taken_credits::float8 as taken, refused_at as "refusedAt"
    from   used_up
    order  by ends_on desc, budget
    limit  1`.execute(db);
  return rows[0] ?? null;
}

import type { Clock } from "../core/clock.ts";
import {
  budgetDays,
  isCovered,
  lastToEnd,
  type BudgetPeriod,
  type BudgetSubject,
  type CreditBudget,
} from "../core/credit-budget.ts";
import { dayOf, type Day } from "../core/day.ts";
import type { Database } from "../postgres/database.ts";
import { instant, sql, type Queryable, type SqlFragment } from "../postgres/sql.ts";
import { chargedCredits } from "./charges.ts";

/*
 * A budget limits the credits that calls of some datasets or apps may take in a calendar day or month (UTC). Each period has a row with the
 * credits taken so far: the statement that grants a call adds its price, and the statement that settles it corrects that to what was charged
 * (both in holds.ts). A call without a reply counts with its price.
 *
 * Processes may have different settings: one that was not restarted, or a command with another file. So a row is never changed or deleted:
 * another limit, or other datasets or apps, have a row of their own. A process is refused by its own budgets only, and each call counts in
 * every row that covers it.
 */

/** A budget in its current period: the credits taken, and since when it has refused calls. */
export type BudgetUse = CreditBudget & {
  readonly startsOn: Day;
  readonly endsOn: Day;
  readonly taken: number;
  readonly refusedAt: Date | null;
};

/** A budget with its row in the current period. */
export type OpenBudget = CreditBudget & { readonly budgetId: string };

/** Finds the process's own budgets that may refuse a call. */
export type BudgetBook = (subject: BudgetSubject) => Promise<readonly OpenBudget[]>;

/** Opens the budgets of a process at its first call of each day. */
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
    return (await rows).filter((row) => isCovered(subject, row));
  };
}

/** The budgets of an account, and the day that selects their periods. */
export type BudgetsOn = { readonly accountId: string; readonly budgets: readonly CreditBudget[]; readonly day: Day };

/** Inserts the rows of budgets for the periods of a day that do not exist yet, with what was taken in the period so far. */
export async function openBudgets(db: Database, of: BudgetsOn): Promise<readonly OpenBudget[]> {
  const { accountId, budgets } = of;
  if (budgets.length === 0) return [];
  return db.transaction().execute(async (transaction) => {
    // blocks grants: the next statement sees what they have taken, and those that wait are repeated (see holds.ts)
    await sql`select from ops.credit_account where account_id = ${accountId} for update`.execute(transaction);
    const { rows } = await sql<OpenedRow>`
      with ${counted(of, true)}, made as (
        insert into ops.credit_budget (account_id, budget, period, starts_on, ends_on, credits, datasets, apps, taken_credits)
        select ${accountId}, budget, period, starts_on, ends_on, credits, datasets, apps, taken from counted where budget_id is null
        returning budget_id, budget, period
      )
      select budget_id as "budgetId", budget, period, true as "isNew" from made
      union all
      select budget_id, budget, period, false from counted where budget_id is not null`.execute(transaction);
    const added = rows.flatMap(({ budgetId, isNew }) => (isNew ? [budgetId] : []));
    if (added.length > 0) await addToHolds(transaction, accountId, added);
    return rows.flatMap((row) => {
      const own = budgets.find(({ budget, period }) => budget === row.budget && period === row.period);
      return own === undefined ? [] : [{ ...own, budgetId: row.budgetId }];
    });
  });
}

type OpenedRow = {
  readonly budgetId: string;
  readonly budget: string;
  readonly period: BudgetPeriod;
  readonly isNew: boolean;
};

/**
 * New rows include the holds of calls in flight, and are corrected when these are settled. Holds that are being settled are left alone: their
 * statement waits for the account, and would never end. Grants that wait are repeated.
 */
async function addToHolds(transaction: Database, accountId: string, added: readonly string[]): Promise<void> {
  await sql`
    with opened as (
      update ops.credit_account set budgets_opened = budgets_opened + 1 where account_id = ${accountId}
    ), free as materialized (
      select hold_id from ops.credit_hold where account_id = ${accountId} for update skip locked
    )
    update ops.credit_hold as h
    set    budget_ids = h.budget_ids || array(select w.budget_id from ops.credit_budget as w
                                              where  w.budget_id = any (${[...added]}::bigint[]) and ${appliesTo("w", sql`h.dataset`, sql`h.app`)})
    from   free
    where  h.hold_id = free.hold_id`.execute(transaction);
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
 * SQL: the CTEs `wanted` (the budgets with their periods) and `counted` (the same with credits taken, and their row if there is one). Another
 * row with the same datasets and apps has counted the same calls. `withHeld`: what is counted anew includes current holds.
 */
function counted({ accountId, budgets, day }: BudgetsOn, withHeld: boolean) {
  const wanted = budgets.map((one) => {
    const { start, end } = budgetDays(one.period, day);
    // lists in another order are the same subject
    const [datasets, apps] = [one.datasets?.toSorted() ?? null, one.apps?.toSorted() ?? null];
    return { ...one, datasets, apps, starts_on: start, ends_on: end };
  });
  return sql`wanted as (
        select * from jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb)
          as w (budget text, period text, credits integer, datasets text[], apps text[], starts_on date, ends_on date)
      ), counted as (
        select w.*, own.budget_id, own.refused_at,
               coalesce(own.taken_credits, other.taken_credits, ${chargedBefore(accountId)} ${withHeld ? sql`+ ${heldBefore(accountId)}` : sql``}) as taken
        from   wanted as w
        left   join lateral (
          select k.* from ${rowsOf(accountId)} and k.budget = w.budget and k.credits = w.credits order by k.budget_id limit 1
        ) as own on true
        left   join lateral (
          select max(k.taken_credits) as taken_credits from ${rowsOf(accountId)}
        ) as other on true
      )`;
}

/** SQL: the rows `k` of the period, datasets and apps of a budget `w`. */
function rowsOf(accountId: string) {
  return sql`ops.credit_budget_use as k
          where k.account_id = ${accountId} and k.ends_on = w.ends_on and k.period = w.period
          and   (k.datasets, k.apps) is not distinct from (w.datasets, w.apps)`;
}

/** SQL: true if a budget applies to the dataset and app of a call. */
export function appliesTo(budget: string, dataset: SqlFragment, app: SqlFragment): SqlFragment {
  const [datasets, apps] = [sql.ref(`${budget}.datasets`), sql.ref(`${budget}.apps`)];
  return sql`(${datasets} is null or ${dataset} = any (${datasets})) and (${apps} is null or ${app} = any (${apps}))`;
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
    and    ${appliesTo("w", sql`q.dataset`, sql`q.track_id`)})`;
}

/** SQL: credits held for calls of a budget `w`. */
function heldBefore(accountId: string) {
  return sql`(
    select coalesce(sum(h.cost), 0) from ops.credit_hold as h
    where  h.account_id = ${accountId} and ${appliesTo("w", sql`h.dataset`, sql`h.app`)})`;
}

/** A budget of a call, by its row, and the credits that the call leaves of it. */
export type BudgetOfCall = { readonly budgetId: string; readonly keeps: number };

/** SQL: the budgets of a call as rows of `(budget_id, keeps)`. */
export function budgetsOfCall(budgets: readonly BudgetOfCall[]): SqlFragment {
  const [ids, keeps] = [budgets.map(({ budgetId }) => budgetId), budgets.map((budget) => Math.ceil(budget.keeps))];
  return sql`unnest(${ids}::bigint[], ${keeps}::bigint[])`;
}

/** A budget that refuses a call; `isUsedUp` is false if it has room for the call, but not for what the call leaves of it as well. */
export type RefusingBudget = BudgetUse & { readonly isUsedUp: boolean };

/**
 * Returns the budget that defers a call, of all that refuse it: a used-up one first, since the others may have room after the next night.
 * Records the refusals of used-up ones.
 */
export async function refusingBudget(
  db: Queryable,
  { budgets, cost, now }: { readonly budgets: readonly BudgetOfCall[]; readonly cost: number; readonly now: number },
): Promise<RefusingBudget | null> {
  const { rows } = await sql<RefusingBudget & { readonly budgetId: string }>`
    with refusing as materialized (
      select b.*, b.taken_credits + ${cost} > b.credits as is_used_up
      from   ops.credit_budget as b
      join   ${budgetsOfCall(budgets)} as own (budget_id, keeps) using (budget_id)
      where  b.taken_credits + ${cost} + own.keeps > b.credits
    )
    select budget, period, credits, datasets, apps, starts_on as "startsOn", ends_on as "endsOn", taken_credits::float8 as taken,
           refused_at as "refusedAt", is_used_up as "isUsedUp", budget_id as "budgetId"
    from   refusing
    order  by budget, period`.execute(db);
  // one row at a time: grants lock several in another order
  for (const { budgetId } of rows.filter(({ isUsedUp, refusedAt }) => isUsedUp && refusedAt === null))
    await sql`
      update ops.credit_budget set refused_at = ${instant(now)} where budget_id = ${budgetId}::bigint and refused_at is null`.execute(
      db,
    );
  return lastToEnd(rows.filter(({ isUsedUp }) => isUsedUp)) ?? lastToEnd(rows) ?? null;
}

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
 * A budget is a limit on what calls of some datasets or apps take on a day or in a month of the calendar (UTC). Its row of the running
 * period counts what is charged and what is held: a call takes from it in the statement that grants it (see holds.ts), and what it was
 * charged less, or more, is corrected in the statement that settles it. What a call without a reply took stays taken.
 */

/** A budget in its running period: what is taken of it, and since when (epoch-ms) it has no credits for what was requested. */
export type BudgetUse = CreditBudget & {
  readonly startsOn: Day;
  readonly endsOn: Day;
  readonly taken: number;
  readonly refusedAt: Date | null;
};

/** The budgets of a process: finds the rows that a call takes from. */
export type BudgetBook = (subject: BudgetSubject) => Promise<readonly string[]>;

/** Opens the budgets of a process with its first call, and anew when a day has begun: rows of a configuration without budgets go as well. */
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

/** The budgets of an account, and the day whose periods are meant. */
export type BudgetsOn = { readonly accountId: string; readonly budgets: readonly CreditBudget[]; readonly day: Day };

/**
 * Makes the rows of budgets for the periods that hold a day, and gives those that are there their limits. A new row, and one that is now
 * for something else, counts what was charged in the period before. Rows of budgets that are configured no more go.
 */
export async function openBudgets(db: Database, of: BudgetsOn): Promise<readonly OpenBudget[]> {
  const { accountId, budgets, day } = of;
  return db.transaction().execute(async (transaction) => {
    // grants wait meanwhile, and what they took before is seen by the next statement
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

/** How budgets stand in the periods that hold a day, by name and period; one that no process has opened counts what was charged. */
export async function readBudgets(db: Queryable, of: BudgetsOn): Promise<readonly BudgetUse[]> {
  if (of.budgets.length === 0) return [];
  const { rows } = await sql<BudgetUse>`
    with ${counted(of, false)}
    select budget, period, credits, datasets, apps, starts_on as "startsOn", ends_on as "endsOn", taken::float8 as taken, refused_at as "refusedAt"
    from   counted
    order  by budget, period`.execute(db);
  return rows;
}

/** SQL: the budgets that are wanted, and each with what is taken of it. `withHeld`: a new one counts credits that are held as well. */
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
               -- it refused under another limit, or something else; what waits for it is resumed before any call opens it
               case when w.credits <= k.credits and (k.datasets, k.apps) is not distinct from (w.datasets, w.apps) then k.refused_at end as refused_at
        from   wanted as w
        left   join ops.credit_budget_use as k on k.account_id = ${accountId} and k.budget = w.budget and k.period = w.period and k.starts_on = w.starts_on
      )`;
}

/** SQL: true where the dataset and app of a call are those of a budget `w`. */
function isOf(dataset: string, app: string) {
  return sql`(w.datasets is null or ${sql.ref(dataset)} = any (w.datasets)) and (w.apps is null or ${sql.ref(app)} = any (w.apps))`;
}

/** SQL: what was charged in the period of a budget `w`, also to a token that was replaced since: the limit is of the account. */
function chargedBefore(accountId: string) {
  const tokens = sql`
    select o.account_id from ops.credit_balance as t join ops.credit_balance as o on o.account = t.account where t.account_id = ${accountId}
    union  select ${accountId}`;
  return sql`(
    select ${chargedCredits} from ops.request_log as q
    where  q.account_id in (${tokens}) and q.received_at >= w.starts_on::timestamp at time zone 'UTC'
    -- by the request: its slice may be folded or cancelled
    and    ${isOf("q.dataset", "q.track_id")})`;
}

/** SQL: what is held for calls of a budget `w`. */
function heldBefore(accountId: string) {
  return sql`(
    select coalesce(sum(h.cost), 0) from ops.credit_hold as h left join ops.slice_status as l on l.slice_id = h.slice_id
    where  h.account_id = ${accountId} and ${isOf("l.dataset", "l.track_id")})`;
}

/** Of some budgets the one that has no credits for a call, the one that lasts longest where several have none; noted as refusing. */
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

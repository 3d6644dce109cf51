import { instant, sql, type Queryable } from "../postgres/sql.ts";
import { chargedCredits } from "./charges.ts";
import { periodStart, readAccount, type AccountState } from "./account.ts";
import { readBudgets, type BudgetsOn, type BudgetUse } from "./budgets.ts";
import { learnedCosts, type LearnedCost } from "./costs.ts";
import { monthStart, type Day } from "../core/day.ts";

/** Credits spent by dataset and class since an instant. `dataset` is null for balance checks and requests of commands. */
type Spend = {
  readonly dataset: string | null;
  readonly class: string;
  readonly requests: number;
  readonly credits: number;
};

/** Everything about the allowance of one account. */
export type CreditReport = {
  readonly account: AccountState | null;
  readonly spent: readonly Spend[];
  readonly costs: readonly LearnedCost[];
  readonly budgets: readonly BudgetUse[];
  /** All accounts of the warehouse, if it has several. */
  readonly accounts: readonly AccountLine[];
};

/** Reads the allowance, what was spent in the current period, and the learned costs. */
export async function readCreditReport(db: Queryable, of: BudgetsOn): Promise<CreditReport> {
  const { accountId } = of;
  const account = await readAccount(db, accountId);
  const spent = await readPeriodSpend(db, accountId, account);
  const accounts = await readAccountLines(db, of.day);
  return { account, spent, costs: await learnedCosts(db), budgets: await readBudgets(db, of), accounts };
}

/** Reads what an account spent in the current period; everything on record if the period is unknown. */
export async function readPeriodSpend(
  db: Queryable,
  accountId: string,
  account: AccountState | null,
): Promise<readonly Spend[]> {
  const since = periodStart(account);
  const { rows } = await sql<Spend>`
    select dataset, class, sum(count)::float8 as requests, ${chargedCredits} as credits
    from   (select dataset, class, cost, 1 as count
            from   ops.request
            where  account_id = ${accountId} and (${instant(since)} is null or received_at >= ${instant(since)})
            union  all
            select dataset, class, cost, request_count
            from   ops.past_spend_daily
            where  account_id = ${accountId} and (${instant(since)} is null or date_day >= ${instant(since)})) as q
    group  by dataset, class
    order  by dataset nulls last, class`.execute(db);
  return rows;
}

/** One of several accounts: its name (empty for that of API_TOKEN), what is left of its allowance, and what it spent. */
type AccountLine = {
  readonly account: string;
  readonly total: number | null;
  readonly remaining: number | null;
  readonly held: number;
  readonly resetsAt: Date | null;
  /** Credits charged since the first of the month (UTC). */
  readonly spentInMonth: number;
};

/** The accounts of the warehouse, each with the token that was seen last; none if there is only one account. */
async function readAccountLines(db: Queryable, day: Day): Promise<readonly AccountLine[]> {
  const { rows } = await sql<AccountLine>`
    with newest as (
      select distinct on (account) account, total, remaining, held, resets_at
      from   ops.credit_balance
      order  by account, observed_at desc nulls last
    )
    select n.account, n.total, n.remaining, n.held, n.resets_at as "resetsAt", coalesce(s.credits, 0)::float8 as "spentInMonth"
    from   newest as n
    left   join (select account, sum(booked_credits) as credits from ops.credit_spend_daily where date_day >= ${monthStart(day)}::date group by 1) as s
                on s.account = n.account
    where  (select count(*) from newest) > 1
    order  by n.account`.execute(db);
  return rows;
}

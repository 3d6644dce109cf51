import { instant, sql, type Queryable } from "../postgres/sql.ts";
import { readAccountLines, type AccountLine } from "./account-lines.ts";
import { chargedCredits } from "./charges.ts";
import { periodStart, readAccount, type AccountState } from "./account.ts";
import { readBudgets, type BudgetsOn, type BudgetUse } from "./budgets.ts";
import { learnedCosts, type LearnedCost } from "./costs.ts";

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

import { monthStart, type Day } from "../core/day.ts";
import { sql, type Queryable } from "../postgres/sql.ts";

/** One of several accounts: its name (empty for that of API_TOKEN), what is left of its allowance, and what it spent. */
export type AccountLine = {
  readonly account: string;
  readonly total: number | null;
  readonly remaining: number | null;
  readonly held: number;
  readonly resetsAt: Date | null;
  /** Credits charged since the first of the month (UTC). */
  readonly spentInMonth: number;
};

/** The accounts of the warehouse, each with the token that was seen last; none if there is only one account. */
export async function readAccountLines(db: Queryable, day: Day): Promise<readonly AccountLine[]> {
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

import { createHash } from "node:crypto";
import type { CreditBudget } from "../core/credit-budget.ts";
import { addDays, dayOf, type Day } from "../core/day.ts";
import { instant, sql, type Queryable } from "../postgres/sql.ts";
import type { NightOutcome } from "./forecast-error.ts";

/** The expected charges of a future day. */
export type ForecastDay = {
  readonly day: Day;
  /** When the run starts that takes most, in epoch-ms; the start of the day if there is none. */
  readonly startsAt: number;
  /** Credits for the plans of its runs, as far as budgets pay for them. */
  readonly planned: number;
  /** Credits for work that was open when the forecast was made, and runs on that day. */
  readonly waiting: number;
  /** By `forecastKey` of a budget, the credits of the day's plans that the budget applies to, without history. */
  readonly budgets: Readonly<Record<string, number>>;
};

/** A forecast, its days in order; `madeAt` in epoch-ms. */
export type StoredForecast = { readonly madeAt: number; readonly days: readonly ForecastDay[] };

/** Name and period of a budget, and a digest of what it covers: with other datasets or apps it has another forecast. */
export function forecastKey({ budget, period, datasets, apps }: Omit<CreditBudget, "credits">): string {
  const covered = JSON.stringify([datasets?.toSorted() ?? null, apps?.toSorted() ?? null]);
  return `${budget} a ${period} (${createHash("sha256").update(covered).digest("hex").slice(0, 8)})`;
}

/** True if a forecast knows all of these budgets. */
export function knowsBudgets({ days: [first] }: StoredForecast, budgets: readonly CreditBudget[]): boolean {
  return first !== undefined && budgets.every((budget) => forecastKey(budget) in first.budgets);
}

/** Forecasts are kept for this many days. */
const keptDays = 90;

/** Stores the forecast of a day in place of an earlier one of that day, and deletes expired ones. */
export async function writeForecast(db: Queryable, accountId: string, { madeAt, days }: StoredForecast): Promise<void> {
  const madeOn = dayOf(madeAt);
  const rows = days.map(({ day, startsAt, planned, waiting, budgets }) => ({
    date_day: day,
    starts_at: new Date(startsAt).toISOString(),
    planned_credits: planned,
    waiting_credits: waiting,
    budget_credits: budgets,
  }));
  await sql`
    with old as (
      delete from ops.credit_forecast
      where  made_on < ${addDays(madeOn, -keptDays)}::date
      or     account_id = ${accountId} and made_on = ${madeOn}::date and date_day <> all (${days.map(({ day }) => day)}::date[])
    )
    insert into ops.credit_forecast (account_id, made_on, date_day, starts_at, planned_credits, waiting_credits, budget_credits, made_at)
    select ${accountId}, ${madeOn}::date, date_day, starts_at, planned_credits, waiting_credits, budget_credits, ${instant(madeAt)}
    from   jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
             as r (date_day date, starts_at timestamptz, planned_credits integer, waiting_credits integer, budget_credits jsonb)
    order  by date_day
    on conflict (account_id, made_on, date_day) do update
    set    starts_at = excluded.starts_at, planned_credits = excluded.planned_credits, waiting_credits = excluded.waiting_credits,
           budget_credits = excluded.budget_credits, made_at = excluded.made_at
    where  ops.credit_forecast.made_at <= excluded.made_at`.execute(db);
}

/** The newest forecast of an account, if it was made on a day or at most so many days before; null otherwise. */
export async function readForecast(
  db: Queryable,
  accountId: string,
  day: Day,
  daysBefore = 1,
): Promise<StoredForecast | null> {
  const { rows } = await sql<Omit<ForecastDay, "startsAt"> & { startsAt: Date; madeAt: Date }>`
    select date_day as day, starts_at as "startsAt", planned_credits as planned, waiting_credits as waiting, budget_credits as budgets, made_at as "madeAt"
    from   ops.credit_forecast_day
    where  account_id = ${accountId} and made_on = (
      select max(made_on) from ops.credit_forecast_day where account_id = ${accountId} and made_on between ${addDays(day, -daysBefore)}::date and ${day}::date)
    order  by date_day`.execute(db);
  const [first] = rows;
  if (first === undefined) return null;
  const days = rows.map(({ day: of, startsAt, planned, waiting, budgets }) => ({
    day: of,
    startsAt: startsAt.getTime(),
    planned,
    waiting,
    budgets,
  }));
  return { madeAt: first.madeAt.getTime(), days };
}

/**
 * For each day from one to another (exclusive): the expected charges according to the newest forecast of an earlier day, and the actual
 * charges of scheduled runs. `others`: charges of commands, callers of the gateway and backfills, which no forecast includes. Days without
 * a forecast are left out.
 */
export async function readNightOutcomes(
  db: Queryable,
  { accountId, from, before }: { readonly accountId: string; readonly from: Day; readonly before: Day },
): Promise<readonly NightOutcome[]> {
  // of a backfill by its slice, which workers may have taken over into a run of theirs; by its run if the slice is gone, folded into another
  const isOther = sql`(q.class = 'person' or q.caller is not null or s.slice_id is not null
                       or exists (select from ops.run_log as r where r.run_id = q.run_id and r.plan_id is not null))`;
  const { rows } = await sql<NightOutcome>`
    with expected as (
      select distinct on (date_day) date_day, planned_credits + waiting_credits as credits
      from   ops.credit_forecast_day
      where  account_id = ${accountId} and date_day >= ${from}::date and date_day < ${before}::date and made_on < date_day
      order  by date_day, made_on desc
    ), charges as (
      select q.received_day, sum(q.cost) as total, coalesce(sum(q.cost) filter (where not ${isOther}), 0) as charged
      from   ops.request_log as q
      left   join ops.slice_log as s on s.slice_id = q.slice_id and s.plan_id is not null
      where  q.account_id = ${accountId} and q.received_day >= ${from}::date and q.received_day < ${before}::date
      group  by q.received_day
    )
    select f.date_day as day, f.credits::float8 as "forecastCost", coalesce(c.charged, 0)::float8 as charged,
           coalesce(c.total - c.charged, 0)::float8 as others
    from   expected as f
    left   join charges as c on c.received_day = f.date_day
    order  by f.date_day`.execute(db);
  return rows;
}

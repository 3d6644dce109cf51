import type { Day } from "../core/day.ts";
import { sql, type Queryable } from "../postgres/sql.ts";

/**
 * Credits charged to an account on a day (UTC) for a dataset and class. `account` is empty for that of API_TOKEN, `dataset` for balance
 * checks and requests of commands.
 */
export type DailySpend = {
  readonly day: Day;
  readonly account: string;
  readonly dataset: string;
  readonly class: string;
  readonly requests: number;
  readonly credits: number;
};

/** Charges since a day, by day, account, dataset and class. */
export async function readDailySpend(db: Queryable, from: Day): Promise<readonly DailySpend[]> {
  const { rows } = await sql<DailySpend>`
    select date_day as day, account, dataset, class, sum(request_count)::float8 as requests, sum(booked_credits)::float8 as credits
    from   ops.credit_spend_daily
    where  date_day >= ${from}::date
    group  by date_day, account, dataset, class
    order  by date_day desc, account, dataset, class`.execute(db);
  return rows;
}

/** Credits charged for an app; store, id and name are null for charges without an app. */
export type AppSpend = {
  readonly store: string | null;
  readonly trackId: string | null;
  readonly appName: string | null;
  readonly requests: number;
  readonly credits: number;
};

/** Charges since a day for each app, by slices and by calls of callers, the most expensive first. Imported answers do not count. */
export async function readAppSpend(db: Queryable, from: Day): Promise<readonly AppSpend[]> {
  const { rows } = await sql<AppSpend>`
    select store, track_id as "trackId", app_name as "appName", sum(request_count)::float8 as requests, sum(credit_count)::float8 as credits
    from   mart.credit_spend_by_app_daily
    where  date_day >= ${from}::date
    group  by store, track_id, app_name
    order  by credits desc, track_id nulls last`.execute(db);
  return rows;
}

import type { Day } from "../core/day.ts";
import { sql, type Queryable } from "../postgres/sql.ts";
import { chargedCredits } from "./charges.ts";

/** Credits charged on a day (UTC) for a dataset and class. `dataset` is empty for balance checks and requests of commands. */
export type DailySpend = {
  readonly day: Day;
  readonly dataset: string;
  readonly class: string;
  readonly requests: number;
  readonly credits: number;
};

/** What was charged since a day, by day, dataset and class. */
export async function readDailySpend(db: Queryable, from: Day): Promise<readonly DailySpend[]> {
  const { rows } = await sql<DailySpend>`
    select date_day as day, dataset, class, sum(request_count)::float8 as requests, sum(booked_credits)::float8 as credits
    from   ops.credit_spend_daily
    where  date_day >= ${from}::date
    group  by date_day, dataset, class
    order  by date_day desc, dataset, class`.execute(db);
  return rows;
}

/** Credits charged for an app; store, id and name are null for what is about no app. */
export type AppSpend = {
  readonly store: string | null;
  readonly trackId: string | null;
  readonly appName: string | null;
  readonly requests: number;
  readonly credits: number;
};

/** What was charged since a day for the slices of each app, the dearest first. */
export async function readAppSpend(db: Queryable, from: Day): Promise<readonly AppSpend[]> {
  const { rows } = await sql<AppSpend>`
    select s.store, s.track_id as "trackId", a.app_name as "appName", sum(s.requests)::float8 as requests, sum(s.credits)::float8 as credits
    from   (select l.store, l.track_id, count(*) as requests, ${chargedCredits("q")} as credits
            from   ops.request_log as q
            left   join ops.slice_status as l on l.slice_id = q.slice_id
            where  q.received_day >= ${from}::date
            group  by l.store, l.track_id) as s
    left   join core.dim_app as a on a.store = s.store and a.track_id = s.track_id
    group  by s.store, s.track_id, a.app_name
    order  by credits desc, s.track_id nulls last`.execute(db);
  return rows;
}

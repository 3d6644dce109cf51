import { addMonths, monthStart, type Day } from "../core/day.ts";
import { chargedCredits } from "../credits/charges.ts";
import type { Database } from "../postgres/database.ts";
import { sql } from "../postgres/sql.ts";
import { isPaidFromPlan } from "./plan-payers.ts";

/** The table of requests; each month of it is a partition. */
export const requestTable = "ops.request";

/**
 * Makes the partitions of the month of a day and of the next one, and moves requests that were stored before their partition existed into
 * it.
 */
export async function makeRequestMonths(db: Database, today: Day): Promise<void> {
  const months = [monthStart(today), addMonths(monthStart(today), 1)];
  await sql`select ops.make_request_months(${months}::date[])`.execute(db);
}

type RequestMonth = { readonly month: Day; readonly rows: number; readonly bytes: number };

/** Months of requests that `makeRequestMonths` has not made yet and that end on a day or before it. `bytes` are those of the rows alone. */
export async function unmadeRequestMonths(db: Database, day: Day): Promise<readonly RequestMonth[]> {
  const { rows } = await sql<RequestMonth>`
    select date_trunc('month', q.received_at at time zone 'UTC')::date::text as month, count(*)::float8 as rows,
           sum(pg_column_size(q))::float8 as bytes
    from   ops.request as q
    where  q.received_at < ${monthStart(day)}::timestamp at time zone 'UTC'
    and    q.tableoid = (select p.partdefid from pg_partitioned_table as p where p.partrelid = ${requestTable}::regclass)
    group  by 1`.execute(db);
  return rows;
}

/**
 * Adds a month of requests to the sums of what was charged: by day, by run, by plan and by slice. To be called in the transaction that
 * removes the month; until it ends, no other request of the month is stored.
 */
export async function sumUpRequests(transaction: Database, month: Day): Promise<void> {
  await sql`select ops.hold_request_month(${month}::date)`.execute(transaction);
  const going = sql`
    ops.request as q
    where  q.received_at >= ${month}::timestamp at time zone 'UTC' and q.received_at < ${addMonths(month, 1)}::timestamp at time zone 'UTC'`;
  await sql`
    insert into ops.past_spend (month_start, days, account_id, dataset, class, operation, store, track_id, country_code, request_count,
                                failed_request_count, cost)
    select ${month}::date, sum(1 << d.day) /* days with equal sums, bit 0 is the first of the month */, account_id, dataset, class, operation, store, track_id, country_code, requests, failed, cost
    from   (select (q.received_at at time zone 'UTC')::date - ${month}::date as day, q.account_id, q.dataset, q.class, q.operation, q.store,
                   q.track_id, q.country_code, count(*) as requests, count(q.error_code) as failed, sum(q.cost) as cost
            from   ${going}
            group  by 1, 2, 3, 4, 5, 6, 7, 8) as d
    group  by account_id, dataset, class, operation, store, track_id, country_code, requests, failed, cost`.execute(
    transaction,
  );
  await sql`
    update ops.run as r
    set    past_request_count = r.past_request_count + p.requests, past_credits = r.past_credits + p.credits,
           -- as ops.run_summary reads it from the requests of a run without a process
           ended_at = case when r.worker_id is null and r.ended_at is not null then greatest(r.ended_at, p.answered_at) else r.ended_at end
    from   (select q.run_id, count(*) as requests, ${chargedCredits} as credits, max(q.received_at) as answered_at from ${going} and q.run_id is not null group by 1) as p
    where  r.run_id = p.run_id`.execute(transaction);
  await sql`
    update ops.plan as p
    set    past_credits = p.past_credits + q.credits
    from   (select s.plan_id, sum(q.cost) as credits
            from   (select q.slice_id, q.cost from ${going} and ${isPaidFromPlan}) as q
            join   ops.slice as s on s.slice_id = q.slice_id
            where  s.plan_id is not null
            group  by 1) as q
    where  p.plan_id = q.plan_id`.execute(transaction);
  await sql`
    insert into ops.past_slice_spend as p (slice_id, request_count, cost)
    select q.slice_id, count(*), sum(q.cost) from ${going} and exists (select from ops.slice as s where s.slice_id = q.slice_id) group by 1
    on conflict (slice_id) do update set request_count = p.request_count + excluded.request_count, cost = p.cost + excluded.cost`.execute(
    transaction,
  );
}

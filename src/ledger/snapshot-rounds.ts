import { sql, type SqlFragment } from "../postgres/sql.ts";
import { ofTiming } from "./dataset-timings.ts";

/*
 * A snapshot says what holds now. The one of a day stands for the `refresh_days` from that day on, its round, and can be requested on any of
 * them; after that it is lost.
 */

/** SQL: days for which a snapshot of `ops.slice as s` stands that is requested now. */
export const refreshDays = sql<number>`coalesce(${ofTiming(sql`t.refresh_days`)}, 1)`;

/** SQL: days for which the one of a day stands: what was not due when it was to be requested is not lost because the setting has changed since. */
export function refreshDaysOn(day: SqlFragment): SqlFragment<number> {
  return sql<number>`coalesce(${ofTiming(sql`case when ${day} < t.refresh_since then t.earlier_refresh_days else t.refresh_days end`)}, 1)`;
}

/** SQL: the day for which a snapshot `ops.slice as s` was planned. One that waits moves from day to day: what counts is the first one. */
export const plannedOn = sql`least(s.window_start, (s.created_at at time zone 'UTC')::date)`;

/** SQL: the day by which that of the snapshot `ops.slice as s` is lost. */
export const lostOn = sql`(${plannedOn} + ${refreshDaysOn(plannedOn)})`;

/**
 * SQL: days after which a snapshot that stands for so many days counts as not in the portfolio, and not as lost, where nobody requested it: of
 * monthly ones a round may be missed.
 */
export function longestGapDays(days: SqlFragment): SqlFragment<number> {
  return sql<number>`greatest(30, 3 * ${days})`;
}

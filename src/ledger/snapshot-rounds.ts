import { sql, type SqlFragment } from "../postgres/sql.ts";
import { ofTiming } from "./dataset-timings.ts";

/*
 * A snapshot is about the day on which it is requested. It is due once per round: the `refresh_days` days that begin with the day for which
 * it was planned. It can be requested on any day of its round; if the round ends without an answer, it is lost.
 */

/** SQL: the length of a round, in days, of a snapshot `ops.slice as s` that is requested now. */
export const refreshDays = sql<number>`coalesce(${ofTiming(sql`t.refresh_days`)}, 1)`;

/**
 * SQL: the length of the round that began on a day, by the `refresh_days` of that time, so that a later change of the setting makes no
 * round lost.
 */
export function refreshDaysOn(day: SqlFragment): SqlFragment<number> {
  return sql<number>`coalesce(${ofTiming(sql`case when ${day} < t.refresh_since then t.earlier_refresh_days else t.refresh_days end`)}, 1)`;
}

/** SQL: the first day of the round of a snapshot `ops.slice as s`: while it waits, it is moved from day to day. */
export const roundStart = sql`least(s.window_start, (s.created_at at time zone 'UTC')::date)`;

/** SQL: the day after the round of the snapshot `ops.slice as s`, on which it is lost. */
export const lostOn = sql`(${roundStart} + ${refreshDaysOn(roundStart)})`;

/**
 * SQL: the longest gap between two snapshots, for rounds of this many days. After a longer gap the partition counts as having been out of
 * the portfolio, and the rounds in the gap are not lost. Three rounds (but at least 30 days), since one monthly round may be missed.
 */
export function longestGapDays(days: SqlFragment): SqlFragment<number> {
  return sql<number>`greatest(30, 3 * ${days})`;
}

/** SQL: the day on which a slice `s` was planned: each time its call is put off, `as_of` moves on. */
export const plannedOn = sql`least(s.as_of, (s.created_at at time zone 'UTC')::date)`;

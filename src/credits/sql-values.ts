import { sql, type SqlFragment } from "../postgres/sql.ts";

/** More credits than this are as good as no limit; the columns hold no more than twice as many. */
const mostCredits = 1_000_000_000;
/** The last millisecond that both sides can write with a year of four digits. */
const lastInstant = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
/** One request in a quarter of an hour; a pace of none would be a division by zero. */
const leastPace = 0.001;

/** A number of credits as SQL. */
export function credits(count: number | null): SqlFragment<number | null> {
  return sql`${count === null ? null : Math.max(-mostCredits, Math.min(mostCredits, count))}::integer`;
}

/** A pace, in requests a second, that time can be divided by. */
export function usablePace(pacePerSecond: number): number {
  return Math.max(leastPace, pacePerSecond);
}

/** An instant (epoch-ms) as SQL. */
export function instant(at: number | null): SqlFragment<Date | null> {
  const kept = at === null ? null : new Date(Math.max(0, Math.min(lastInstant, at)));
  return sql`${kept === null ? null : kept.toISOString()}::timestamptz`;
}

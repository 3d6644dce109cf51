import { boundedCredits } from "../core/credit-budget.ts";
import { sql, type SqlFragment } from "../postgres/sql.ts";

/** One request in a quarter of an hour; a pace of 0 would mean a division by zero. */
const leastPace = 0.001;

/** A number of credits as SQL. */
export function credits(count: number | null): SqlFragment<number | null> {
  return sql`${count === null ? null : boundedCredits(count)}::integer`;
}

/** A pace, in requests a second, that time can be divided by. */
export function usablePace(pacePerSecond: number): number {
  return Math.max(leastPace, pacePerSecond);
}

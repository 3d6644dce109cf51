import { instant, sql, type SqlFragment } from "../postgres/sql.ts";
import { credits } from "./sql-values.ts";

/**
 * The balance and the deadline for the row of the account after the service reported a balance. `isExact` is true if no concurrent call can
 * have changed that balance; `fallback` is the balance of the row without the report.
 * - Exact, or the first report of a later period once the known one is over: as reported.
 * - Of a period before the known one: the fallback.
 * - If a deadline has passed and none is reported for the new period, it becomes unknown.
 * - Otherwise: the lower balance, and the deadline stays. Reports of it vary by a second, and a slow reply dates it late.
 */
export function reconciledBalance(
  reported: { readonly remaining: number | null; readonly resetsAt: number | null },
  { isExact, fallback, now }: { isExact: SqlFragment; fallback: SqlFragment; now: number },
): { remaining: SqlFragment; resetsAt: SqlFragment } {
  const remaining = credits(reported.remaining);
  const resetsAt = instant(reported.resetsAt);
  const asReported = sql`(a.remaining is null or ${isExact}
    or a.resets_at <= ${instant(now)} + ${tolerance} and ${resetsAt} > a.resets_at + ${tolerance})`;
  return {
    remaining: sql`case
      when ${remaining} is null then ${fallback}
      when ${asReported} then ${remaining}
      when ${resetsAt} < a.resets_at - ${tolerance} then ${fallback}
      else least(a.remaining, ${remaining}) end`,
    resetsAt: sql`case
      when ${remaining} is not null and ${asReported} then coalesce(${resetsAt}, case when a.resets_at > ${instant(now - graceMs)} then a.resets_at end)
      else coalesce(a.resets_at, ${resetsAt}) end`,
  };
}

/** A deadline in seconds that are rounded down is up to a second early, and a call may take another second. */
const graceMs = 2_000;

/** Deadlines that differ by less than this, or by less than half a period, are the same. */
const tolerance = sql`least(interval '60 seconds', coalesce(a.period_hours, 24)::double precision * interval '30 minutes')`;

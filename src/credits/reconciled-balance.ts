import { instant, sql, type SqlFragment } from "../postgres/sql.ts";
import { credits } from "./sql-values.ts";

/**
 * The balance and the deadline that the account's row is to hold after the service reported a balance. `isExact` is true when no
 * concurrent call can have changed that balance; `fallback` is the balance that the row has without the report.
 * - Exact, or the first report of a later period once the known one is over: as reported.
 * - Of a period before the known one: the fallback.
 * - A deadline that is over, where none is reported for the period that began, becomes unknown.
 * - Else the lower balance, and the deadline stays: reports of it vary by a second, and a slow reply dates it late.
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

/** A deadline reported in seconds that were rounded down is early by up to one, and a call may take another. */
const graceMs = 2_000;

/** Deadlines nearer to each other than this, or than half a period, are the same one. */
const tolerance = sql`least(interval '60 seconds', coalesce(a.period_hours, 24)::double precision * interval '30 minutes')`;

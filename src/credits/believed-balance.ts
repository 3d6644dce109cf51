import { sql, type SqlFragment } from "../postgres/sql.ts";
import { credits, instant } from "./sql-values.ts";

/**
 * What the account's row is to say after a balance was told, `alone` when no other call could have blurred it.
 * - Alone, or once the known period is over and a later one is told: as told.
 * - From a period before the known one: nothing; `unheard` is what the row says without it.
 * - A deadline that is over, where none is told for the period that began, is no longer known.
 * - Else the lower balance, and the deadline stays: it wavers by a second, and a slow answer dates it late.
 */
export function belief(
  told: { readonly remaining: number | null; readonly resetsAt: number | null },
  { alone, unheard, now }: { alone: SqlFragment; unheard: SqlFragment; now: number },
): { remaining: SqlFragment; resetsAt: SqlFragment } {
  const remaining = credits(told.remaining);
  const resetsAt = instant(told.resetsAt);
  const asTold = sql`(a.remaining is null or ${alone}
    or a.resets_at <= ${instant(now)} + ${waver} and ${resetsAt} > a.resets_at + ${waver})`;
  return {
    remaining: sql`case
      when ${remaining} is null then ${unheard}
      when ${asTold} then ${remaining}
      when ${resetsAt} < a.resets_at - ${waver} then ${unheard}
      else least(a.remaining, ${remaining}) end`,
    resetsAt: sql`case
      when ${remaining} is not null and ${asTold} then coalesce(${resetsAt}, case when a.resets_at > ${instant(now - graceMs)} then a.resets_at end)
      else coalesce(a.resets_at, ${resetsAt}) end`,
  };
}

/** A deadline told in seconds that were rounded down is early by up to one, and a call may take another. */
const graceMs = 2_000;

/** Deadlines nearer to each other than this, or than half a period, are the same one. */
const waver = sql`least(interval '60 seconds', coalesce(a.period_hours, 24)::double precision * interval '30 minutes')`;

import { creditClasses } from "../core/slice.ts";
import { refusedLately, subjectIn } from "../credits/account-stop.ts";
import { sql, type SqlFragment } from "../postgres/sql.ts";

/*
 * `ops.slice.turn`, the place of a slice in the queue, lower first. One integer, so that one index has the order:
 *
 *     class * 100,000 + day                 class: 1 for the first one of creditClasses; day: below 40,000 until 2100
 *   + 500,000                               the tail of a slice of a plan: after all slices of the plan
 *   + 1,000,000 or 2,000,000                an operation that was refused lately: it may end the run, so all others go first; 2,000,000 if
 *                                           the same organisation or app was refused
 */
/** How far the turns of two classes are apart; a plan that a limit cuts is cut in the same order. */
export const classesApart = 100_000;
const tailsApart = 500_000;
/** How far a refusal puts slices back. */
export const refusedApart = 1_000_000;

/** SQL: the turn of a slice `s` with `newest_first` of its plan, in a run of an account. Snapshots go by their last day. */
export function turnOf(account: SqlFragment): SqlFragment<number> {
  return sql<number>`(array_position(${[...creditClasses]}::text[], s.class) * ${classesApart}::integer
  + case when s.class = 'snapshot' then least(s.last_day, date '2100-01-01') - date '2000-01-01'
         when newest_first then date '2100-01-01' - s.window_end else s.window_start - date '2000-01-01' end
  + ${refusalTurns(account)})`;
}

/** SQL: the turn of a queued slice `s` as if nothing was refused. */
export const turnWithoutRefusals = sql<number>`(s.turn % ${refusedApart}::integer)`;

/** SQL: the turn of a queued slice `s` by what an account was refused until now. */
export function turnAfterRefusals(account: SqlFragment): SqlFragment<number> {
  return sql<number>`(${turnWithoutRefusals} + ${refusalTurns(account)})`;
}

/** SQL: the turn of a queued slice `s` as the tail of a slice of a plan. */
export const turnAfterPlan = sql<number>`(s.turn + ${tailsApart}::integer)`;

/** SQL: true for a slice `s` whose operation an account was not refused lately. */
export function isUnrefused(account: SqlFragment): SqlFragment<boolean> {
  return sql<boolean>`(${refusalTurns(account)} = 0)`;
}

/** SQL: what refusals add to the turn of a slice `s`. */
function refusalTurns(account: SqlFragment): SqlFragment<number> {
  const isRefused = (which: SqlFragment) =>
    sql`exists (select from (${refusedLately(account)}) as refused where refused.operation = s.operation and ${which})`;
  // one search for each slice where nothing was refused, which is nearly always
  return sql<number>`(case when not ${isRefused(sql`true`)} then 0
    when ${isRefused(sql`refused.subject = ${subjectIn(sql`s.scope`)}`)} then 2 else 1 end * ${refusedApart}::integer)`;
}

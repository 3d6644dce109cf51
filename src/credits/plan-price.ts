import { sql, type Queryable } from "../postgres/sql.ts";

/*
 * Calls for the slices of a plan count against its price, whichever process makes them. What a call may cost is taken when it is granted
 * (see holds.ts) and corrected by what it was charged. What nobody corrects stays taken: a call whose process died, or that got no
 * answer, may have been charged.
 */

/** Credits that calls may still take from the price of a plan; infinite where there is no such plan. */
export async function leftOfPlan(db: Queryable, planId: string): Promise<number> {
  const { rows } = await sql<{ left: number }>`
    select (credits - taken_credits)::float8 as left from ops.plan where plan_id = ${planId}`.execute(db);
  return rows[0]?.left ?? Number.POSITIVE_INFINITY;
}

/** Corrects what a call took from the price of its plan by what it was charged less, or more. */
export async function correctPlan(db: Queryable, planId: string, credits: number): Promise<void> {
  await sql`update ops.plan set taken_credits = taken_credits + ${credits} where plan_id = ${planId}`.execute(db);
}

import { sql, type Queryable } from "../postgres/sql.ts";

/*
 * Calls for the slices of a plan count against its price, in any process. What a call may cost is taken when it is granted and corrected to
 * what it was charged when its hold is settled (see holds.ts). Without a correction it stays taken: a call whose process died, that got no
 * answer, or that ended after its hold had expired, may have been charged.
 */

/** Credits that calls may still take from the price of a plan; infinite if there is no such plan. */
export async function leftOfPlan(db: Queryable, planId: string): Promise<number> {
  const { rows } = await sql<{ left: number }>`
    select (credits - taken_credits)::float8 as left from ops.plan where plan_id = ${planId}`.execute(db);
  return rows[0]?.left ?? Number.POSITIVE_INFINITY;
}

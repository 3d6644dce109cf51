import { fail, type StorehouseError } from "../core/errors.ts";
import type { BudgetUse } from "./budgets.ts";
import { startOfDay, dayMs } from "../core/day.ts";

/** When the last day (UTC) begins on which something can be requested that is lost at an instant; both in epoch-ms. */
export function startOfLastDay(lostAt: number): number {
  return lostAt - dayMs;
}

/** A call for which a budget has no credits, and when (epoch-ms) what it requests is lost for good; null for never. */
type RefusedCall = {
  readonly refusing: Pick<BudgetUse, "budget" | "period" | "credits" | "taken" | "endsOn">;
  readonly cost: number;
  readonly lostAt: number | null;
  readonly now: number;
};

/**
 * What becomes of a call for which a budget has no credits: a DeferError until its next period begins or, where what it requests would be
 * lost by then, until the last day (UTC) on which it can be requested. Null on that day: then it is let through. What is never lost and takes
 * more than a whole period has waits for as long as the limit stays.
 */
export function budgetRefusal({ refusing, cost, lostAt, now }: RefusedCall): StorehouseError | null {
  const { budget, period, credits, taken, endsOn } = refusing;
  const nextPeriod = startOfDay(endsOn);
  const lastDay = lostAt === null ? Number.POSITIVE_INFINITY : startOfLastDay(lostAt);
  if (lostAt !== null && lostAt <= nextPeriod && now >= lastDay) return null;
  const until = lostAt !== null && lostAt <= nextPeriod ? lastDay : nextPeriod;
  const code = lostAt === null && cost > credits ? "budget_too_small" : "budget_exhausted";
  return fail(code, { budget, period, credits, taken, cost, until });
}

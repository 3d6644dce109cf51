import { fail, type StorehouseError } from "../core/errors.ts";
import type { BudgetUse } from "./budgets.ts";
import type { KeptOfBudget } from "./nights-ahead.ts";
import { startOfDay, dayMs } from "../core/day.ts";

/** For data that is lost at an instant: when the last day (UTC) begins on which it can be requested. Both in epoch-ms. */
export function startOfLastDay(lostAt: number): number {
  return lostAt - dayMs;
}

/** A call that a budget has no credits for, and when (epoch-ms) its data is lost for good; null for never. */
type RefusedCall = {
  readonly refusing: Pick<BudgetUse, "budget" | "period" | "credits" | "taken" | "endsOn">;
  readonly cost: number;
  readonly lostAt: number | null;
  readonly now: number;
};

/** The deferral of a call of history that a budget has room for, but not for the coming nights of its period as well. */
export function waitForNights(
  { refusing, cost }: Pick<RefusedCall, "refusing" | "cost">,
  { credits: kept, lessAt }: KeptOfBudget,
): StorehouseError {
  const { budget, period, credits, taken, endsOn } = refusing;
  const until = Math.min(lessAt, startOfDay(endsOn));
  return fail("budget_kept", { budget, period, credits, taken, cost, kept: Math.min(kept, credits - taken), until });
}

/**
 * Decides about a call that a budget has no credits for: a DeferError until the next period begins or, if its data would be lost by then,
 * until the last day (UTC) on which it can be requested. Null on that day: the call is allowed. A call whose data is never lost, and that
 * costs more than a whole period has, waits until the limit changes.
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

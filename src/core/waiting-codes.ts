import type { ErrorCode } from "./error-codes.ts";

/** Errors of slices that wait for credits of their account. */
export const creditWaitCodes: readonly ErrorCode[] = ["credits_exhausted", "allowance_too_small"];

/** Errors of slices that wait for a budget. */
export const budgetWaitCodes: readonly ErrorCode[] = ["budget_exhausted", "budget_kept", "budget_too_small"];

/** Those of both that no reset ends: one call takes more than a whole period has, so a person must raise a limit. */
export const beyondPeriodCodes: readonly ErrorCode[] = ["allowance_too_small", "budget_too_small"];

/** Errors of slices that wait until a person raises the limit of a run or agrees to another price of a plan. */
export const limitSpentCodes: readonly ErrorCode[] = ["run_limit_spent", "plan_spent"];

import { remainingCredits } from "../../api/operations/account.ts";
import { answerTable, answerTo } from "../answer-context.ts";

/** Answers about the account itself. */
export const accountAnswers = answerTable([
  answerTo(remainingCredits, (_, { allowance }) => ({
    creditTotal: allowance.total,
    creditRemaining: allowance.remaining,
    creditResetPeriod: allowance.periodHours,
    creditResetTime: allowance.resetSeconds,
  })),
]);

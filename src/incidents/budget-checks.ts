import { isCovered } from "../core/credit-budget.ts";
import { dayOf } from "../core/day.ts";
import { readBudgets, type BudgetUse } from "../credits/budgets.ts";
import { readBudgetWaits, type BudgetWait } from "../ledger/budget-waits.ts";
import { accountOf } from "../config/config-of-account.ts";
import { budgetsOf } from "../config/credit-budgets.ts";
import type { CheckParts } from "./check-parts.ts";
import { problem, type Problem } from "./problems.ts";
import { sumBy } from "../core/sum.ts";

/** Budgets that have refused a call in their current period. */
export async function budgetProblems({ db, settings, clock, accountId }: CheckParts): Promise<readonly Problem[]> {
  const now = clock.now();
  const budgets = budgetsOf(settings);
  const used = (await readBudgets(db, { accountId, budgets, day: dayOf(now) })).filter((use) => use.refusedAt !== null);
  const waits = used.length === 0 ? [] : await readBudgetWaits(db, now, { account: accountOf(settings) });
  return used.map((use) => {
    const own = waits.filter((wait) => !wait.isTooExpensive && !wait.isForNights && isCovered(wait, use));
    const tooExpensive = waits.filter((wait) => wait.isTooExpensive && smallestOf(used, wait) === use);
    const waiting = datasetsOf(own);
    return problem({
      kind: "budget_exhausted",
      subject: `${use.budget} ${use.period}`,
      accountId,
      since: use.refusedAt?.getTime() ?? null,
      explains: waiting,
      facts: {
        budget: use.budget,
        period: use.period,
        taken: use.taken,
        limit: use.credits,
        datasets: waiting,
        slices: sumBy(own, ({ slices }) => slices),
        too_expensive_datasets: datasetsOf(tooExpensive),
        too_expensive_slices: sumBy(tooExpensive, ({ slices }) => slices),
        continues_at: `${use.endsOn}T00:00:00.000Z`,
      },
    });
  });
}

/** The budget that is smaller than a call of too expensive slices: of those that have refused calls, the smallest. */
function smallestOf(uses: readonly BudgetUse[], wait: BudgetWait): BudgetUse | undefined {
  return uses.filter((use) => isCovered(wait, use)).toSorted((a, b) => a.credits - b.credits)[0];
}

function datasetsOf(waits: readonly BudgetWait[]): readonly string[] {
  return [...new Set(waits.map(({ dataset }) => dataset))];
}

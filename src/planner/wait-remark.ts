import { accountOf } from "../config/config-of-account.ts";
import type { Settings } from "../config/settings.ts";
import type { Clock } from "../core/clock.ts";
import { dayOf } from "../core/day.ts";
import { countOf } from "../core/words.ts";
import { latestAccount } from "../credits/account.ts";
import { readKeptForNights } from "../credits/nights-ahead.ts";
import { deferredWords } from "../plan/budget-words.ts";
import type { Queryable } from "../postgres/sql.ts";
import { readOverBudget, type BudgetWork } from "./credit-budgets.ts";

/**
 * What an agreed backfill may wait for, in sentences: budgets that defer a part of its work, by app, and what history leaves to the nights;
 * empty if that is nothing. Without an account id, of the account with the newest balance.
 */
export async function waitRemark(
  db: Queryable,
  work: readonly BudgetWork[],
  {
    accountId: given,
    settings,
    clock,
  }: { readonly accountId?: string; readonly settings: Settings; readonly clock: Clock },
): Promise<string> {
  const accountId = given ?? (await latestAccount(db, accountOf(settings)));
  const now = clock.now();
  const overBudget = await readOverBudget(db, work, { settings, accountId, day: dayOf(now) });
  const { credits } = work.some((line) => line.class === "history")
    ? await readKeptForNights(db, { accountId, floors: settings.credits.floors, now })
    : { credits: 0 };
  const nights = `History leaves ${countOf(credits, "credit")} to the nights until the reset: what takes more than the rest waits for it.`;
  return [...deferredWords(overBudget), ...(credits === 0 ? [] : [nights])].join(" ");
}

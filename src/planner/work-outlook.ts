import { accountOf } from "../config/config-of-account.ts";
import type { Settings } from "../config/settings.ts";
import type { Clock } from "../core/clock.ts";
import { dayOf, hourMs } from "../core/day.ts";
import type { CreditClass } from "../core/slice.ts";
import { count } from "../core/words.ts";
import { latestAccount, leftNow, readAccount } from "../credits/account.ts";
import { cheaperNights, keptOfAllowance, readLaterTries, readNightsAhead } from "../credits/nights-ahead.ts";
import { deferredWords } from "../plan/budget-words.ts";
import { forecast } from "../plan/forecast.ts";
import type { OverBudget } from "../plan/over-budget.ts";
import type { Queryable } from "../postgres/sql.ts";
import { readOverBudget, type BudgetWork } from "./credit-budgets.ts";
import { planTotals } from "./plan-tally.ts";

/** When work would be done: allowance periods, including the current one, and an instant as ISO 8601. */
type Done = (
  | { readonly periods: number; readonly doneAt: string }
  | { readonly unknown: "allowance_not_known" | "allowance_too_small" | "budget_too_small" | "nights_take_allowance" }
) & {
  /** Credits that its history leaves until the reset for the floor and the forecast nights; 0 if it has no history. */
  readonly keptForNights: number;
};

/** When work would be done, and the part of it that budgets put off. */
export type WorkOutlook = { readonly forecast: Done; readonly overBudget: readonly OverBudget[] };

/** The account is that with the newest balance if no `accountId` is given. */
type OutlookParts = {
  readonly db: Queryable;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly accountId?: string;
};

/** Reads the outlook of some work, with the app of each line if it is about one. */
export async function readOutlook(
  { db, settings, clock, accountId: given }: OutlookParts,
  work: readonly BudgetWork[],
): Promise<WorkOutlook> {
  const accountId = given ?? (await latestAccount(db, accountOf(settings)));
  const on = { db, settings, accountId, now: clock.now() };
  const overBudget = await readOverBudget(db, work, { settings, accountId, day: dayOf(on.now), triesAfter: on.now });
  const done = await readDone(on, work);
  const isTooDear = !("unknown" in done) && overBudget.some(({ tooDear }) => tooDear !== undefined);
  return {
    forecast: isTooDear ? { unknown: "budget_too_small", keptForNights: done.keptForNights } : done,
    overBudget,
  };
}

/**
 * When the work would be done if there were no budgets, or why that is not known: the service has not reported the allowance yet, or the
 * floors, or the nights that history leaves credits for, leave too few for ever.
 */
async function readDone(
  { db, settings, accountId, now }: Required<Omit<OutlookParts, "clock">> & { readonly now: number },
  work: readonly BudgetWork[],
): Promise<Done> {
  const account = await readAccount(db, accountId);
  const { total, remaining, held = 0, resetsAt, periodHours } = account ?? {};
  if (total == null || remaining == null || resetsAt == null || periodHours == null)
    return { unknown: "allowance_not_known", keptForNights: 0 };
  const { floors, retries_a_day: retriesADay } = settings.credits;
  const forecastNights = await readNightsAhead(db, accountId, now);
  const laterTries = await readLaterTries(db, { accountId, now, retriesADay });
  const keptForNights = keptOfAllowance(forecastNights, account, { floors, now, laterTries });
  const of = (name: CreditClass) => planTotals(work.filter((one) => one.class === name));
  const input = {
    work: { snapshot: of("snapshot"), daily: of("daily"), lookback: of("lookback"), history: of("history") },
    floors,
    total,
    remaining: leftNow({ total, remaining, resetsAt }, now) - held,
    resetsAt: Math.max(resetsAt, now),
    periodMs: periodHours * hourMs,
    requestsPerSecond: settings.api.requests_per_second,
    now,
    keptForNights,
  };
  const kept = { keptForNights: input.work.history.requests === 0 ? 0 : keptForNights(now, resetsAt) };
  const done = forecast(input);
  if (done !== null) return { periods: done.periods, doneAt: new Date(done.doneAt).toISOString(), ...kept };
  const isForNights = forecast({ ...input, keptForNights: () => 0 }) !== null;
  return { unknown: isForNights ? "nights_take_allowance" : "allowance_too_small", ...kept };
}

/** Says when work would be done, and what budgets put off of it: a sentence each. */
export function finishWords(
  { forecast: done, overBudget }: WorkOutlook,
  timeText: (time: Date) => string,
): readonly string[] {
  return [doneWords(done, overBudget.length > 0, timeText), ...deferredWords(overBudget)];
}

function doneWords(done: Done, isOverBudget: boolean, timeText: (time: Date) => string): string {
  if ("unknown" in done) return unknownWords[done.unknown];
  const others =
    done.keptForNights === 0
      ? "If no other process spends credits"
      : `If only the coming nights spend credits besides (history leaves them ${count(done.keptForNights)} until the reset)`;
  return `${others}, ${done.periods === 1 ? "this period's credits are enough" : `it takes ${done.periods} allowance periods`}, and ${isOverBudget ? "without budgets " : ""}the work finishes at ${timeText(new Date(done.doneAt))}.`;
}

const unknownWords = {
  allowance_not_known:
    "How many allowance periods it takes is not known yet: `storehouse credits` checks the allowance for free.",
  allowance_too_small:
    "The part of the allowance that credits.floors leaves is never enough for it: see config/storehouse.yaml.",
  budget_too_small: "It does not finish: a budget never pays for a part of it.",
  nights_take_allowance: `Its history does not finish: the nights need what the allowance has above the floors, and history leaves it to them. To let it run, ${cheaperNights}`,
} as const;

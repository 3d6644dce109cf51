import { count, countOf, durationText } from "../core/words.ts";
import { addDays, dayOf, type Day } from "../core/day.ts";
import type { BudgetUse } from "../credits/budgets.ts";
import { knowsBudgets, readNightOutcomes, type StoredForecast } from "../credits/forecast-days.ts";
import { cheaperNights, nightsOfBudget, readNightsAhead } from "../credits/nights-ahead.ts";
import { forecastError, type ForecastError } from "../credits/forecast-error.ts";
import { readCreditDemand } from "./credit-demand.ts";
import { creditOutlook, type Outlook } from "./credit-outlook.ts";
import type { CheckParts } from "./check-parts.ts";

/** Nights of this many past days are compared with their forecasts. */
const errorDays = 30;

/**
 * The rest of the current period of a budget: the credits that its nights would take, and the day on which they exceed it; null if they
 * fit.
 */
export type BudgetForecast = BudgetUse & { readonly forecastCost: number; readonly fullOn: Day | null };

/** The forecast to the end of the period of credits and of each budget, and how accurate forecasts of nights have been. */
export type CreditForecast = {
  /** Epoch-ms. */
  readonly madeAt: number | null;
  readonly resetsAt: number | null;
  /** Null until the service has reported the current period. */
  readonly outlook: Outlook | null;
  readonly budgets: readonly BudgetForecast[];
  readonly error: ForecastError;
};

/** Reads the current forecast; if there is none, the figures of budgets are 0. */
export async function readCreditForecast(
  parts: Omit<CheckParts, "scheduled">,
  budgets: readonly BudgetUse[],
): Promise<CreditForecast> {
  const { db, clock, accountId } = parts;
  const now = clock.now();
  const today = dayOf(now);
  const forecast = await readNightsAhead(db, accountId, now);
  const demand = await readCreditDemand(parts);
  const nights = await readNightOutcomes(db, { accountId, from: addDays(today, -errorDays), before: today });
  return {
    madeAt: forecast?.madeAt ?? null,
    resetsAt: demand?.resetsAt ?? null,
    outlook: demand === null ? null : creditOutlook(demand, now),
    budgets: budgets.map((use) => budgetForecast(use, forecast, now)),
    error: forecastError(nights),
  };
}

/** The rest of the current period of a budget, from its future nights and the one that has begun and is not planned yet. */
export function budgetForecast(use: BudgetUse, forecast: StoredForecast | null, now: number): BudgetForecast {
  const ahead = forecast !== null && knowsBudgets(forecast, [use]) ? nightsOfBudget(forecast, use, now) : [];
  let sum = 0;
  let fullOn: Day | null = null;
  for (const { startsAt, credits } of ahead) {
    sum += credits;
    if (fullOn === null && use.taken + sum > use.credits) fullOn = dayOf(Math.max(startsAt, now));
  }
  return { ...use, forecastCost: sum, fullOn };
}

/** How accurate forecasts of nights were, in a sentence; null if no forecast night has passed. */
export function errorWords({
  nights,
  forecastCost,
  charged,
  percent,
  credits,
  others,
  worst,
}: ForecastError): string | null {
  if (nights === 0) return null;
  const much = percent === null ? countOf(Math.abs(credits), "credit") : `${Math.abs(percent)} %`;
  const off = credits === 0 ? "exactly" : `${much} too ${credits > 0 ? "much" : "little"}`;
  const most =
    worst === null
      ? ""
      : ` Largest error: ${worst.day}, ${count(worst.forecastCost)} forecast and ${count(worst.charged)} charged.`;
  const beside =
    others === 0 ? "" : ` Commands, gateway callers and backfills, which are not forecast, took ${count(others)} more.`;
  return `${countOf(nights, "night")} of the last ${errorDays} days: ${count(forecastCost)} forecast the day before, ${count(charged)} charged, ${off}.${most}${beside}`;
}

/** Whether the credits are enough until the reset, and whether history leaves them to the nights, in a few sentences. */
export function outlookWords(outlook: Outlook | null, now: number): string {
  if (outlook === null) return "There is no forecast until the service reports the current period.";
  const waits = outlook.historyForNights;
  if (waits === 0) return enoughWords(outlook, now);
  return `${enoughWords(outlook, now)} Waiting history leaves ${countOf(waits, "credit")} to the nights${outlook.isHistoryStarved ? ", and those of the next period take the whole allowance too: it does not run. To let it run" : " and waits for the reset. To let it run earlier"}, ${cheaperNights}`;
}

function enoughWords(outlook: Outlook, now: number): string {
  const { wanted, usable, short, outAt, perHour, nights, history } = outlook;
  if (outlook.isUnknown && short === 0) return "It is not known yet whether the credits last until the reset.";
  const pace = nights === null && perHour > 0 ? ` at ${count(Math.round(24 * perHour))} a day` : "";
  // the reset may come before the next night
  if (short === 0 && nights !== null && wanted === 0)
    return history === 0
      ? "Enough until the reset: nothing that costs credits is due before then."
      : `Enough until the reset: waiting history takes about ${countOf(history, "credit")}, and nothing else that costs credits is due before then.`;
  const older = history === 0 ? "" : ` Waiting history takes about ${count(history)} more.`;
  const taken = `about ${countOf(wanted, "credit")} of the ${count(usable)} that nights may use`;
  if (short === 0)
    return nights === null
      ? `Enough until the reset${pace}: ${taken}.${older}`
      : `Enough until the reset: ${countOf(nights, "night")} and waiting slices take ${taken}.${older}`;
  const missing = `About ${countOf(short, "credit")} will be missing before the reset.`;
  if (outAt === null) return missing;
  if (outAt > now) return `${missing} They run out in ${durationText(outAt - now)}${pace}.`;
  return usable === 0
    ? `${missing} Nights may not use any of what is left.`
    : `${missing} Waiting slices take more than the ${count(usable)} that nights may use.`;
}

/** The forecast for the rest of a budget's period: "; about 40 more are forecast, too many from 2026-11-28 on"; empty if there is none. */
export function budgetForecastWords({ forecastCost, fullOn }: Pick<BudgetForecast, "forecastCost" | "fullOn">): string {
  if (forecastCost === 0) return "";
  return `; about ${count(forecastCost)} more are forecast${fullOn === null ? "" : `, too many from ${fullOn} on`}`;
}

import { expect, test } from "vitest";
import { day, startOfDay } from "../../src/core/day.ts";
import { forecastKey } from "../../src/credits/forecast-days.ts";
import { forecastError } from "../../src/credits/forecast-error.ts";
import { keptOfBudget } from "../../src/credits/nights-ahead.ts";
import { budgetForecast, budgetForecastWords, errorWords, outlookWords } from "../../src/incidents/credit-forecast.ts";

const hour = 3_600_000;
const use = {
  budget: "reviews",
  period: "month",
  credits: 100,
  datasets: ["review"],
  apps: null,
  startsOn: day("1970-01-01"),
  endsOn: day("1970-02-01"),
  taken: 60,
  refusedAt: null,
} as const;
const now = startOfDay(day("1970-01-30"));
const night = (date: string, credits: number) => ({
  day: day(date),
  startsAt: startOfDay(day(date)) + 5 * hour,
  planned: credits,
  waiting: 0,
  budgets: { [forecastKey(use)]: credits },
});
const forecast = {
  madeAt: now,
  days: [night("1970-01-29", 500), night("1970-01-30", 30), night("1970-01-31", 30), night("1970-02-01", 30)],
};

test("a budget is forecast by its nights to come until its period ends, and is used up on the first that it does not pay for", () => {
  expect(budgetForecast(use, forecast, now)).toMatchObject({ forecastCost: 60, fullOn: "1970-01-31" });
  expect(budgetForecast({ ...use, taken: 40 }, forecast, now)).toMatchObject({ forecastCost: 60, fullOn: null });
  expect(budgetForecast(use, null, now)).toMatchObject({ forecastCost: 0, fullOn: null });
  expect(budgetForecastWords(budgetForecast(use, forecast, now))).toBe(
    "; about 60 more are forecast, too many from 1970-01-31 on",
  );
});

test("a night that has begun counts until a forecast is made after it, as it does for what history leaves", () => {
  const later = now + 6 * hour;
  expect(budgetForecast(use, forecast, later)).toMatchObject({ forecastCost: 60, fullOn: "1970-01-31" });
  expect(keptOfBudget({ forecast: forecast, laterTries: [] }, use, later).credits).toBe(60);
  expect(budgetForecast(use, { ...forecast, madeAt: later }, later)).toMatchObject({ forecastCost: 30, fullOn: null });
  // the night of the last evening
  const full = { ...use, taken: 100 };
  expect(budgetForecast(full, forecast, now + 28 * hour)).toMatchObject({ forecastCost: 60, fullOn: "1970-01-31" });
});

test("of a budget that the forecast does not know, nothing is forecast", () => {
  expect(budgetForecast({ ...use, datasets: ["sales"] }, forecast, now)).toMatchObject({
    forecastCost: 0,
    fullOn: null,
  });
});

test("the forecast and its error are sentences", () => {
  const outlook = {
    usable: 500,
    wanted: 60,
    nights: 2,
    perHour: 0,
    isUnknown: false,
    waiting: 0,
    history: 0,
    historyForNights: 0,
    isHistoryStarved: false,
    short: 0,
    outAt: null,
  };
  expect(outlookWords(outlook, 0)).toBe(
    "Enough until the reset: 2 nights and waiting slices take about 60 credits of the 500 that nights may use.",
  );
  expect(outlookWords({ ...outlook, nights: 1, wanted: 0 }, 0)).toBe(
    "Enough until the reset: nothing that costs credits is due before then.",
  );
  expect(outlookWords({ ...outlook, history: 7000 }, 0)).toMatch(
    / the 500 that nights may use\. Waiting history takes about 7,000 more\.$/,
  );
  expect(outlookWords({ ...outlook, nights: 1, wanted: 0, history: 1 }, 0)).toBe(
    "Enough until the reset: waiting history takes about 1 credit, and nothing else that costs credits is due before then.",
  );
  expect(outlookWords({ ...outlook, historyForNights: 7000 }, 0)).toMatch(
    / nights may use\. Waiting history leaves 7,000 credits to the nights and waits for the reset\. To let it run earlier, raise the allowance or make nights cheaper: /,
  );
  expect(outlookWords({ ...outlook, historyForNights: 7000, isHistoryStarved: true }, 0)).toMatch(
    / leaves 7,000 credits to the nights, and those of the next period take the whole allowance too: it does not run\. To let it run, raise the allowance /,
  );
  expect(outlookWords({ ...outlook, usable: 0, short: 60, outAt: 0, historyForNights: 1 }, 0)).toMatch(
    /^About 60 credits will be missing .* Waiting history leaves 1 credit to the nights/,
  );
  expect(outlookWords({ ...outlook, usable: 40, short: 20, outAt: 29 * hour }, 0)).toMatch(
    /^About 20 credits will be missing before the reset\. They run out in 29\sh\.$/,
  );
  expect(outlookWords({ ...outlook, usable: 0, short: 60, outAt: 0 }, 0)).toBe(
    "About 60 credits will be missing before the reset. Nights may not use any of what is left.",
  );
  expect(outlookWords({ ...outlook, usable: 40, waiting: 60, short: 20, outAt: 0 }, 0)).toBe(
    "About 20 credits will be missing before the reset. Waiting slices take more than the 40 that nights may use.",
  );
  expect(outlookWords({ ...outlook, nights: null, wanted: 0, isUnknown: true }, 0)).toBe(
    "It is not known yet whether the credits last until the reset.",
  );
  const nights = [
    { day: day("1970-01-01"), forecastCost: 90, charged: 100, others: 3 },
    { day: day("1970-01-02"), forecastCost: 100, charged: 100, others: 0 },
  ];
  expect(errorWords(forecastError(nights))).toBe(
    "2 nights of the last 30 days: 190 forecast the day before, 200 charged, 5 % too little. Largest error: 1970-01-01, 90 forecast and 100 charged. Commands, gateway callers and backfills, which are not forecast, took 3 more.",
  );
  expect(errorWords(forecastError(nights.slice(1)))).toBe(
    "1 night of the last 30 days: 100 forecast the day before, 100 charged, exactly.",
  );
  expect(errorWords(forecastError([]))).toBeNull();
});

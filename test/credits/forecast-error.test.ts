import { expect, test } from "vitest";
import { day } from "../../src/core/day.ts";
import { forecastError } from "../../src/credits/forecast-error.ts";

const night = (date: string, forecastCost: number, charged: number, others = 0) => ({
  day: day(date),
  forecastCost,
  charged,
  others,
});

test("the error is what was forecast less what was charged, in credits and percent, with the night that is furthest off", () => {
  const nights = [night("2026-08-01", 100, 100), night("2026-08-02", 90, 100, 7), night("2026-08-03", 105, 100)];
  expect(forecastError(nights)).toEqual({
    nights: 3,
    forecastCost: 295,
    charged: 300,
    others: 7,
    credits: -5,
    percent: -1.7,
    worst: nights[1],
  });
});

test("there is no percent of nothing, and no worst of nights that were as forecast", () => {
  expect(forecastError([])).toMatchObject({ nights: 0, credits: 0, percent: null, worst: null });
  expect(forecastError([night("2026-08-01", 5, 0)])).toMatchObject({ credits: 5, percent: null });
  expect(forecastError([night("2026-08-01", 5, 5)]).worst).toBeNull();
});

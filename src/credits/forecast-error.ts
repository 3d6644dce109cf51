import type { Day } from "../core/day.ts";

/** What a day was forecast to cost, and what it was charged. */
export type NightOutcome = {
  readonly day: Day;
  readonly forecastCost: number;
  readonly charged: number;
  /** Other charges, which no forecast includes. */
  readonly others: number;
};

/** How accurate forecasts of nights were. */
export type ForecastError = {
  readonly nights: number;
  readonly forecastCost: number;
  readonly charged: number;
  readonly others: number;
  /** Forecast minus charged. */
  readonly credits: number;
  /** That as a percentage of the charges; null if there were none. */
  readonly percent: number | null;
  /** The night that differs most (the earliest of several); null if none differs. */
  readonly worst: NightOutcome | null;
};

/** The error of the forecasts of some nights. */
export function forecastError(nights: readonly NightOutcome[]): ForecastError {
  const sum = (of: (night: NightOutcome) => number) => nights.reduce((all, night) => all + of(night), 0);
  const [forecastCost, charged] = [sum((night) => night.forecastCost), sum((night) => night.charged)];
  const off = (night: NightOutcome) => Math.abs(night.forecastCost - night.charged);
  const [worst] = nights.filter((night) => off(night) > 0).sort((a, b) => off(b) - off(a));
  return {
    nights: nights.length,
    forecastCost,
    charged,
    others: sum((night) => night.others),
    credits: forecastCost - charged,
    percent: charged === 0 ? null : Math.round((1000 * (forecastCost - charged)) / charged) / 10,
    worst: worst ?? null,
  };
}

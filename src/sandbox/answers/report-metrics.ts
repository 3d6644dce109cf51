import type { Result } from "../market/search-ads.ts";
import { sumBy } from "../../core/sum.ts";

/** The currency of a report, and which of its goals and installs count. */
export type Money = {
  /** The value of a US dollar in the currency of the report. */
  readonly rate: number;
  readonly withGoals: boolean;
  readonly attribution: "WITH" | "WITHOUT" | "ONLY";
};

const goalDays = [1, 3, 7, 14, 30] as const;

/** The sum of the results of bids on days. */
export function sumOfResults(results: readonly Result[]): Result {
  const sum = (name: keyof Result) => sumBy(results, (result) => result[name]);
  return {
    impressions: sum("impressions"),
    taps: sum("taps"),
    newDownloads: sum("newDownloads"),
    redownloads: sum("redownloads"),
    spend: sum("spend"),
    goals: sum("goals"),
    revenue: sum("revenue"),
  };
}

/** The figures of a report's row. What counts with and without re-attribution adds up to what counts with it. */
export function metricsOf(sum: Result, money: Money): Record<string, number> {
  const part = money.attribution === "WITH" ? 1 : money.attribution === "ONLY" ? 0.25 : 0.75;
  const goals = money.withGoals ? sum.goals * part : 0;
  const revenue = money.withGoals ? cents(sum.revenue * part * money.rate) : 0;
  const installs = sum.newDownloads + sum.redownloads;
  const spend = cents(sum.spend * money.rate);
  return {
    spend,
    impressions: sum.impressions,
    taps: sum.taps,
    installs,
    newDownloads: sum.newDownloads,
    redownloads: sum.redownloads,
    cpa: ratio(spend, installs),
    cpt: ratio(spend, sum.taps),
    ttr: ratio(sum.taps, sum.impressions),
    cr: ratio(installs, sum.taps),
    numberOfInstall: installs,
    numberOfGoal: goals,
    goalRevenue: revenue,
    goalRoas: ratio(revenue, spend),
    ...Object.fromEntries(goalDays.flatMap((days) => windowOf(days, { goals, revenue, spend }))),
    cpi: ratio(spend, installs),
    attrInstallRate: ratio(installs, sum.taps),
    costPerGoal: ratio(spend, goals),
    goalsRate: ratio(goals, installs),
    revenuePerGoal: ratio(revenue, goals),
    arpu: ratio(revenue, installs),
  };
}

/** The goals that were reached within a number of days after the install; within 30 days, all of them. */
function windowOf(days: number, all: { goals: number; revenue: number; spend: number }): [string, number][] {
  const part = Math.sqrt(days / 30);
  const revenue = Math.round(all.revenue * part * 100) / 100;
  return [
    [`goalCount${days}`, Math.floor(all.goals * part)],
    [`goalRevenue${days}`, revenue],
    [`goalRoas${days}`, ratio(revenue, all.spend)],
  ];
}

function cents(amount: number): number {
  return Math.round(amount) / 100;
}

function ratio(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 10_000;
}

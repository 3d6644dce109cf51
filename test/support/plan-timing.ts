import { addDays, day, type Day } from "../../src/core/day.ts";
import type { Covered } from "../../src/core/slice.ts";
import type { FetchOption } from "../../src/core/fetch-option.ts";
import type { Timing } from "../../src/core/timing.ts";
import { oneDay } from "../../src/core/window.ts";

export const today = day("2026-08-20");

/** The day that lies `count` days back: 1 is yesterday. */
export function daysAgo(count: number): Day {
  return addDays(today, -count);
}

/** Published a day late, never restated, a month of history, unless said otherwise. */
export function series(timing: Partial<Extract<Timing, { kind: "series" }>> = {}) {
  return { kind: "series", settleDays: 1, lookbackDays: 0, historyDays: 30, ...timing } as const;
}

/** One slice that was requested before: yesterday, the next day, with an answer, unless said otherwise. */
export function covered(slice: Partial<Covered> = {}): Covered {
  const window = slice.window ?? oneDay(daysAgo(1));
  return {
    scope: {},
    operation: "by_day",
    items: null,
    window,
    state: "loaded",
    asOf: window.end,
    fingerprint: "",
    refused: false,
    ...slice,
  };
}

/** 3 credits: up to 100 keywords, one day. */
export const byDay: FetchOption = { operation: "by_day", credits: 3, maxDays: 1, maxItems: 100 };

/** 10 credits: one keyword, up to 30 days. */
export const byHistory: FetchOption = { operation: "by_history", credits: 10, maxDays: 30, maxItems: 1 };

/** 50 credits a call, two calls: all that the account tracks, one day. */
export function byList(tracked: readonly string[], option: Partial<FetchOption> = {}): FetchOption {
  return {
    operation: "by_list",
    credits: 50,
    maxDays: 1,
    maxItems: Number.POSITIVE_INFINITY,
    tracked: new Set(tracked),
    calls: 2,
    ...option,
  };
}

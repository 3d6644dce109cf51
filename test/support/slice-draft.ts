import { day } from "../../src/core/day.ts";
import type { SliceDraft } from "../../src/core/slice.ts";
import { oneDay } from "../../src/core/window.ts";
import type { PlanRecord } from "../../src/ledger/plans.ts";

/** 06:00 UTC of the day that counts as today. */
export const now = Date.UTC(2026, 7, 20, 6);
export const today = day("2026-08-20");

/** A slice of one day for the whole scope, unless said otherwise. */
export function draft(slice: Partial<SliceDraft> = {}): SliceDraft {
  return {
    dataset: "keyword_rank",
    operation: "ios_keyword_ranking",
    scope: { store: "ios", app: "1", country: "US" },
    items: null,
    window: oneDay(day("2026-08-19")),
    class: "daily",
    requests: 1,
    credits: 3,
    asOf: today,
    fingerprint: "",
    ...slice,
  };
}

/** A day of August as a window. */
export function august(date: number): SliceDraft["window"] {
  return oneDay(day(`2026-08-${String(date).padStart(2, "0")}`));
}

/** A plan of so many slices of one request each, agreed to at so many credits. */
export function planAt(credits: number, slices = 0): PlanRecord<unknown, unknown> {
  return {
    account: "",
    asOf: today,
    request: {},
    basis: {},
    newestFirst: true,
    digest: "any",
    lines: [],
    slices,
    requests: slices,
    credits,
    leftOut: { slices: 0, credits: 0 },
    naiveCredits: null,
  };
}

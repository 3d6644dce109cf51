import { describe, expect, test } from "vitest";
import { pagesExpected, type FetchOption } from "../../src/core/fetch-option.ts";
import { scopeKey } from "../../src/core/slice.ts";
import type { Timing } from "../../src/core/timing.ts";
import { planDataset } from "../../src/plan/plan-dataset.ts";
import { daysAgo, series, today } from "../support/plan-timing.ts";

const scope = { app: "1" };
const reviews: FetchOption = { operation: "reviews", credits: 5, maxDays: 400, maxItems: 1 };

function plan(option: FetchOption, timing: Timing) {
  return planDataset({
    dataset: "some_dataset",
    timing,
    partitions: [{ scope, items: null, fingerprint: "", fetchOptions: [option] }],
    covered: new Map([[scopeKey(scope), []]]),
    today,
    bounds: {},
    reprocess: "missing",
  });
}

describe("answers that have pages", () => {
  test("are expected to have as many a day as the last one, and no more than are ever requested", () => {
    const option = { ...reviews, pages: { count: 12, days: 30 } };
    const last = (days: number) => ({ start: daysAgo(days), end: today });
    expect([1, 5, 29, 30, 365].map((days) => pagesExpected(option, last(days)))).toEqual([1, 2, 12, 12, 146]);
    const capped = { ...option, pages: { ...option.pages, most: 5 } };
    expect([1, 30, 365].map((days) => pagesExpected(capped, last(days)))).toEqual([1, 5, 5]);
    // how full a single page was is not known
    expect(pagesExpected({ ...option, pages: { count: 1, days: 1 } }, last(365))).toBe(1);
    expect(pagesExpected(reviews, last(365))).toBe(1);
  });

  test("are priced by the page, whenever they are worth a request", () => {
    const pages = { count: 3, days: 30 };
    expect(plan({ ...reviews, pages }, series()).slices).toMatchObject([{ requests: 3, credits: 15 }]);
    expect(
      plan({ ...reviews, pages: { count: 3, days: 1 } }, { kind: "snapshot", refreshDays: 1 }).slices,
    ).toMatchObject([{ requests: 3, credits: 15, class: "snapshot" }]);
    const period: Timing = { ...series(), kind: "period", grid: { days: 30 } };
    expect(plan({ ...reviews, pages }, period).slices).toMatchObject([{ requests: 3, credits: 15 }]);
  });

  test("cost a program that requests one thing at a time no less than the plan", () => {
    const { slices, naiveCredits } = plan({ ...reviews, pages: { count: 40, days: 10 } }, series());
    expect(slices[0]?.window.start).toBe(daysAgo(30));
    expect(naiveCredits).toBeGreaterThanOrEqual(slices.reduce((sum, { credits }) => sum + credits, 0));
  });
});

import { expect, test } from "vitest";
import type { FetchOption } from "../../src/core/fetch-option.ts";
import { scopeKey, type Covered } from "../../src/core/slice.ts";
import { planDataset } from "../../src/plan/plan-dataset.ts";
import { byHistory, covered, daysAgo, series, today } from "../support/plan-timing.ts";

const scope = { store: "ios", app: "1", country: "US" };

test("a plan says which slices may take the days of one that waits beside them, where one call may bring both at one price", () => {
  const option = { ...byHistory, maxDays: 5 };
  const held = (count: number, slice: Partial<Covered> = {}) =>
    covered({
      operation: "by_history",
      window: { start: daysAgo(count), end: daysAgo(1) },
      state: "deferred",
      ...slice,
    });
  const longest = (slice: Covered, fetchOption: FetchOption = option) =>
    planDataset({
      dataset: "some_dataset",
      timing: series({ historyDays: 5 }),
      partitions: [{ scope, items: null, fingerprint: "", fetchOptions: [fetchOption] }],
      covered: new Map([[scopeKey(scope), [slice]]]),
      today,
      bounds: {},
      reprocess: "missing",
    }).slices[0]?.longest;
  expect([held(5), held(5, { state: "pending" })].map((slice) => longest(slice))).toEqual([5, 5]);
  const apart = [held(6), held(5, { state: "running" }), held(5, { operation: "by_day" })];
  expect(apart.filter((slice) => longest(slice) !== undefined)).toEqual([]);
  const paged = (pages?: FetchOption["pages"]) =>
    longest(held(5), { ...option, isPaged: true, ...(pages === undefined ? {} : { pages }) });
  expect(paged({ count: 1, days: 1 })).toBe(5);
  expect(paged({ count: 3, days: 15, most: 4 })).toBe(5);
  expect(paged({ count: 1, days: 1, most: 5 })).toBe(5);
  // as many pages as are requested at most, more pages than without those days, or nobody knows how many
  const dear = [{ count: 1, days: 9, most: 1 }, { count: 1, days: 1, most: 4 }, { count: 3, days: 12 }, undefined];
  expect(dear.filter((pages) => paged(pages) !== undefined)).toEqual([]);
});

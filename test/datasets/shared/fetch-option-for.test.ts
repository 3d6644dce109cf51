import { expect, test } from "vitest";
import { androidKeywordHistory, androidKeywordRanking } from "../../../src/api/operations/keyword.ts";
import { searchAdsReports } from "../../../src/api/operations/search-ads-report.ts";
import { keywordEstimation } from "../../../src/api/operations/keyword-estimation.ts";
import { fetchOptionOf } from "../../../src/datasets/shared/fetch-option-for.ts";
import { carries } from "../../../src/core/fetch-option.ts";
import { batchesFor } from "../../../src/plan/draft.ts";
import { invent } from "../../support/api-invented.ts";

test("a list carries many items of one day, a range one item of many days", () => {
  expect(fetchOptionOf(androidKeywordRanking, new Map())).toEqual({
    operation: "android.keyword-ranking",
    credits: 3,
    maxDays: 1,
    maxItems: 100,
  });
  expect(fetchOptionOf(androidKeywordHistory, new Map())).toEqual({
    operation: "android.keyword-history",
    credits: 10,
    maxDays: 30,
    maxItems: 1,
  });
});

test("a cost that was learned counts more than the documented one, be it nothing", () => {
  const learned = new Map([
    ["android.keyword-ranking", 4],
    ["android.keyword-history", 0],
  ]);
  expect(fetchOptionOf(androidKeywordRanking, learned).credits).toBe(4);
  expect(fetchOptionOf(androidKeywordHistory, learned).credits).toBe(0);
});

test("a range without a limit has none", () => {
  const endless = invent({ range: { start: "from", end: "to", endInclusive: true, days: null } });
  expect(fetchOptionOf(endless, new Map()).maxDays).toBe(Number.POSITIVE_INFINITY);
});

test("a range of a month has as many days as the shortest one", () => {
  expect(fetchOptionOf(searchAdsReports, new Map()).maxDays).toBe(28);
});

test("an item with a comma travels alone or not at all", () => {
  const list = fetchOptionOf(androidKeywordRanking, new Map());
  const single = fetchOptionOf(androidKeywordHistory, new Map());
  expect([carries(list, "to do"), carries(list, "to-do, list"), carries(single, "to-do, list")]).toEqual([
    true,
    false,
    true,
  ]);
});

test("a list in a body takes items with commas, since nothing splits it", () => {
  const option = fetchOptionOf(keywordEstimation, new Map());
  expect(option).toMatchObject({ maxItems: 100, splitsAtComma: false });
  expect(carries(option, "to-do, list")).toBe(true);
  expect(batchesFor(option, ["a", "to-do, list"])).toEqual([["a", "to-do, list"]]);
  expect(batchesFor(fetchOptionOf(androidKeywordRanking, new Map()), ["a", "to-do, list"])).toEqual([
    ["to-do, list"],
    ["a"],
  ]);
});

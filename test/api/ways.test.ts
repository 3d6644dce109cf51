import { expect, test } from "vitest";
import { androidKeywordHistory, androidKeywordRanking } from "../../src/api/operations/keyword.ts";
import { keywordEstimation } from "../../src/api/operations/keyword-estimation.ts";
import { wayOf } from "../../src/api/ways.ts";
import { carries } from "../../src/core/way.ts";
import { batchesFor } from "../../src/plan/draft.ts";
import { invent } from "../support/api-invented.ts";

test("a list carries many items of one day, a range one item of many days", () => {
  expect(wayOf(androidKeywordRanking, new Map())).toEqual({
    operation: "android.keyword-ranking",
    credits: 3,
    maxDays: 1,
    maxItems: 100,
  });
  expect(wayOf(androidKeywordHistory, new Map())).toEqual({
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
  expect(wayOf(androidKeywordRanking, learned).credits).toBe(4);
  expect(wayOf(androidKeywordHistory, learned).credits).toBe(0);
});

test("a range without a limit has none", () => {
  const endless = invent({ range: { start: "from", end: "to", endInclusive: true, days: null } });
  expect(wayOf(endless, new Map()).maxDays).toBe(Number.POSITIVE_INFINITY);
});

test("an item with a comma travels alone or not at all", () => {
  const list = wayOf(androidKeywordRanking, new Map());
  const single = wayOf(androidKeywordHistory, new Map());
  expect([carries(list, "to do"), carries(list, "to-do, list"), carries(single, "to-do, list")]).toEqual([
    true,
    false,
    true,
  ]);
});

test("a list in a body takes items with commas, since nothing splits it", () => {
  const way = wayOf(keywordEstimation, new Map());
  expect(way).toMatchObject({ maxItems: 100, splitsAtComma: false });
  expect(carries(way, "to-do, list")).toBe(true);
  expect(batchesFor(way, ["a", "to-do, list"])).toEqual([["a", "to-do, list"]]);
  expect(batchesFor(wayOf(androidKeywordRanking, new Map()), ["a", "to-do, list"])).toEqual([["to-do, list"], ["a"]]);
});

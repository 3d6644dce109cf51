import { expect, test } from "vitest";
import { iosKeywordHistory, iosKeywordRanking } from "../../src/api/operations/keyword.ts";
import { rangeParams } from "../../src/api/range.ts";
import { day } from "../../src/core/day.ts";
import { invent } from "../support/api-invented.ts";

const february = { start: day("2028-02-01"), end: day("2028-03-01") };

test("an inclusive end is the last day of the window", () => {
  expect(rangeParams(iosKeywordHistory, february)).toEqual({ startDate: "2028-02-01", endDate: "2028-02-29" });
});

test("an exclusive end is the end of the window", () => {
  const exclusive = invent({ range: { start: "from", end: "to", endInclusive: false, days: null } });
  expect(rangeParams(exclusive, february)).toEqual({ from: "2028-02-01", to: "2028-03-01" });
});

test("an operation of one day takes no range", () => {
  expect(() => rangeParams(iosKeywordRanking, february)).toThrow("ios.keyword-ranking takes no range of days");
});

import { expect, test } from "vitest";
import { operationById, operations } from "../../src/api/operations/all.ts";
import { iosKeywordHistory, iosKeywordRanking } from "../../src/api/operations/keyword.ts";
import { dayParams, daysFromAnyStart, latestEnd, rangeParams, windowOfCall } from "../../src/api/range.ts";
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

test("an end of which nobody says whether it counts is sent as if it did", () => {
  expect(rangeParams(operationById("search-ads.bid-history-logs"), february)).toMatchObject({ endDate: "2028-02-29" });
});

const ranged = operations.filter(({ range }) => range !== null);

test.each(ranged.map((operation) => [operation.id, operation] as const))(
  "a call of %s is about the window that it was made for",
  (_, operation) => {
    for (const window of [february, { start: february.start, end: day("2028-02-02") }])
      expect(windowOfCall(operation, rangeParams(operation, window))).toEqual(window);
  },
);

test("a call is about its one day, and about none where it names none or two that are no range", () => {
  const date = "2028-02-29";
  expect(windowOfCall(iosKeywordRanking, { date })).toEqual({ start: date, end: "2028-03-01" });
  const none = [{}, { startDate: date }, { endDate: date }, { startDate: date, endDate: "2028-02-28" }];
  const odd = [
    { startDate: "2028-02", endDate: date },
    { startDate: date, endDate: "later" },
  ];
  for (const params of [...none, ...odd]) expect(windowOfCall(iosKeywordHistory, params)).toBeNull();
  const appSearch = operationById("dashboard.app-search");
  expect([dayParams(appSearch), windowOfCall(appSearch, { query: date })]).toEqual([[], null]);
});

const { range: month } = operationById("search-ads.reports");
if (month === null) throw new Error("reports have a range");

test.each([
  ["2026-01-31", "2026-02-28"],
  ["2028-01-31", "2028-02-29"],
  ["2026-02-01", "2026-03-01"],
  ["2026-01-01", "2026-02-01"],
  ["2026-12-15", "2027-01-15"],
])("a month from %s on ends before %s", (start, end) => {
  expect(latestEnd(month, day(start))).toBe(end);
});

test("a limit in days counts days, none is none", () => {
  const days = { start: "from", end: "to", endInclusive: true, days: 7 };
  expect(latestEnd(days, day("2026-02-26"))).toBe("2026-03-05");
  expect(latestEnd({ ...days, days: null }, day("2026-02-26"))).toBeNull();
});

test("a call that starts on any day may span 28 days of a month's limit", () => {
  expect(daysFromAnyStart(month)).toBe(28);
  expect(daysFromAnyStart({ start: "from", end: "to", endInclusive: true, days: 7 })).toBe(7);
  expect(daysFromAnyStart({ start: "from", end: "to", endInclusive: true, days: null })).toBeNull();
});

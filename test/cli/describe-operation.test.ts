import { expect, test } from "vitest";
import { operationById, operations } from "../../src/api/operations/all.ts";
import { describeOperation, rangeWords } from "../../src/cli/describe.ts";

const words = { ios: "apples", android: "robots" };
const reported = (id: string) => describeOperation(operationById(id), words);
const parameter = (id: string, name: string) => reported(id).parameters.find((one) => one.name === name);

test("every operation is described as plain data in the words of the deployment", () => {
  const all = operations.map((operation) => describeOperation(operation, words));
  expect(JSON.parse(JSON.stringify(all))).toEqual(all);
  expect(all.filter(({ path }) => /iosstore|androidstore/.test(path))).toEqual([]);
  expect(all.flatMap(({ parameters }) => parameters).filter(({ schema }) => Object.keys(schema).length === 0)).toEqual(
    [],
  );
});

test("a parameter is described with its place, its kind, its limit and its default", () => {
  expect(parameter("ios.keyword-ranking", "keywords")).toMatchObject({ in: "query", list: "comma", maxItems: 100 });
  expect(parameter("dashboard.add-keywords", "body")).toMatchObject({ in: "body", list: "json", maxItems: 200 });
  expect(parameter("search-ads.reports", "orgIds")).toMatchObject({ in: "body", list: "json", required: false });
  expect(parameter("search-ads.reports", "reAttrType")).toMatchObject({
    default: "WITH",
    list: null,
    schema: { enum: ["WITH", "WITHOUT", "ONLY"] },
  });
  expect(parameter("ios.category-ranking", "hourly")).toMatchObject({ schema: { type: "boolean" }, default: null });
});

test("a range is described with its length and its end", () => {
  expect(
    ["ios.keyword-history", "ios.version-list", "search-ads.reports", "market.app-match"].map((id) =>
      rangeWords(operationById(id)),
    ),
  ).toEqual(["30 days, end inclusive", "any number of days, end exclusive", "1 month, end not documented", ""]);
  expect(reported("search-ads.reports")).toMatchObject({
    longestRangeDays: null,
    longestRangeMonths: 1,
    range: { start: "startDate", end: "endDate" },
    rangeEndInclusive: null,
  });
});

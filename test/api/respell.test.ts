import { describe, expect, test } from "vitest";
import type { Operation } from "../../src/api/define-operation.ts";
import { remainingCredits } from "../../src/api/operations/account.ts";
import { checkBadge } from "../../src/api/operations/ad-intelligence.ts";
import { androidCategoryRanking, androidTopCharts } from "../../src/api/operations/category.ts";
import { dashboardApps, numberOfKeywords } from "../../src/api/operations/dashboard.ts";
import { iosKeywordRanking, iosTopKeywords } from "../../src/api/operations/keyword.ts";
import { iosVisibilityHistory } from "../../src/api/operations/market.ts";
import { mmpIntegrations, searchAdsIntegrations } from "../../src/api/operations/search-ads-account.ts";
import { searchAdsReports } from "../../src/api/operations/search-ads-report.ts";
import { readAnswer } from "../../src/api/read-answer.ts";

const rank = { trackId: 6446318020, keyword: "yoga", countryCode: "US", date: 0, appKind: "IPHONE", rank: 7 };
const emptyChart = { rankingType: 2, ranksByDate: null };
const chart = { rankingType: 0, ranksByDate: [{ date: 1787184000000, rank: 7 }] };
const organisation = { id: 1, orgId: 2, valid: true };
const read = (operation: Operation, json: unknown) => readAnswer(operation, Buffer.from(JSON.stringify(json)));
const unknownShape = expect.objectContaining({ code: "unknown_shape" }) as Error;

describe("a value that is spelt otherwise than the contract has it is taken for what it says", () => {
  test.each<[string, Operation, unknown, unknown]>([
    ["a rank as its digits", iosKeywordRanking, [{ ...rank, rank: "7" }], [rank]],
    [
      "milliseconds as their digits",
      iosKeywordRanking,
      [{ ...rank, date: "1787184000000" }],
      [{ ...rank, date: 1787184000000 }],
    ],
    [
      "a volume as its digits",
      iosTopKeywords,
      [{ keyword: "a", searchVolume: "61.5", rank: "2" }],
      [{ keyword: "a", searchVolume: 61.5, rank: 2 }],
    ],
    ["a keyword that is a number", iosKeywordRanking, [{ ...rank, keyword: 2048 }], [{ ...rank, keyword: "2048" }]],
    [
      "a kind of chart as its digit",
      androidTopCharts,
      [{ trackId: "a.b", rank: 1, type: "2" }],
      [{ trackId: "a.b", rank: 1, type: 2 }],
    ],
    ["a device in lower case", iosKeywordRanking, [{ ...rank, appKind: "iphone" }], [rank]],
    [
      "a kind of chart in lower case",
      androidTopCharts,
      [{ trackId: "a.b", rank: 1, type: "grossing" }],
      [{ trackId: "a.b", rank: 1, type: "GROSSING" }],
    ],
    [
      "a flag as a word and a number",
      checkBadge,
      { appAdvertiser: "true", appPublisher: 0 },
      { appAdvertiser: true, appPublisher: false },
    ],
    ["numbers in a map", numberOfKeywords, { data: { US: "3" }, success: true }, { US: 3 }],
    [
      "a flat list where lists are in a list",
      searchAdsIntegrations,
      { data: [organisation, organisation], success: true },
      [[organisation], [organisation]],
    ],
    ["the one item of a list alone", dashboardApps, { data: { trackId: "1" }, success: true }, [{ trackId: "1" }]],
    [
      "an empty map as a list, an empty list as a map",
      iosVisibilityHistory,
      [
        { trackId: "1", scores: [] },
        { trackId: "2", scores: { US: {} } },
      ],
      [
        { trackId: "1", scores: {} },
        { trackId: "2", scores: { US: [] } },
      ],
    ],
    ["an answer without a country as a list", numberOfKeywords, { data: [], success: true }, {}],
    [
      "a list of ranks as null, beside those of another chart",
      androidCategoryRanking,
      { trackId: "a.b", ranksByCategoryNames: [{ categoryName: "TOOLS", rankings: [emptyChart, chart] }] },
      {
        trackId: "a.b",
        ranksByCategoryNames: [{ categoryName: "TOOLS", rankings: [{ ...emptyChart, ranksByDate: [] }, chart] }],
      },
    ],
  ])("%s", (_, operation, reported, value) => {
    expect(read(operation, reported)).toEqual({ value, invalid: [], drift: [] });
  });

  test.each<[string, Operation, unknown, string]>([
    ["an item", dashboardApps, { data: [{ trackId: "1" }, []], success: true }, "value: must be an object"],
    ["an item that is a map", dashboardApps, { data: [{ trackId: "1" }, {}], success: true }, "trackId: is missing"],
  ])("nothing empty is taken for %s", (_, operation, reported, reason) => {
    expect(read(operation, reported).invalid).toMatchObject([{ reason: expect.stringContaining(reason) as string }]);
  });

  test("the reason names what is wrong, not what could be mended", () => {
    const reported = { data: { creditTotal: "1000", creditRemaining: "many" } };
    expect(() => read(remainingCredits, reported)).toThrow(/creditRemaining/);
  });

  test("the balance", () => {
    const reported = {
      creditTotal: "1000",
      creditRemaining: "999",
      creditResetPeriod: "24",
      creditResetTime: "3600.5",
    };
    expect(read(remainingCredits, { data: reported }).value).toMatchObject({ creditTotal: 1000, creditRemaining: 999 });
  });

  test("a page of a report that comes without its list, its rows beside one that does not fit", () => {
    const pagination = { totalRowCount: "2", limit: "1000", offset: "0" };
    const page = { pagination, tableData: [{ spend: "1.5", impressions: "9" }, 7] };
    const { value, invalid } = read(searchAdsReports, { success: true, data: page });
    expect(value).toMatchObject([
      { pagination: { totalRowCount: 2, limit: 1000, offset: 0 }, tableData: [{ spend: "1.5" }] },
    ]);
    expect(invalid).toMatchObject([{ item: 7 }]);
  });
});

describe("what says nothing else stays what it is", () => {
  test.each<[string, unknown]>([
    ["no digits", "seventh"],
    ["half a rank", "7.5"],
    ["an empty text", ""],
    ["a flag", true],
    ["a list", [7]],
  ])("%s is no rank, and kept as it came", (_, reported) => {
    const item = { ...rank, rank: reported };
    expect(read(iosKeywordRanking, [rank, item])).toMatchObject({ value: [rank], invalid: [{ item, index: 1 }] });
  });

  test("a number whose last digits are lost is no text", () => {
    const item = { ...rank, keyword: 1e21 };
    expect(read(iosKeywordRanking, [rank, item])).toMatchObject({ value: [rank], invalid: [{ item, index: 1 }] });
  });

  test("a device of another kind is none", () => {
    const item = { ...rank, appKind: "watch" };
    expect(read(iosKeywordRanking, [rank, item])).toMatchObject({ value: [rank], invalid: [{ item, index: 1 }] });
  });

  test("an id of more digits than a number holds is its digits, and a rank of so many is none", () => {
    const of = (trackId: string, place: string) =>
      `{"trackId": ${trackId},"keyword":"id 1152921504606846977, twice","countryCode":"US","date":0,"appKind":"IPHONE","rank":${place}}`;
    const body = Buffer.from(`[${of("1152921504606846977", "7")},${of("6446318020", "1152921504606846977")}]`);
    const keyword = "id 1152921504606846977, twice";
    expect(readAnswer(iosKeywordRanking, body)).toMatchObject({
      value: [{ ...rank, keyword, trackId: "1152921504606846977" }],
      invalid: [{ item: { keyword, trackId: 6446318020 }, index: 1 }],
    });
  });

  test.each<[string, Operation]>([
    ["a rank", iosKeywordRanking],
    ["an integration", mmpIntegrations],
  ])("an object of something else is no list with %s", (_, operation) => {
    expect(() => read(operation, { error: "no such app" })).toThrow(unknownShape);
  });
});

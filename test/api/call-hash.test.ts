import { describe, expect, test } from "vitest";
import { dailyKeywordRankings } from "../../src/api/operations/dashboard.ts";
import { iosKeywordRanking, iosTopKeywords } from "../../src/api/operations/keyword.ts";
import { iosReviews } from "../../src/api/operations/review.ts";
import { searchAdsTopApps } from "../../src/api/operations/search-ads-report.ts";
import { callHashOf } from "../../src/api/call-hash.ts";

const ranking = { trackId: "1", countryCode: "US", keywords: ["b", "a"], date: "2026-08-01" };

describe("equal calls have one hash", () => {
  test.each([
    [
      "in any order",
      iosKeywordRanking,
      ranking,
      { date: "2026-08-01", keywords: ["a", "b"], countryCode: "US", trackId: "1" },
    ],
    [
      "with a number as text",
      iosTopKeywords,
      { trackId: 1, countryCode: "US", date: "2026-08-01", limit: "50" },
      { trackId: "1", countryCode: "US", date: "2026-08-01", limit: 50 },
    ],
    [
      "with a default named",
      iosTopKeywords,
      { trackId: "1", countryCode: "US", date: "2026-08-01" },
      { trackId: "1", countryCode: "US", date: "2026-08-01", limit: 100, device: "IPHONE" },
    ],
    [
      "with the first page named",
      iosReviews,
      { trackId: "1", startDate: "2026-08-01", endDate: "2026-08-02" },
      { trackId: "1", startDate: "2026-08-01", endDate: "2026-08-02", page: 0 },
    ],
    [
      "with fields of a body in any order",
      searchAdsTopApps,
      { keywordList: [{ keyword: "a", appId: 1 }] },
      { keywordList: [{ appId: 1, keyword: "a" }] },
    ],
  ])("%s", (_, operation, one, other) => {
    expect(callHashOf(operation, one)).toBe(callHashOf(operation, other));
    expect(callHashOf(operation, one)).toMatch(/^[0-9a-f]{32}$/);
  });
});

test("a list that changes is read again, and one that cannot is the same in every call", () => {
  const keywords = ["b", "a"];
  const kept = Object.freeze(["b", "a"]);
  const before = callHashOf(iosKeywordRanking, { ...ranking, keywords });
  expect(callHashOf(iosKeywordRanking, { ...ranking, keywords: kept })).toBe(before);
  expect(callHashOf(iosKeywordRanking, { ...ranking, keywords: kept })).toBe(before);
  keywords.push("c");
  expect(callHashOf(iosKeywordRanking, { ...ranking, keywords })).not.toBe(before);
});

describe("other calls have other hashes", () => {
  test.each([
    ["another keyword", { keywords: ["a", "c"] }],
    ["one keyword that looks like two", { keywords: ["b,a"] }],
    ["letters of a keyword", { keywords: ["B", "a"] }],
    ["another app", { trackId: "2" }],
    ["another day", { date: "2026-08-02" }],
    ["no day", { date: undefined }],
  ])("%s", (_, change) => {
    expect(callHashOf(iosKeywordRanking, { ...ranking, ...change })).not.toBe(callHashOf(iosKeywordRanking, ranking));
  });

  test("the same values of another operation, and a value that moves to another parameter", () => {
    const device = { trackId: "1", countryCode: "US" };
    expect(callHashOf(dailyKeywordRankings, { ...device, device: "ipad" })).not.toBe(
      callHashOf(dailyKeywordRankings, device),
    );
    expect(callHashOf(iosKeywordRanking, { ...ranking, trackId: "US", countryCode: "1" })).not.toBe(
      callHashOf(iosKeywordRanking, ranking),
    );
  });
});

import { describe, expect, test } from "vitest";
import type { Operation } from "../../src/api/define-operation.ts";
import {
  androidKeywordMetadata,
  androidKeywordRanking,
  iosKeywordHistory,
  iosKeywordMetadata,
  iosOrganicKeywords,
} from "../../src/api/operations/keyword.ts";
import { AndroidTrackId, CountryCode, DayText, Instant, IosTrackId } from "../../src/api/values.ts";

const fits = (operation: Operation, value: unknown) => operation.answer.safeParse(value).success;
const rank = { trackId: 6446318020, keyword: "yoga", countryCode: "US", date: 0, appKind: "IPAD", rank: 1 };

describe("what has been seen of the service is taken beside what the contract says", () => {
  test.each([
    ["an instant in milliseconds", { date: 1_787_184_000_000 }],
    ["a zoneless crawl time", { date: "2026-08-02T00:45:18" }],
    ["a bare day", { date: "2026-07-01" }],
    ["a rank of null", { rank: null }],
    ["no rank", { rank: undefined }],
    ["a track id as a text", { trackId: "6446318020" }],
    ["a track id above 32 bits", { trackId: 2 ** 33 }],
    ["no country", { countryCode: undefined }],
  ])("%s in a rank", (_, change) => {
    expect(fits(iosKeywordHistory, [{ ...rank, ...change }])).toBe(true);
  });

  test.each([
    ["without a popularity", { keyword: "yoga" }],
    ["with a popularity of null", { keyword: "yoga", popularity: null, brandApp: null }],
    ["with a brand above 32 bits", { keyword: "yoga", brandApp: 6446318020 }],
  ])("metadata %s", (_, metadata) => {
    expect(fits(iosKeywordMetadata, metadata)).toBe(true);
    expect(fits(androidKeywordMetadata, metadata)).toBe(true);
  });

  test("organic keywords by bare day, with ranks of null", () => {
    const rankings = [{ keyword: "yoga", rank: null }, { keyword: "タスク" }];
    expect(fits(iosOrganicKeywords, { trackId: 1, date: "2026-07-01", rankings })).toBe(true);
  });
});

test.each([
  ["a rank of zero", { rank: 0 }],
  ["half a rank", { rank: 1.5 }],
  ["a rank as a text", { rank: "7" }],
  ["no keyword", { keyword: undefined }],
  ["no date", { date: undefined }],
  ["an unknown device", { appKind: "IPOD" }],
  ["a track id that lost digits", { trackId: 2 ** 60 }],
  ["an empty track id", { trackId: "" }],
])("%s in a rank is not taken", (_, change) => {
  expect(fits(iosKeywordHistory, [{ ...rank, ...change }])).toBe(false);
});

test("a rank of Android has no device", () => {
  expect(fits(androidKeywordRanking, [{ ...rank, appKind: undefined }])).toBe(true);
  expect(fits(iosKeywordHistory, [{ ...rank, appKind: undefined }])).toBe(false);
});

test.each<[string, { safeParse(value: unknown): { success: boolean } }, unknown[], unknown[]]>([
  ["an iOS track id", IosTrackId, ["1", "6446318020"], ["", "1.0", "-1", " 1", "com.app", "1".repeat(20), 1]],
  [
    "an Android track id",
    AndroidTrackId,
    ["com.app", "a.b.c_d", "App.Lumi.Habit2"],
    ["", "com", "com.", ".com", "com..app", "1com.app", "com.app/../x", "com.app?x", "com.aрp"],
  ],
  ["a country", CountryCode, ["US", "JP"], ["us", "USA", "U", "U1", "ÜS", "US\n"]],
  [
    "a day",
    DayText,
    ["2028-02-29", "1999-12-31"],
    ["2026-02-29", "2026-2-1", "2026-13-01", "20260101", "2026-01-01T00"],
  ],
  [
    "an instant",
    Instant,
    [0, 1_787_184_000_000, "2026-08-02", "2026-08-02T00:45", "2026-08-02T23:59:59.999", "2026-08-02T00:45:18Z"],
    [-1, 1.5, 9e15, "2026-02-30T00:00:00", "2026-08-02T24:00:00", "2026-08-02T00:60", "02.08.2026", "", "yesterday"],
  ],
])("%s", (_, schema, good, bad) => {
  expect(good.filter((value) => !schema.safeParse(value).success)).toEqual([]);
  expect(bad.filter((value) => schema.safeParse(value).success)).toEqual([]);
});

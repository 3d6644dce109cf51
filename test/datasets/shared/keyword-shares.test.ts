import { describe, expect, test } from "vitest";
import { addressOf } from "../../../src/api/address.ts";
import { iosOrganicImpressionShare, iosShareOfCategory } from "../../../src/api/operations/keyword-apps.ts";
import { day } from "../../../src/core/day.ts";
import type { Portfolio } from "../../../src/core/portfolio.ts";
import { oneDay } from "../../../src/core/window.ts";
import { readAnswer } from "../../../src/api/read-answer.ts";
import { categoryShare } from "../../../src/datasets/category-share.ts";
import { impressionShare } from "../../../src/datasets/impression-share.ts";
import { sliceOf } from "../../support/ingest-slice.ts";

const large = 6_446_318_020;
const ios = { store: "ios", country: "US", keyword: "a/b, 50% ☂", device: "IPAD" };
const android = { ...ios, store: "android", device: "ALL" };
const slice = (scope: Record<string, string>) => sliceOf({ scope, window: oneDay(day("2026-08-20")) });
const reported = (keywordShares: unknown, more: object = {}) => ({
  keyword: ios.keyword,
  date: "2026-08-19",
  keywordShares,
  ...more,
});

test.each([impressionShare, categoryShare])("$name requests each device that the store distinguishes", (dataset) => {
  const country = { country: "US", keywords: ["a"], keywordCount: 1 };
  const app = { store: "ios" as const, trackId: "1", tracked: true, countries: [country] };
  const portfolio: Portfolio = { apps: [app, { ...app, store: "android", trackId: "a.b" }] };
  expect(dataset.partitions(portfolio).map(({ scope }) => [scope["store"], scope["device"]])).toEqual([
    ["ios", "IPHONE"],
    ["ios", "IPAD"],
    ["android", "ALL"],
  ]);
  expect(dataset.request(slice(android))).toEqual({ keyword: ios.keyword, countryCode: "US" });
});

test.each([
  [impressionShare, iosOrganicImpressionShare, "organic-impression-share"],
  [categoryShare, iosShareOfCategory, "share-of-category"],
] as const)("a keyword travels encoded in the path", (dataset, operation, name) => {
  const { path } = addressOf(operation, dataset.request(slice(ios)), { ios: "iosstore", android: "androidstore" });
  expect(path).toBe(`/iosstore-keyword-ranking/${name}/keyword/a%2Fb%2C%2050%25%20%E2%98%82/US/IPAD`);
});

describe("impressions", () => {
  const rowsOf = (scope: Record<string, string>, answer: unknown) =>
    impressionShare.normalise(slice(scope), [answer], []);

  test("are stamped with what was requested and the day of observation, and keep the day that is reported", () => {
    const answer = reported([{ shareParameterId: large, date: "2026-08-18", share: 0.25, trend: "up" }]);
    expect(rowsOf(ios, answer).rows["core.fact_impression_share"]).toEqual([
      {
        keyword_key: ios.keyword,
        date_day: "2026-08-20",
        country_key: "US",
        store: "ios",
        device_key: "IPAD",
        share_day: "2026-08-18",
        app_key: `ios:${large}`,
        impression_share: 0.25,
        answer_day: "2026-08-19",
        extra: '{"trend":"up"}',
      },
    ]);
  });

  test("of several days are a row each, and a part without a day has that of the answer or of the observation", () => {
    const parts = [
      { shareParameterId: "a.b", date: "2026-08-18", share: 1 },
      { shareParameterId: "a.b", share: 2 },
    ];
    const days = (answer: unknown) =>
      rowsOf(android, answer).rows["core.fact_impression_share"]?.map((row) => row["share_day"]);
    expect(days(reported(parts))).toEqual(["2026-08-18", "2026-08-19"]);
    expect(days(reported(parts, { date: undefined }))).toEqual(["2026-08-18", "2026-08-20"]);
  });

  test("come as numbers or as their digits, or not at all", () => {
    const parts = [0.5, "0.25", null].map((share, index) => ({ shareParameterId: index + 1, share }));
    const { value, invalid } = readAnswer(iosOrganicImpressionShare, Buffer.from(JSON.stringify(reported(parts))));
    const rows = rowsOf(ios, value).rows["core.fact_impression_share"];
    expect([rows?.map((row) => row["impression_share"]), invalid]).toEqual([[0.5, 0.25, null], []]);
  });

  test("of another device, or of no app of the store, are invalid", () => {
    const parts = [{ shareParameterId: 1, share: 1 }];
    expect(rowsOf(ios, reported(parts, { device: "IPHONE" })).invalid).toHaveLength(1);
    expect(rowsOf(ios, reported([{ shareParameterId: "others", share: 1 }])).invalid).toHaveLength(1);
  });
});

test("categories are given by id in one store and by name in the other, 0 being a real one", () => {
  const names = (scope: Record<string, string>, ids: readonly (string | number)[]) =>
    categoryShare
      .normalise(slice(scope), [reported(ids.map((id) => ({ shareParameterId: id, share: 1 })))], [])
      .rows["core.fact_category_share"]?.map((row) => [row["store"], row["category_code"], row["category_name"]]);
  expect(names(ios, [6007, 0])).toEqual([
    ["ios", "6007", "Productivity"],
    ["ios", "0", null],
  ]);
  expect(names(android, ["PRODUCTIVITY", 0])).toEqual([
    ["android", "PRODUCTIVITY", "PRODUCTIVITY"],
    ["android", "0", "BOOKS_AND_REFERENCE"],
  ]);
});

test("a category id that both stores use stays two rows, and 0 is a category", () => {
  const answer = reported([{ shareParameterId: 0, date: "2026-08-19", share: 0.5 }]);
  const keys = [ios, android].flatMap((scope) => {
    const { rows } = categoryShare.normalise(slice(scope), [answer], []);
    const [table] = categoryShare.tables;
    return (rows["core.fact_category_share"] ?? []).map((row) => (table?.key ?? []).map((column) => row[column]));
  });
  expect(keys.map((key) => key.at(-1))).toEqual(["0", "0"]);
  expect(new Set(keys.map((key) => JSON.stringify(key))).size).toBe(2);
});

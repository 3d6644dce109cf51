import { describe, expect, test } from "vitest";
import { androidCategoryRanking, iosCategoryRanking } from "../../src/api/operations/category.ts";
import { day } from "../../src/core/day.ts";
import type { Portfolio } from "../../src/core/portfolio.ts";
import type { Scope } from "../../src/core/slice.ts";
import { categoryRank } from "../../src/datasets/category-rank.ts";
import { sliceOf } from "../support/ingest-slice.ts";
import { normalised } from "../support/normalised.ts";

const window = { start: day("2026-08-01"), end: day("2026-08-08") };
const ios: Scope = { store: "ios", app: "42", country: "US", resolution: "daily", chart_version: "v1" };
const android: Scope = { store: "android", app: "com.one", country: "US", resolution: "daily" };

function ranks(scope: Scope, operation: string, answer: unknown) {
  const { rows, invalid } = categoryRank.normalise(sliceOf({ scope, operation, window }), [answer], []);
  return { rows: rows["core.fact_category_rank"] ?? [], invalid: invalid.map(({ reason }) => reason) };
}

const chart = (date: string | number, ranking: number | null = 3, more: object = {}) => ({
  targetDevice: "IPAD",
  rankingType: "FREE",
  rankingsByDate: [{ date, ranking }],
  ...more,
});
const iosAnswer = (...charts: unknown[]) => ({ trackId: 42, ranksByCategory: { US: { "6007": charts } } });

describe("ranks in charts", () => {
  test("are one table, for each shape of the answer", () => {
    const [first] = ranks(ios, "ios.category-ranking", iosAnswer(chart("2026-08-01T00:00:00", 3.5))).rows;
    expect(first).toEqual({
      app_key: "ios:42",
      date_day: "2026-08-01",
      country_key: "US",
      device_key: "IPAD",
      category_code: "6007",
      chart: "FREE",
      resolution: "daily",
      chart_version: "v1",
      ranked_at: "2026-08-01T00:00:00",
      category_name: "Productivity",
      rank: 3.5,
    });
    const answer = {
      trackId: "com.one",
      ranksByCategoryNames: [
        {
          categoryName: "PRODUCTIVITY",
          rankings: [{ rankingType: 1, ranksByDate: [{ date: Date.UTC(2026, 7, 2), rank: 4 }] }],
        },
      ],
    };
    expect(ranks(android, "android.category-ranking", answer).rows).toMatchObject([
      {
        app_key: "android:com.one",
        date_day: "2026-08-02",
        device_key: "ALL",
        chart: "PAID",
        chart_version: "",
        rank: 4,
      },
    ]);
  });

  test("are of the requested country, in whichever case the answer names it", () => {
    const lower = { trackId: 42, ranksByCategory: { us: { "36": [chart("2026-08-01")] } } };
    expect(ranks(ios, "ios.category-ranking", lower)).toMatchObject({ rows: [{ country_key: "US" }], invalid: [] });
    const rankings = [{ rankingType: 0, ranksByDate: [{ date: "2026-08-02", rank: 4 }] }];
    const answer = {
      trackId: "com.one",
      countryCode: "us",
      ranksByCategoryNames: [{ categoryName: "TOOLS", rankings }],
    };
    expect(ranks(android, "android.category-ranking", answer)).toMatchObject({
      rows: [{ country_key: "US" }],
      invalid: [],
    });
  });

  test("by the hour are one row an observation, and never meet those by the day", () => {
    const looks = ["2026-08-01T00:00:00", "2026-08-01T06:00:00"].map((date) => ({ date, ranking: 1 }));
    const answer = iosAnswer(chart("", 0, { rankingsByDate: looks }));
    const hourly = ranks({ ...ios, resolution: "hourly" }, "ios.category-ranking", answer).rows;
    expect(hourly.map((row) => [row["resolution"], row["ranked_at"]])).toEqual([
      ["hourly", "2026-08-01T00:00:00"],
      ["hourly", "2026-08-01T06:00:00"],
    ]);
    expect(categoryRank.tables[0]?.key).toEqual(expect.arrayContaining(["resolution", "chart_version", "ranked_at"]));
  });

  test("by the day are one row at its midnight, whenever the rank was seen: the last one counts", () => {
    const seen = (hour: number, rank: number) => ({ date: Date.UTC(2026, 7, 2, hour), rank });
    const answer = (...ranksByDate: unknown[]) => ({
      trackId: "com.one",
      ranksByCategoryNames: [{ categoryName: "PRODUCTIVITY", rankings: [{ rankingType: 0, ranksByDate }] }],
    });
    const reported = (...looks: unknown[]) =>
      ranks(android, "android.category-ranking", answer(...looks)).rows.map((row) => [row["ranked_at"], row["rank"]]);
    expect(reported(seen(3, 8))).toEqual([["2026-08-02T00:00:00", 8]]);
    expect(reported(seen(19, 5), seen(7, 6))).toEqual([["2026-08-02T00:00:00", 5]]);
  });

  test("of another app, country or day than was requested are invalid: the end is exclusive", () => {
    const reported = ranks(
      ios,
      "ios.category-ranking",
      iosAnswer(chart("2026-08-08T00:00:00"), chart("2026-08-07T18:00:00")),
    );
    expect([reported.rows.length, reported.invalid]).toEqual([1, ["a day that was not requested"]]);
    const abroad = { trackId: 42, ranksByCategory: { DE: { "36": [chart("2026-08-01")] } } };
    expect(ranks(ios, "ios.category-ranking", abroad).invalid).toEqual(["a country that was not requested"]);
    expect(ranks(ios, "ios.category-ranking", { ...iosAnswer(chart("2026-08-01")), trackId: 43 }).invalid).toEqual([
      "an app that was not requested",
    ]);
  });

  test("that are none are invalid, and the others of their chart stay", () => {
    const dated = (...all: readonly number[]) => all.map((rank, place) => [`2026-08-0${place + 1}`, rank] as const);
    const rankingsByDate = dated(3.5, 0, -1, 4).map(([date, ranking]) => ({ date, ranking }));
    const ranksByDate = dated(3, 0, 2.5, 4).map(([date, rank]) => ({ date, rank }));
    const category = { categoryName: "TOOLS", rankings: [{ rankingType: 0, ranksByDate }] };
    const read = [
      normalised(categoryRank, iosCategoryRanking, { scope: ios, window }, iosAnswer(chart("", 1, { rankingsByDate }))),
      normalised(
        categoryRank,
        androidCategoryRanking,
        { scope: android, window },
        {
          trackId: "com.one",
          ranksByCategoryNames: [category],
        },
      ),
    ];
    for (const { rows, invalid } of read) {
      expect(rows.map((row) => row["date_day"])).toEqual(["2026-08-01", "2026-08-04"]);
      expect(invalid).toEqual(["a rank is a number from 1", "a rank is a number from 1"]);
    }
  });

  test("of the last day have the day that the service says, in all countries", () => {
    const scope = { store: "android", app: "com.one", device: "ALL", resolution: "last_day" };
    const reported = (date: string) => [{ rankingType: "GROSSING", rankingsByDate: [{ date, ranking: 9 }] }];
    const answer = {
      trackId: "com.one",
      ranksByCategory: {
        US: { TOOLS: reported("2026-07-31T00:00:00") },
        JP: { TOOLS: reported("2026-07-31T00:00:00") },
      },
    };
    const { rows, invalid } = ranks(scope, "android.global-category-rankings", answer);
    expect(invalid).toEqual([]);
    expect(rows).toMatchObject([
      { country_key: "US", date_day: "2026-07-31", resolution: "last_day", chart: "GROSSING", rank: 9 },
      { country_key: "JP", date_day: "2026-07-31" },
    ]);
    const seenOn = (date: string) =>
      ranks(scope, "android.global-category-rankings", {
        trackId: "com.one",
        ranksByCategory: { US: { TOOLS: reported(`${date}T00:00:00`) } },
      });
    expect(seenOn("2026-08-20")).toMatchObject({ rows: [{ date_day: "2026-08-20" }], invalid: [] });
    expect(seenOn("2026-08-21")).toEqual({ rows: [], invalid: ["a future day"] });
  });

  test("of another device than the requested one are none of its ranks", () => {
    const scope = { store: "ios", app: "42", device: "IPHONE", resolution: "last_day" };
    const both = ["IPHONE", "IPAD"].map((targetDevice) => chart("2026-08-19T00:00:00", 3, { targetDevice }));
    const { rows, invalid } = ranks(scope, "ios.global-category-rankings", iosAnswer(...both));
    expect(rows).toMatchObject([{ device_key: "IPHONE", rank: 3 }]);
    expect(invalid).toEqual(["a device that was not requested"]);
  });
});

test("what an option changes about the call is part of the scope", () => {
  const countries = [{ country: "US", keywords: [], keywordCount: 0 }];
  const portfolio: Portfolio = {
    apps: [
      { store: "ios", trackId: "42", tracked: true, countries },
      { store: "android", trackId: "com.one", tracked: true, countries },
    ],
  };
  const scopes = (options?: unknown) => categoryRank.partitions(portfolio, options).map(({ scope }) => scope);
  expect(scopes()).toEqual([ios, android]);
  const days = { startDate: "2026-08-01", endDate: "2026-08-08" };
  const request = (scope: Scope) => categoryRank.request(sliceOf({ scope, window }));
  expect(scopes().map(request)).toEqual([
    { trackId: "42", countryCode: "US", version: "v1", hourly: false, ...days },
    { trackId: "com.one", country: "US", ...days },
  ]);
  const hourly = scopes({ resolutions: ["hourly"], chart_versions: ["v1", "v2"] });
  expect(hourly.map(request)).toEqual(
    ["v1", "v2"].map((version) => ({ trackId: "42", countryCode: "US", version, hourly: true, ...days })),
  );
  const last = categoryRank.partitions(portfolio, { resolutions: ["last_day"] });
  expect(last.map(({ scope, timing }) => [scope["store"], scope["device"], timing?.kind])).toEqual([
    ["ios", "IPHONE", "snapshot"],
    ["ios", "IPAD", "snapshot"],
    ["android", "ALL", "snapshot"],
  ]);
  expect(last.map(({ scope }) => request(scope))).toEqual([
    { trackId: "42", device: "IPHONE" },
    { trackId: "42", device: "IPAD" },
    { trackId: "com.one" },
  ]);
});

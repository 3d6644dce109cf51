import { describe, expect, test } from "vitest";
import { readAnswer } from "../../src/api/read-answer.ts";
import { androidTopCharts, iosTopCharts } from "../../src/api/operations/category.ts";
import type { Operation } from "../../src/api/define-operation.ts";
import type { Portfolio } from "../../src/core/portfolio.ts";
import type { Scope } from "../../src/core/slice.ts";
import { topChart } from "../../src/datasets/top-chart.ts";
import { sliceOf } from "../support/ingest-slice.ts";

const ios: Scope = {
  store: "ios",
  country: "US",
  chart: "FREE",
  device: "IPHONE",
  category_code: "6007",
  chart_version: "v1",
};
const android: Scope = {
  store: "android",
  country: "US",
  chart: "FREE",
  device: "ALL",
  category_code: "BOOKS_AND_REFERENCE",
};

/** A chart of 1 August as it is read from its body. */
function chart(scope: Scope, body: unknown) {
  const operation: Operation = scope["store"] === "ios" ? iosTopCharts : androidTopCharts;
  const read = readAnswer(operation, Buffer.from(JSON.stringify(body)));
  const { rows, invalid } = topChart.normalise(sliceOf({ scope, operation: operation.id }), [read.value], read.invalid);
  return {
    rows: rows["core.fact_top_chart"] ?? [],
    places: (rows["core.fact_top_chart"] ?? []).map((row) => [row["app_key"], row["rank"]]),
    invalid: [...read.invalid, ...invalid].map(({ reason }) => reason),
  };
}

const reported = {
  countryCode: "US",
  categoryId: 6007,
  targetDevice: "IPHONE",
  rankingType: "FREE",
  date: "2026-08-01T00:00:00",
  trackIds: [6_446_318_020, "42", 7],
};

describe("a chart", () => {
  test("of iOS is in the order of its list, with ids above 32 bits, as number or text", () => {
    const { rows, places } = chart(ios, reported);
    expect(places).toEqual([
      ["ios:6446318020", 1],
      ["ios:42", 2],
      ["ios:7", 3],
    ]);
    expect(rows[0]).toMatchObject({
      date_day: "2026-08-01",
      country_key: "US",
      device_key: "IPHONE",
      category_code: "6007",
      chart: "FREE",
      chart_version: "v1",
      category_id: 6007,
      category_name: "Productivity",
      charted_at: "2026-08-01T00:00:00",
    });
  });

  test("keeps the places behind one that is no app", () => {
    const { places, invalid } = chart(ios, { ...reported, trackIds: [1, null, { odd: true }, 4, "", 6] });
    expect(places).toEqual([
      ["ios:1", 1],
      ["ios:4", 4],
      ["ios:6", 6],
    ]);
    expect(invalid).toHaveLength(3);
  });

  test("has no app whose id has not the form of the store, and each app at its first place", () => {
    const odd = chart(ios, { ...reported, trackIds: [1, "x y", 2, "com.one", 1, 3] });
    expect(odd).toMatchObject({
      places: [
        ["ios:1", 1],
        ["ios:2", 3],
        ["ios:3", 6],
      ],
      invalid: ["no track id of the requested store", "no track id of the requested store"],
    });
    expect(chart(android, [{ trackId: 1, rank: 1 }])).toMatchObject({
      rows: [],
      invalid: ["no track id of the requested store"],
    });
  });

  test("of Android has its ranks from the entries, its category by name, and 0 is a category", () => {
    const entry = { trackId: "com.one", category: 0, rank: 7, date: Date.UTC(2026, 7, 1), type: 0, score: 3 };
    const { rows, invalid } = chart(android, [entry, { ...entry, trackId: "com.two", rank: 2 }]);
    expect(invalid).toEqual([]);
    expect(rows).toMatchObject([
      {
        app_key: "android:com.one",
        rank: 7,
        device_key: "ALL",
        category_code: "BOOKS_AND_REFERENCE",
        category_id: 0,
        chart_version: "",
        extra: '{"score":3}',
      },
      { app_key: "android:com.two", rank: 2 },
    ]);
  });

  test.each([
    ["country", { countryCode: "DE" }],
    ["category", { categoryId: 6008 }],
    ["device", { targetDevice: "IPAD" }],
    ["kind", { rankingType: "PAID" }],
    ["kind as a number", { rankingType: 1 }],
    ["day", { date: "2026-07-31T00:00:00" }],
  ])("of another %s than was requested is invalid as a whole", (_, other) => {
    expect(chart(ios, { ...reported, ...other })).toMatchObject({
      rows: [],
      invalid: ["a chart or a day that was not requested"],
    });
  });

  test("is of the requested country, in whichever case the answer names it", () => {
    expect(chart(ios, { ...reported, countryCode: "us" })).toMatchObject({ rows: [{}, {}, {}], invalid: [] });
  });

  test("that echoes nothing is stamped with what was requested", () => {
    expect(chart(ios, { trackIds: [1] }).rows).toMatchObject([
      { country_key: "US", device_key: "IPHONE", chart: "FREE", date_day: "2026-08-01", charted_at: null },
    ]);
    expect(chart(ios, { ...reported, rankingType: 0 }).rows).toHaveLength(3);
    expect(chart(android, [{ trackId: "com.one", rank: 1 }]).rows).toMatchObject([{ rank: 1, charted_at: null }]);
  });

  test("entry of another category, kind or day on Android is invalid, the others are not", () => {
    const entry = { trackId: "com.one", category: "BOOKS_AND_REFERENCE", rank: 1, type: "FREE", date: "2026-08-01" };
    const others = [{ category: 1 }, { type: 2 }, { date: Date.UTC(2026, 7, 2) }].map((other, index) => ({
      ...entry,
      ...other,
      trackId: `com.other${index}`,
      rank: index + 2,
    }));
    const { places, invalid } = chart(android, [entry, ...others]);
    expect([places, invalid.length]).toEqual([[["android:com.one", 1]], 3]);
  });
});

describe("charts are requested", () => {
  const countries = (...codes: string[]) => codes.map((country) => ({ country, keywords: [], keywordCount: 0 }));
  const portfolio: Portfolio = {
    apps: [
      { store: "ios", trackId: "42", tracked: true, countries: countries("US", "JP") },
      { store: "ios", trackId: "43", tracked: true, countries: countries("US") },
      { store: "android", trackId: "com.one", tracked: true, countries: countries("US") },
    ],
  };
  const requested = (options?: unknown) =>
    topChart.partitions(portfolio, options).map(({ scope }) => topChart.request(sliceOf({ scope })));

  test("once a country, device, category and kind, however many apps the portfolio has there", () => {
    expect(requested()).toHaveLength(5);
    expect(requested()[0]).toEqual({
      version: "v1",
      categoryId: 36,
      countryCode: "US",
      rankingType: "FREE",
      targetDevice: "IPHONE",
      date: "2026-08-01",
    });
    expect(requested().at(-1)).toEqual({
      category: "OVERALL",
      countryCode: "US",
      categoryType: "FREE",
      date: "2026-08-01",
    });
  });

  test("of the categories, kinds and versions that are named, and v2 of the overall one alone", () => {
    const options = {
      category_codes: [36, 6007, "GAME", "BOOKS_AND_REFERENCE"],
      charts: ["PAID", "GROSSING"],
      chart_versions: ["v1", "v2"],
    };
    const all = requested(options);
    // two countries, two kinds, two devices: v1 of two categories and v2 of one; on Android one country, two kinds, two categories
    expect(all).toHaveLength(2 * 2 * 2 * 3 + 2 * 2);
    expect(all.filter(({ version, categoryId }) => version === "v2" && categoryId !== 36)).toEqual([]);
    const date = "2026-08-01";
    expect(all).toContainEqual({
      version: "v2",
      categoryId: 36,
      countryCode: "JP",
      rankingType: "PAID",
      targetDevice: "IPAD",
      date,
    });
    expect(all).toContainEqual({ category: "GAME", countryCode: "US", categoryType: "GROSSING", date });
    const scopes = topChart.partitions(portfolio, options).map(({ scope }) => JSON.stringify(scope));
    expect(new Set(scopes).size).toBe(all.length);
  });

  test("and categories that neither store has are refused", () => {
    expect(() => requested({ category_codes: ["NO_SUCH"] })).toThrow("an iOS id or an Android name");
  });
});

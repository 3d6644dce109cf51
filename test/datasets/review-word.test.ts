import { describe, expect, test } from "vitest";
import { iosReviewAnalysis } from "../../src/api/operations/review.ts";
import { day } from "../../src/core/day.ts";
import type { Portfolio } from "../../src/core/portfolio.ts";
import type { Scope } from "../../src/core/slice.ts";
import { reviewWord } from "../../src/datasets/review-word.ts";
import { sliceOf } from "../support/ingest-slice.ts";
import { normalised } from "../support/normalised.ts";

const window = { start: day("2026-07-20"), end: day("2026-08-19") };
const word = {
  word: "sync 🌱",
  averageRating: 2.5,
  frequency: 9,
  numReviews: 4,
  sentiment: { "5": 1, "1": 3 },
  trend: { "2026-07-20": 1, "2026-08-18": 3 },
};

function rowsOf(scope: Scope, ...words: readonly unknown[]) {
  return reviewWord.normalise(sliceOf({ scope, window }), [words], []).rows["core.fact_review_word"] ?? [];
}

describe("the words of reviews", () => {
  test("have a row for the whole period and rows for its parts, which no sum mixes up", () => {
    const rows = rowsOf({ store: "ios", app: "42", country: "US" }, word);
    const stamp = { app_key: "ios:42", period_start: "2026-07-20", period_end: "2026-08-18", country_key: "US" };
    expect(rows).toMatchObject([
      { ...stamp, kind: "word", facet: "", occurrence_count: 9, review_count: 4, average_rating: 2.5 },
      { ...stamp, kind: "sentiment", facet: "1", facet_count: 3, rating: 1 },
      { ...stamp, kind: "sentiment", facet: "5", facet_count: 1, rating: 5 },
      { ...stamp, kind: "trend", facet: "2026-07-20", facet_count: 1, trend_day: "2026-07-20" },
      { ...stamp, kind: "trend", facet: "2026-08-18", facet_count: 3, trend_day: "2026-08-18" },
    ]);
    for (const name of ["occurrence_count", "review_count"])
      expect(rows.slice(1).every((row) => row[name] === undefined)).toBe(true);
    expect(rows[0]?.["facet_count"]).toBeUndefined();
  });

  test("belong to a period that is in their key, and to what was requested", () => {
    expect(reviewWord.tables[0]?.key).toEqual(
      expect.arrayContaining(["period_start", "period_end", "country_key", "language_code", "kind", "facet"]),
    );
    expect(rowsOf({ store: "ios", app: "42" }, word)[0]).toMatchObject({ country_key: "ALL", language_code: "" });
    const android = rowsOf({ store: "android", app: "com.one", language_code: "pt_br" }, word);
    expect(android[0]).toMatchObject({ country_key: "ALL", language_code: "pt_br" });
  });

  test("keep ratings and dates in other words, and fields that are unknown", () => {
    const odd = { word: "x", sentiment: { POSITIVE: 2 }, trend: { "week 31": 1 }, stem: "y" };
    expect(rowsOf({ store: "ios", app: "42" }, odd)).toMatchObject([
      { review_count: null, extra: '{"stem":"y"}' },
      { facet: "POSITIVE", facet_count: 2, rating: null },
      { facet: "week 31", facet_count: 1, trend_day: null },
    ]);
  });

  test("have no row for a part without a count, and lose nothing by it", () => {
    const slice = { scope: { store: "ios", app: "42", country: "US" }, window };
    const counted = { ...word, sentiment: { "5": 1, "1": null }, trend: { "2026-07-20": null } };
    const { rows, invalid } = normalised(reviewWord, iosReviewAnalysis, slice, [counted]);
    expect([rows.map(({ kind, facet }) => `${kind} ${facet}`), invalid]).toEqual([["word ", "sentiment 5"], []]);
  });

  test("are requested over whole periods of 30 days, by country on iOS, together where no language is chosen", () => {
    expect(reviewWord.timing).toMatchObject({ kind: "period", grid: { days: 30 } });
    const countries = ["US", "JP"].map((country) => ({ country, keywords: [], keywordCount: 0 }));
    const portfolio: Portfolio = {
      apps: [
        { store: "ios", trackId: "42", tracked: true, countries },
        { store: "android", trackId: "com.one", tracked: true, countries },
      ],
    };
    const requested = (options?: unknown) =>
      reviewWord.partitions(portfolio, options).map(({ scope }) => reviewWord.request(sliceOf({ scope, window })));
    const days = { startDate: "2026-07-20", endDate: "2026-08-18" };
    expect(requested()).toEqual([
      { trackId: "42", ...days, countries: ["US"] },
      { trackId: "42", ...days, countries: ["JP"] },
      { trackId: "com.one", ...days },
    ]);
    expect(requested({ regions: ["all"], language_codes: ["pt_br"] })).toEqual([
      { trackId: "42", ...days },
      { trackId: "com.one", ...days },
    ]);
    expect(requested({ regions: ["each"], language_codes: ["pt_br"] })[2]).toEqual({
      trackId: "com.one",
      ...days,
      languages: ["PT_BR"],
    });
  });
});

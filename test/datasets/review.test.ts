import { describe, expect, test } from "vitest";
import { readAnswer } from "../../src/api/read-answer.ts";
import { androidReviews, iosReviews, iosReviewsV2 } from "../../src/api/operations/review.ts";
import { day } from "../../src/core/day.ts";
import type { Portfolio } from "../../src/core/portfolio.ts";
import type { Scope } from "../../src/core/slice.ts";
import { review } from "../../src/datasets/review.ts";
import { checkRows } from "../../src/load/check-rows.ts";
import { sliceOf } from "../support/ingest-slice.ts";

const window = { start: day("2026-08-01"), end: day("2026-08-05") };
const ios: Scope = { store: "ios", app: "6446318020", regions: "portfolio", source: "v2" };
const android: Scope = { store: "android", app: "com.one", source: "plain" };
const reported = {
  reviewer: "さくら",
  date: "2026-08-02T10:00:00",
  countryCode: "US",
  rating: 5,
  content: "Good",
  title: "Yes",
};
const page = (...content: unknown[]) => ({ content, totalElements: content.length, totalPages: 1, pageNumber: 0 });

function rowsOf(scope: Scope, pages: readonly unknown[], items: readonly string[] | null = null) {
  return review.normalise(sliceOf({ scope, items, window }), pages, []).rows["core.review"] ?? [];
}

describe("a review", () => {
  test("is one row by the id of its list, whether that is a large number or a text", () => {
    const numbered = rowsOf(ios, [page({ ...reported, reviewId: 12_345_678_901 })]);
    expect(numbered).toEqual([
      {
        app_key: "ios:6446318020",
        review_id: "12345678901",
        source: "v2",
        reviewed_at: "2026-08-02T10:00:00",
        country_key: "US",
        language_code: "",
        rating: 5,
        title: "Yes",
        content: "Good",
        reviewer: "さくら",
        version: null,
        is_replied: null,
        extra: null,
      },
    ]);
    expect(rowsOf(android, [[{ ...reported, id: "gp:AOq" }]])).toMatchObject([
      { review_id: "gp:AOq", source: "plain" },
    ]);
    const paged = page({ ...reported, reviewId: "gp:AOq", version: "1.2" });
    expect(rowsOf({ ...android, source: "v2" }, [paged])).toMatchObject([{ version: "1.2", extra: null }]);
    expect(review.tables[0]?.key).toEqual(["app_key", "review_id", "source"]);
  });

  test("has its stars as a number, and nothing where it has no title", () => {
    const { title: _, ...untitled } = reported;
    const answers = [
      { ...untitled, id: 1, rating: "4" },
      { ...reported, id: 2, title: "" },
    ];
    expect(rowsOf({ ...ios, source: "plain" }, [answers])).toMatchObject([
      { rating: 4, title: null },
      { rating: 5, title: null },
    ]);
  });

  test.each([
    ["EN", "en"],
    ["pt_BR", "pt_br"],
    ["pt-BR", "pt_br"],
  ])("on Android has the language that is reported for a country, %s as %s", (countryCode, code) => {
    expect(rowsOf(android, [[{ ...reported, id: 1, countryCode }]])).toMatchObject([
      { country_key: "ALL", language_code: code, extra: null },
    ]);
  });

  test("that names no country or language has the only one that was requested", () => {
    const nowhere = { ...reported, reviewId: 1, countryCode: undefined };
    const country = (items: readonly string[] | null) => rowsOf(ios, [page(nowhere)], items)[0]?.["country_key"];
    expect([country(["JP"]), country(["JP", "US"]), country(null)]).toEqual(["JP", "ALL", "ALL"]);
    expect(rowsOf(android, [[{ ...nowhere, id: 1 }]], ["pt_br"])).toMatchObject([{ language_code: "pt_br" }]);
  });

  test("is kept with all that is reported of it, also where a country is none", () => {
    const odd = { ...reported, reviewId: 1, countryCode: "USA", helpful: 3, replies: [{ text: "Thanks" }] };
    const [row] = rowsOf(ios, [page(odd)], ["JP", "US"]);
    expect(row).toMatchObject({ country_key: "ALL" });
    expect(JSON.parse(String(row?.["extra"]))).toEqual({
      countryCode: "USA",
      helpful: 3,
      replies: [{ text: "Thanks" }],
    });
    expect(rowsOf(ios, [page({ ...reported, reviewId: 1, countryCode: "us" })])).toMatchObject([{ country_key: "US" }]);
  });

  test("that the service files under another day than it was requested is not lost", () => {
    expect(rowsOf(ios, [page({ ...reported, reviewId: 1, date: "2026-07-31T23:30:00" })])).toHaveLength(1);
  });

  test("that two pages have is one row, as it was written last", () => {
    const edited = { ...reported, reviewId: 1, content: "Bad", date: "2026-08-03T09:00:00" };
    const pages = [page(edited, { ...reported, reviewId: 2 }), page({ ...reported, reviewId: 1 })];
    expect(rowsOf(ios, pages).map((row) => [row["review_id"], row["content"]])).toEqual([
      ["1", "Bad"],
      ["2", "Good"],
    ]);
  });

  test("in any script, with U+0000 and half a character in it, is a row that Postgres takes", () => {
    const content = "مرحبا 🌱 とても\u0000\ud83e";
    const body = Buffer.from(JSON.stringify([{ ...reported, id: 1, title: "👍\u0000", content }]));
    const { value, invalid } = readAnswer(iosReviews, body);
    const table = review.tables[0];
    expect(invalid).toEqual([]);
    const rows = rowsOf({ ...ios, source: "plain" }, [value]);
    expect(rows).toMatchObject([{ title: "👍", content: "مرحبا 🌱 とても\ufffd" }]);
    expect(table === undefined ? [] : checkRows(table, rows).invalid).toEqual([]);
  });

  test("that breaks the contract is left out with its reason, and those beside it are not", () => {
    const body = (content: unknown[]) => Buffer.from(JSON.stringify(page(...content)));
    const fine = { ...reported, reviewId: 1 };
    for (const bad of [
      { ...fine, rating: 6 },
      { ...fine, rating: "five" },
      { ...reported },
      { ...fine, date: "yesterday" },
    ]) {
      const read = readAnswer(iosReviewsV2, body([bad, { ...fine, reviewId: 2 }]));
      expect(read.invalid).toMatchObject([{ item: bad }]);
      expect(rowsOf(ios, [read.value])).toMatchObject([{ review_id: "2" }]);
    }
  });
});

describe("reviews are requested", () => {
  const countries = ["US", "JP"].map((country) => ({ country, keywords: [], keywordCount: 0 }));
  const portfolio: Portfolio = {
    apps: [
      { store: "ios", trackId: "6446318020", tracked: true, countries },
      { store: "android", trackId: "com.one", tracked: true, countries },
    ],
  };
  const requested = (options?: unknown) =>
    review.partitions(portfolio, options).map(({ scope, items }) => {
      const [operation] = review.operationsFor(scope);
      return [operation?.id, review.request(sliceOf({ scope, items, window }))];
    });
  const days = { startDate: "2026-08-01", endDate: "2026-08-05" };

  test("a hundred at a time in one call an app, up to the day after the last one", () => {
    expect(requested()).toEqual([
      ["ios.reviews-v2", { trackId: "6446318020", ...days, countries: ["JP", "US"], size: 100 }],
      ["android.reviews", { trackId: "com.one", ...days }],
    ]);
  });

  test("of an app that the portfolio has in no country not at all, since a call without countries is about all", () => {
    const nowhere = { store: "ios", trackId: "1", tracked: true, countries: [] } as const;
    expect(review.partitions({ apps: [nowhere] })).toEqual([]);
  });

  test("of the plain list when the options say so, and of Android's v2, whose languages go by the name of countries", () => {
    expect(requested({ sources: ["plain"], regions: "all", language_codes: ["pt_br", "en"] })).toEqual([
      ["ios.reviews", { trackId: "6446318020", ...days }],
      ["android.reviews", { trackId: "com.one", ...days, languages: ["EN", "PT_BR"] }],
    ]);
    expect(requested({ sources: ["v2"], language_codes: ["en"] })[1]).toEqual([
      "android.reviews-v2",
      { trackId: "com.one", ...days, countries: ["EN"], size: 100 },
    ]);
  });

  test("answered ones and others apart when the options say so, so that each row says which it is", () => {
    const scopes = review.partitions(portfolio, { replied: "apart" }).map(({ scope }) => scope);
    expect(scopes.map(({ replied }) => replied)).toEqual(["no", "yes", undefined]);
    expect(requested({ replied: "apart" }).map(([, request]) => request)).toMatchObject([
      { repliedReview: false },
      { repliedReview: true },
      {},
    ]);
    const rows = scopes.slice(0, 2).flatMap((scope) => rowsOf(scope, [page({ ...reported, reviewId: 1 })]));
    expect(rows.map((row) => row["is_replied"])).toEqual([false, true]);
  });

  test("under scopes that distinguish every parameter that changes the answer", () => {
    const scopes = [undefined, { sources: ["plain"] }, { regions: "all" }, { replied: "yes" }].map((options) =>
      JSON.stringify(review.partitions(portfolio, options)[0]?.scope),
    );
    expect(new Set(scopes).size).toBe(4);
  });

  test("from the pages on which they are: the first is 0, and the last is reported by v2 alone", () => {
    expect([iosReviewsV2.paging, androidReviews.paging]).toMatchObject([
      { first: 0, sizeParam: "size", total: { pages: "totalPages" } },
      { first: 0, size: 100 },
    ]);
  });
});

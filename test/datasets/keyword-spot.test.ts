import { expect, test } from "vitest";
import type { Portfolio } from "../../src/core/portfolio.ts";
import { keywordSpot } from "../../src/datasets/keyword-spot.ts";
import { sliceOf } from "../support/ingest-slice.ts";

const rowsOf = (...spots: readonly object[]) => keywordSpot.normalise(sliceOf(), [spots], []).rows;

test("iOS apps alone have a hidden field, one a country", () => {
  const countries = ["US", "JP"].map((country) => ({ country, keywords: [], keywordCount: 0 }));
  const app = { store: "ios" as const, trackId: "42", tracked: true, countries };
  const portfolio: Portfolio = { apps: [app, { ...app, store: "android", trackId: "a.b" }] };
  expect(keywordSpot.partitions(portfolio).map(({ scope }) => [scope["app"], scope["country"]])).toEqual([
    ["42", "US"],
    ["42", "JP"],
  ]);
});

test("the field is kept as it is, and its words one by one in their order", () => {
  const rows = rowsOf({ locale: "en-US", keywords: "habit, todo,,habit ,目標", updateDate: Date.UTC(2026, 6, 1) });
  expect(rows["core.keyword_spot"]).toEqual([
    {
      app_key: "ios:42",
      country_key: "US",
      locale: "en-US",
      keywords: "habit, todo,,habit ,目標",
      keyword_count: 3,
      updated_at: "2026-07-01T00:00:00",
      extra: null,
    },
  ]);
  expect(rows["core.keyword_spot_word"]?.map((row) => [row["keyword_key"], row["position"]])).toEqual([
    ["habit", 1],
    ["todo", 2],
    ["目標", 3],
  ]);
});

test("an empty field is a row without words", () => {
  const rows = rowsOf({ locale: "en-US", keywords: null }, { locale: "ja", keywords: "" });
  expect(rows["core.keyword_spot"]).toMatchObject([
    { keywords: null, keyword_count: 0 },
    { keywords: "", keyword_count: 0 },
  ]);
  expect(rows["core.keyword_spot_word"]).toEqual([]);
});

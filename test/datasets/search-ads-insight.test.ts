import { describe, expect, test } from "vitest";
import { paidKeywords, payingApps } from "../../src/api/operations/search-ads-insight.ts";
import type { Operation } from "../../src/api/define-operation.ts";
import { day } from "../../src/core/day.ts";
import type { Portfolio } from "../../src/core/portfolio.ts";
import type { Scope } from "../../src/core/slice.ts";
import type { Dataset } from "../../src/datasets/shared/define-dataset.ts";
import { paidKeyword } from "../../src/datasets/paid-keyword.ts";
import { payingApp } from "../../src/datasets/paying-app.ts";
import { sliceOf } from "../support/ingest-slice.ts";
import { normalised } from "../support/normalised.ts";

const large = 6_446_318_020;
const country = (code: string, ...keywords: readonly string[]) => ({ country: code, keywords, keywordCount: null });
const portfolio: Portfolio = {
  apps: [
    {
      store: "ios",
      trackId: String(large),
      tracked: true,
      countries: [country("US", "yoga", "ヨガ"), country("JP", "yoga")],
    },
    { store: "ios", trackId: "7", tracked: true, countries: [country("US", "yoga")] },
    { store: "android", trackId: "com.one", tracked: true, countries: [country("US", "yoga", "zen")] },
  ],
};
const window = { start: day("2026-08-03"), end: day("2026-08-17") };
const period = { period_start: "2026-08-03", period_end: "2026-08-16" };
const days = { startDate: "2026-08-03", endDate: "2026-08-16" };

const rowsOf = (dataset: Dataset, operation: Operation, scope: Scope, body: unknown) =>
  normalised(dataset, operation, { scope, window }, body);

describe("paid keywords", () => {
  const scope = { store: "ios", app: String(large), country: "US" };
  const share = { keyword: "yoga", appShare: "0.25", slotShares: { 1: 0.2, 2: "0.05" } };

  test("are requested for each iOS app of the portfolio and country, both ends inclusive", () => {
    expect(paidKeyword.partitions(portfolio).map((one) => one.scope)).toEqual([
      scope,
      { ...scope, country: "JP" },
      { ...scope, app: "7" },
    ]);
    expect(paidKeyword.request(sliceOf({ scope, window }))).toEqual({
      trackId: String(large),
      countryCode: "US",
      ...days,
    });
  });

  test("are the app's in its country over the period, whether the answer comes wrapped or bare, its id as a number or text or left out", () => {
    for (const body of [
      { data: { trackId: large, shares: [share] }, success: true },
      { trackId: String(large), shares: [share] },
      { shares: [share] },
    ]) {
      const { rows, invalid } = rowsOf(paidKeyword, paidKeywords, scope, body);
      expect(invalid).toEqual([]);
      expect(rows).toEqual([
        {
          app_key: `ios:${large}`,
          ...period,
          country_key: "US",
          keyword_key: "yoga",
          app_share: 0.25,
          slot_shares: '{"1":0.2,"2":"0.05"}',
          extra: null,
        },
      ]);
    }
  });

  test("are none where the app pays for nothing, and not those of another app", () => {
    for (const shares of [[], null])
      expect(rowsOf(paidKeyword, paidKeywords, scope, { trackId: large, shares })).toEqual({ rows: [], invalid: [] });
    expect(rowsOf(paidKeyword, paidKeywords, scope, { trackId: 8, shares: [share] })).toEqual({
      rows: [],
      invalid: ["an app that was not requested"],
    });
  });
});

describe("paying apps", () => {
  const scope = { store: "ios", country: "US", keyword: "yoga" };
  const share = { trackId: large, share: 0.5, slotShares: null, defaultProductPageCount: 1, soon: [1] };
  const answer = (more: object = {}) => ({
    keyword: "yoga",
    ...days,
    shares: [share, { trackId: "7", share: "0.1" }],
    ...more,
  });

  test("are requested once for each keyword, however many apps have it", () => {
    expect(payingApp.partitions(portfolio).map((one) => one.scope)).toEqual([
      scope,
      { ...scope, keyword: "ヨガ" },
      { ...scope, country: "JP" },
    ]);
    expect(payingApp.request(sliceOf({ scope, window }))).toEqual({ countryCode: "US", keyword: "yoga", ...days });
  });

  test("are the keyword's in its country over the period", () => {
    const { rows, invalid } = rowsOf(payingApp, payingApps, scope, { data: answer(), success: true });
    expect(invalid).toEqual([]);
    expect(rows).toEqual([
      {
        keyword_key: "yoga",
        ...period,
        country_key: "US",
        app_key: `ios:${large}`,
        share: 0.5,
        slot_shares: null,
        default_product_page_count: 1,
        custom_product_page_count: null,
        extra: '{"soon":[1]}',
      },
      expect.objectContaining({ app_key: "ios:7", share: 0.1 }),
    ]);
  });

  test.each([
    ["another keyword", { keyword: "pilates" }],
    ["a period that was cut short", { endDate: "2026-08-09" }],
    ["a period that begins two days later", { startDate: "2026-08-05" }],
    ["an earlier period", { startDate: "2026-07-20", endDate: "2026-08-02" }],
  ])("about %s are not taken for the requested ones", (_, more) => {
    const { rows, invalid } = rowsOf(payingApp, payingApps, scope, answer(more));
    expect(rows).toEqual([]);
    expect(invalid).toEqual([expect.stringMatching(/not requested/)]);
  });

  test("that name the days of another zone, or none, or the keyword in other letters, are", () => {
    for (const more of [
      { startDate: "2026-08-02", endDate: "2026-08-17" },
      { startDate: null, endDate: null },
      { startDate: undefined, endDate: undefined, keyword: undefined },
      { keyword: " Yoga" },
      { startDate: Date.UTC(2026, 7, 3), endDate: "2026-08-16T00:00:00" },
    ])
      expect(rowsOf(payingApp, payingApps, scope, answer(more)).rows).toHaveLength(2);
  });
});

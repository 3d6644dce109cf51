import { describe, expect, test } from "vitest";
import { iosVisibilityHistory, visibilityScore } from "../../src/api/operations/market.ts";
import { day } from "../../src/core/day.ts";
import type { Portfolio } from "../../src/core/portfolio.ts";
import { storeOf } from "../../src/core/store.ts";
import { visibility } from "../../src/datasets/visibility.ts";
import { sliceOf } from "../support/ingest-slice.ts";
import { normalised } from "../support/normalised.ts";

const country = (code: string) => ({ country: code, keywords: [], keywordCount: 0 });
const portfolio: Portfolio = {
  apps: [
    { store: "ios", trackId: "1", tracked: true, countries: [country("US"), country("JP")] },
    { store: "ios", trackId: "2", tracked: true, countries: [country("US")] },
    { store: "android", trackId: "a.b", tracked: true, countries: [country("US")] },
  ],
};
const items = ["JP:1", "US:1", "US:2"];
const window = { start: day("2026-08-01"), end: day("2026-08-03") };
const scope = { store: "ios", kind: "history" };

test("one call names every app and country of a store", () => {
  expect(visibility.partitions(portfolio)).toEqual([
    { scope, items },
    { scope: { store: "android", kind: "history" }, items: ["US:a.b"] },
  ]);
  expect(visibility.request(sliceOf({ scope, items, window }))).toEqual({
    body: ["1", "2"],
    countries: ["JP", "US"],
    startDate: "2026-08-01",
    endDate: "2026-08-03",
  });
});

describe("competitors that the account names", () => {
  const names = (app: string, competitor: string) => ({
    store: storeOf(app),
    app,
    competitor_store: storeOf(competitor),
    competitor_app: competitor,
  });
  const withNamed = (...named: readonly (readonly [string, string])[]): Portfolio => ({
    ...portfolio,
    sources: { tracked_competitor: named.map(([app, competitor]) => names(app, competitor)) },
  });
  const cells = (of: Portfolio, options: object = {}) =>
    visibility.partitions(of, options).map((one) => [one.scope["store"], one.items]);

  test("are requested in the countries of the app, in the same call, each cell once for all lists that name it", () => {
    expect(cells(withNamed(["1", "7"], ["2", "7"], ["2", "8"], ["2", "1"]))).toEqual([
      ["ios", ["JP:1", "JP:7", "US:1", "US:2", "US:7", "US:8"]],
      ["android", ["US:a.b"]],
    ]);
  });

  test("are requested as they are now where that is requested", () => {
    const now = visibility.partitions(withNamed(["1", "7"]), { kinds: ["now"] });
    expect(now.map((one) => [one.scope["country"], one.items])).toEqual([
      ["US", ["US:1", "US:2", "US:7"]],
      ["JP", ["JP:1", "JP:7"]],
      ["US", ["US:a.b"]],
    ]);
  });

  test("of the other store, and those of apps outside the portfolio, are not requested", () => {
    expect(cells(withNamed(["1", "com.them"], ["99", "7"]))).toEqual(cells(portfolio));
  });

  test("are left out when they are switched off", () => {
    expect(cells(withNamed(["1", "7"]), { competitors: false })).toEqual(cells(portfolio));
  });
});

test("days beside the window and apps of other countries, which such a call brings along, are left to others", () => {
  const score = (date: string) => ({ date, score: 7.5 });
  const answer = [
    { trackId: 1, scores: { US: [score("2026-08-01"), score("2026-08-02"), score("2026-08-03")] } },
    { trackId: "2", scores: { JP: [score("2026-08-01")], US: [{ date: Date.UTC(2026, 7, 1), score: null }] } },
  ];
  const { rows, invalid } = visibility.normalise(sliceOf({ scope, items, window }), [answer], []);
  expect(invalid).toEqual([]);
  expect(rows["core.fact_visibility"]?.map((row) => Object.values(row))).toEqual([
    ["ios:1", "2026-08-01", "US", "history", 7.5],
    ["ios:1", "2026-08-02", "US", "history", 7.5],
    ["ios:2", "2026-08-01", "US", "history", null],
  ]);
});

test.each([
  ["an app", 9, "US", "2026-08-01"],
  ["a country", 1, "GB", "2026-08-01"],
  ["a day", 1, "US", "2026-08-04"],
])("an answer that is all about %s that was not requested is no empty one", (_, trackId, code, date) => {
  const other = [{ trackId, scores: { [code]: [{ date, score: 7.5 }] } }];
  const read = (...answer: readonly object[]) =>
    normalised(visibility, iosVisibilityHistory, { scope, items, window }, answer);
  expect(read(...other)).toEqual({ rows: [], invalid: ["an app, a country or a day that was not requested"] });
  const own = { trackId: 2, scores: { US: [{ date: "2026-08-02", score: 1 }] } };
  expect([read(...other, own).rows.length, read(...other, own).invalid]).toEqual([1, []]);
  expect(read({ trackId: 1, scores: { US: [{ date: "2026-08-03", score: 1 }] } })).toEqual({ rows: [], invalid: [] });
});

test("an app without a score in one country keeps those of the others", () => {
  const answer = [{ trackId: 1, scores: { US: [{ date: "2026-08-01", score: 7.5 }], JP: null } }];
  const { rows, invalid } = normalised(visibility, iosVisibilityHistory, { scope, items, window }, answer);
  expect(invalid).toEqual([]);
  expect(rows.map((row) => [row["app_key"], row["country_key"], row["score"]])).toEqual([["ios:1", "US", 7.5]]);
});

test("a country in lower case is that country", () => {
  const answer = [{ trackId: 1, scores: { us: [{ date: "2026-08-01", score: 7.5 }] } }];
  const { rows, invalid } = normalised(visibility, iosVisibilityHistory, { scope, items, window }, answer);
  expect([invalid, rows.map((row) => row["country_key"])]).toEqual([[], ["US"]]);
});

test("an app that the history leaves out beside others is not claimed, unless what did not fit may be about it", () => {
  const answer = [{ trackId: 1, scores: { US: [{ date: "2026-08-01", score: 7.5 }] } }];
  const slice = sliceOf({ scope, items, window });
  const unanswered = (page: unknown, left: readonly { reason: string; item: unknown }[] = []) =>
    visibility.normalise(slice, [page], left).unanswered;
  expect(unanswered(answer)).toEqual(["JP:1", "US:2"]);
  expect(unanswered(answer, [{ reason: "odd", item: {} }])).toEqual([]);
  expect(unanswered([])).toEqual([]);
});

test("a score as it is now has the day of observation, and an app that is left out beside others is not claimed", () => {
  const now = { store: "ios", country: "US", kind: "now" };
  const slice = sliceOf({ scope: now, items: ["US:1", "US:2"], window: { ...window, end: day("2026-08-02") } });
  const { rows, unanswered } = visibility.normalise(slice, [{ "1": 3.5, "9": 1 }], []);
  expect(rows["core.fact_visibility"]).toEqual([
    { app_key: "ios:1", date_day: "2026-08-01", country_key: "US", kind: "now", score: 3.5 },
  ]);
  expect(unanswered).toEqual(["US:2"]);
  expect(visibility.normalise(slice, [{}], []).unanswered).toEqual([]);
  const other = visibility.normalise(slice, [{ "9": 1 }], []);
  expect([other.rows["core.fact_visibility"], other.invalid.length]).toEqual([[], 1]);
});

test("an app whose score is no number costs the others theirs nothing, and is not one that the answer leaves out", () => {
  const now = { scope: { ...scope, kind: "now", country: "US" }, items: ["US:1", "US:2", "US:3"], window };
  const answer = { "1": "3.25", "2": "N/A", "3": null };
  const { rows, invalid } = normalised(visibility, visibilityScore, now, answer);
  expect(rows.map((row) => [row["app_key"], row["score"]])).toEqual([
    ["ios:1", 3.25],
    ["ios:3", null],
  ]);
  expect(invalid).toEqual(["value: must be a number, not text"]);
  const left = [{ reason: "odd", item: { "2": "N/A" } }];
  expect(visibility.normalise(sliceOf(now), [{ "1": 3.25 }], left).unanswered).toEqual([]);
});

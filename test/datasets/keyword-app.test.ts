import { expect, test } from "vitest";
import type { Operation } from "../../src/api/define-operation.ts";
import { androidKeywordApps, iosKeywordApps } from "../../src/api/operations/keyword-apps.ts";
import { day } from "../../src/core/day.ts";
import type { Portfolio } from "../../src/core/portfolio.ts";
import { oneDay } from "../../src/core/window.ts";
import { keywordApp } from "../../src/datasets/keyword-app.ts";
import { sliceOf } from "../support/ingest-slice.ts";
import { normalised } from "../support/normalised.ts";

const large = 6_446_318_020;
const slice = (store: string, keyword = "to do") =>
  sliceOf({
    operation: `${store}.keyword-apps`,
    scope: { store, country: "US", keyword },
    window: oneDay(day("2026-08-20")),
  });
const rowsOf = (store: string, answer: unknown) =>
  (keywordApp.normalise(slice(store), [answer], []).rows["core.fact_keyword_app"] ?? []).map(
    ({ device_key, position, app_key }) => [device_key, position, app_key],
  );

test("a keyword is requested once a store and country, whichever apps have it", () => {
  const country = { country: "US", keywords: ["a", "b"], keywordCount: 2 };
  const app = (trackId: string) => ({ store: "ios" as const, trackId, tracked: true, countries: [country] });
  const portfolio: Portfolio = { apps: [app("1"), app("2"), { ...app("x.y"), store: "android" }] };
  expect(keywordApp.partitions(portfolio).map(({ scope }) => scope)).toEqual([
    { store: "ios", country: "US", keyword: "a" },
    { store: "ios", country: "US", keyword: "b" },
    { store: "android", country: "US", keyword: "a" },
    { store: "android", country: "US", keyword: "b" },
  ]);
});

test("the order of a list is the position, by device", () => {
  expect(rowsOf("ios", { keyword: "to do", iphoneApps: [large, "7"], ipadApps: [7] })).toEqual([
    ["IPHONE", 1, `ios:${large}`],
    ["IPHONE", 2, "ios:7"],
    ["IPAD", 1, "ios:7"],
  ]);
  expect(rowsOf("android", { keyword: "to do", apps: ["b.c", "a.b"] })).toEqual([
    ["ALL", 1, "android:b.c"],
    ["ALL", 2, "android:a.b"],
  ]);
});

test("rows have the day of observation, and beside it when the service observed them", () => {
  const answer = {
    keyword: "To  Do",
    countryCode: "us",
    lastUpdateDate: Date.UTC(2026, 7, 2, 3),
    apps: ["a.b"],
    soon: 1,
  };
  expect(keywordApp.normalise(slice("android"), [answer], [])).toMatchObject({
    rows: {
      "core.fact_keyword_app": [
        { keyword_key: "to do", date_day: "2026-08-20", updated_at: "2026-08-02T03:00:00", extra: '{"soon":1}' },
      ],
    },
    invalid: [],
  });
});

test("an app that is listed twice keeps both places", () => {
  expect(rowsOf("ios", { keyword: "to do", iphoneApps: [7, 8, 7] })).toHaveLength(3);
});

test("what is no track id is invalid, and the apps after it keep their positions", () => {
  const read = (operation: Operation, store: string, lists: object) =>
    normalised(keywordApp, operation, slice(store), { keyword: "to do", ...lists });
  const ios = read(iosKeywordApps, "ios", { iphoneApps: [null, 7, "", 8], ipadApps: [{ id: 1 }, "9"] });
  expect(ios.rows.map((row) => [row["device_key"], row["position"], row["app_key"]])).toEqual([
    ["IPHONE", 2, "ios:7"],
    ["IPHONE", 4, "ios:8"],
    ["IPAD", 2, "ios:9"],
  ]);
  expect(ios.invalid).toEqual(["no track id", "no track id", "no track id"]);
  const android = read(androidKeywordApps, "android", { apps: ["a.b", null] });
  expect([android.rows.length, android.invalid]).toEqual([1, ["no track id"]]);
});

test("another keyword or country than was requested is invalid", () => {
  for (const echo of [{ keyword: "done" }, { keyword: "to do", countryCode: "JP" }])
    expect(keywordApp.normalise(slice("ios"), [{ ...echo, iphoneApps: [1] }], [])).toMatchObject({
      rows: { "core.fact_keyword_app": [] },
      invalid: [{ item: echo }],
    });
});

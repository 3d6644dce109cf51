import { expect, test } from "vitest";
import { addDays, day, type Day } from "../../src/core/day.ts";
import { periodOf, type Grid } from "../../src/core/period.ts";
import type { Scope, SliceDraft } from "../../src/core/slice.ts";
import { lastDay, type Window } from "../../src/core/window.ts";
import { datasetNamed } from "../../src/datasets/shared/all.ts";
import { sliceOfFile } from "../../src/archive/slice-of-file.ts";

const now = Date.parse("2026-08-20T12:00:00Z");
const pages = [{ body: Buffer.from("{}"), fetchedAt: Date.parse("2026-08-20T06:00:00Z") }];

/** The slice of a file that is about these days. */
function sliceFor(
  dataset: string,
  operation: string,
  scope: Scope,
  { start, end }: Window,
  items: string[] | null = null,
): SliceDraft {
  const window = { from: start, to: lastDay({ start, end }) };
  const file = {
    dataset,
    operation,
    scope,
    items,
    window,
    class: "daily" as const,
    as_of: day("2026-08-20"),
    pages: [],
  };
  return sliceOfFile(datasetNamed(dataset), file, { pages, now });
}

/** The last period before today. */
function lastPeriod(grid: Grid): Window {
  return periodOf(grid, addDays(periodOf(grid, day("2026-08-20")).start, -1));
}

test("a list is of an account, a fact of none", () => {
  const today = { start: day("2026-08-20"), end: day("2026-08-21") };
  const list = (scope: Scope) => {
    const file = {
      dataset: "tracked_app",
      operation: "dashboard.apps",
      scope,
      window: { from: today.start, to: today.start },
    };
    const more = { class: "snapshot" as const, as_of: today.start, pages: [] };
    return sliceOfFile(datasetNamed("tracked_app"), { ...file, ...more }, { pages, now });
  };
  expect(list({ account: "acme" }).scope).toEqual({ account: "acme" });
  const ranks = { store: "ios", app: "1", country: "US", account: "acme" };
  expect(() => sliceFor("paid_keyword", "search-ads-insight.paid-keywords", ranks, lastPeriod({ days: 14 }))).toThrow(
    /scope.account/,
  );
});

test("an answer about a period is one about a whole period", () => {
  const newest = lastPeriod({ days: 14 });
  const about = (start: Day, end: Day) =>
    sliceFor(
      "paid_keyword",
      "search-ads-insight.paid-keywords",
      { store: "ios", app: "1", country: "US" },
      { start, end },
    );
  expect(about(newest.start, newest.end).window).toEqual(newest);
  expect(() => about(addDays(newest.start, 1), newest.end)).toThrow(/whole periods/);
  expect(() => about(newest.start, addDays(newest.start, 7))).toThrow(/whole periods/);
});

const place = { area: "each", country: "US" };

test.each([
  [
    "ad_creative",
    "ad-intelligence.creatives",
    { store: "ios", app: "1", ...place, network: "AdMob", media_type: "2", most_pages: "4" },
  ],
  [
    "ad_distribution",
    "ad-intelligence.creative-type-distribution",
    { store: "ios", app: "1", ...place, kind: "type", media_type: "impressions", network: "AdMob" },
  ],
  [
    "top_advertiser",
    "ad-intelligence.top-advertisers",
    { store: "android", ...place, category: "Games", network: "AdMob", most_pages: "1" },
  ],
])("an answer of %s that options narrowed names what its call uses and nothing else", (name, operation, scope) => {
  const window = lastPeriod({ days: 30 });
  expect(sliceFor(name, operation, scope, window).scope).toEqual(scope);
  expect(() => sliceFor(name, operation, { ...scope, colour: "red" }, window)).toThrow("scope.colour: is not a field");
});

test("a report may be about an organisation, a level, a goal and a month", () => {
  const scope = {
    org_id: "77",
    report_level: "APP",
    report_type: "SUMMARY",
    grain: "month_summary",
    attribution: "ONLY",
    currency: "EUR",
    goal_id: "5",
    goal_app: "42",
  };
  const july = { start: day("2026-07-01"), end: day("2026-08-01") };
  expect(sliceFor("search_ads_report", "search-ads.reports", scope, july).scope).toEqual(scope);
  const { org_id: _, ...rest } = scope;
  expect(() => sliceFor("search_ads_report", "search-ads.reports", rest, july)).toThrow("needs the fields");
});

const inJapan = { store: "ios", app: "1", country: "JP" };
const oneDay = { start: day("2026-08-19"), end: day("2026-08-20") };
const languages = { store: "android", app: "com.one", source: "plain" };

test.each<[name: string, operation: string, scope: Scope, items: string[] | null]>([
  [
    "category_rank",
    "ios.global-category-rankings",
    { store: "ios", app: "1", device: "IPAD", resolution: "last_day" },
    null,
  ],
  [
    "category_rank",
    "android.global-category-rankings",
    { store: "android", app: "com.one", device: "ALL", resolution: "last_day" },
    null,
  ],
  ["keyword_estimate", "dashboard.keyword-estimation-history", { ...inJapan, kind: "history" }, ["notes"]],
  ["review", "android.reviews", languages, ["en", "pt_br"]],
  ["review", "ios.reviews-v2", { store: "ios", app: "1", source: "v2", regions: "all", replied: "no" }, null],
  ["top_advertiser", "ad-intelligence.top-advertisers", { store: "ios", area: "all" }, null],
])(
  "an answer of %s that was requested by other options than the usual ones is one of ours",
  (name, operation, scope, items) => {
    const window = name === "top_advertiser" ? lastPeriod({ days: 30 }) : oneDay;
    expect(sliceFor(name, operation, scope, window, items)).toMatchObject({ scope, items });
  },
);

test("an answer of which it shows whether its call names items names them or does not", () => {
  const portfolio = { store: "ios", app: "1", source: "v2", regions: "portfolio" };
  expect(() => sliceFor("review", "ios.reviews-v2", portfolio, oneDay)).toThrow(
    "items: the requested items are missing",
  );
  expect(() =>
    sliceFor("keyword_estimate", "dashboard.keyword-estimation-history", { ...inJapan, kind: "history" }, oneDay),
  ).toThrow("items: the requested items are missing");
  expect(() => sliceFor("top_keyword", "ios.top-keywords", { ...inJapan, device: "IPAD" }, oneDay, ["notes"])).toThrow(
    "items: top_keyword has none",
  );
});

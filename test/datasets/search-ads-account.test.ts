import { describe, expect, test } from "vitest";
import { readAnswer } from "../../src/api/read-answer.ts";
import { searchAdsGoals } from "../../src/api/operations/search-ads-account.ts";
import { addDays, day } from "../../src/core/day.ts";
import { bidChange } from "../../src/datasets/bid-change.ts";
import type { Dataset } from "../../src/datasets/shared/define-dataset.ts";
import { mmpIntegration } from "../../src/datasets/mmp-integration.ts";
import { searchAdsApp } from "../../src/datasets/search-ads-app.ts";
import { searchAdsGoal } from "../../src/datasets/search-ads-goal.ts";
import { searchAdsIntegration } from "../../src/datasets/search-ads-integration.ts";
import { searchAdsTopApp } from "../../src/datasets/search-ads-top-app.ts";
import { sliceOf } from "../support/ingest-slice.ts";
import { normalisedTables } from "../support/normalised.ts";

function normalise(dataset: Dataset, json: unknown, slice = sliceOf({ scope: {} })) {
  const [operation] = dataset.operations;
  if (operation === undefined) throw new Error(`${dataset.name} has no operation`);
  const read = readAnswer(operation, Buffer.from(JSON.stringify(json)));
  return dataset.normalise(slice, [read.value], read.invalid);
}

test("organisations come as lists in a list, with ids as numbers or text, and the same one twice is one", () => {
  const one = { id: 1, integId: "a-9_z", orgId: 40_669_820_000, valid: true, currency: "EUR" };
  const { rows } = normalise(searchAdsIntegration, {
    success: true,
    data: [[one, { ...one, id: "2", orgId: "7" }], [one]],
  });
  expect(rows["core.search_ads_integration"]).toMatchObject([
    { org_id: "40669820000", integration_id: "1", integration_code: "a-9_z", is_valid: true },
    { org_id: "7", integration_id: "2" },
  ]);
  expect(normalise(searchAdsIntegration, { success: true, data: [[]] }).rows["core.search_ads_integration"]).toEqual(
    [],
  );
});

test.each([searchAdsIntegration, searchAdsGoal, searchAdsApp, mmpIntegration])(
  "$name of an account that is not connected are empty, which is an answer and not a gap",
  ({ partitions }) => {
    expect(partitions({ apps: [] }, {})).toEqual([{ scope: {}, items: null }]);
  },
);

test("an app is a row for each partner that it reports to, and one without where it reports to none", () => {
  const integrations = [
    { trackerType: "ADJUST", state: "PENDING_FIRST_EVENT", since: 3 },
    { trackerType: "BRANCH", state: "CREATE_FIRST_GOAL" },
  ];
  const { rows } = normalise(mmpIntegration, {
    success: true,
    data: [
      { trackId: "6449123456", name: "Lumi", integrations },
      { trackId: "a.b", integrations: null },
    ],
  });
  expect(rows["core.mmp_integration"]?.map((row) => [row["app_key"], row["tracker_type"], row["extra"]])).toEqual([
    ["ios:6449123456", "ADJUST", '{"since":3}'],
    ["ios:6449123456", "BRANCH", null],
    ["android:a.b", "", null],
  ]);
});

test("a goal brings its events, each with the goal in its key", () => {
  const events = [{ id: 5, eventName: "bought", revenuePolicy: "FIXED_VALUE", customRevenue: "4.99" }];
  const goal = { id: 12, trackId: 6_449_123_456, goalName: "Buyers", eventList: events };
  const body = { success: true, data: [goal, { id: 13, eventList: events }] };
  const { tables, invalid } = normalisedTables(searchAdsGoal, searchAdsGoals, { scope: {} }, body);
  expect(invalid).toEqual([]);
  expect(tables["core.search_ads_goal"]).toMatchObject([
    { goal_id: "12", app_key: "ios:6449123456" },
    { goal_id: "13", app_key: null },
  ]);
  expect(tables["core.search_ads_goal_event"]).toMatchObject([
    { goal_id: "12", event_id: "5", custom_revenue: 4.99 },
    { goal_id: "13", event_id: "5" },
  ]);
});

describe("changes of bids", () => {
  const window = { start: day("2026-08-01"), end: day("2026-08-07") };
  const slice = sliceOf({ dataset: "bid_change", scope: { org_id: "7" }, window });
  const log = { orgId: 7, entityLevel: "KEYWORD", entityId: 3, oldValue: 1, newValue: 2, date: "2026-08-06T10:00:00" };

  test("that are equal are all kept, in any order", () => {
    const logs = [log, { ...log, newValue: 3 }, log, { ...log, entityId: 4 }];
    const of = (data: readonly object[]) =>
      (normalise(bidChange, { success: true, data }, slice).rows["core.fact_bid_change"] ?? [])
        .map((row) => JSON.stringify(row))
        .sort();
    expect(of(logs)).toHaveLength(4);
    expect(of(logs).map((text) => (JSON.parse(text) as { ordinal: number }).ordinal)).toEqual([1, 2, 3, 1]);
    expect(of(logs.toReversed())).toEqual(of(logs));
  });

  test("are requested with the day after, which is left to its own slice; another organisation's are rejects", () => {
    expect(bidChange.request(slice)).toEqual({ orgId: 7, startDate: "2026-08-01", endDate: "2026-08-07" });
    const week = { ...slice, window: { ...window, end: day("2026-08-08") } };
    expect(bidChange.request(week)).toEqual({ orgId: 7, startDate: "2026-08-01", endDate: "2026-08-07" });
    const newest = { ...slice, asOf: day("2026-08-06") };
    expect(bidChange.request(newest), "no day to come").toMatchObject({ endDate: "2026-08-06" });
    const longest = { ...window, end: addDays(window.start, bidChange.longestWindow ?? 0) };
    expect(bidChange.request({ ...slice, window: longest })).toMatchObject({ endDate: longest.end });
    const data = [log, { ...log, date: "2026-08-07T00:00:00" }, { ...log, date: "2026-07-31" }, { ...log, orgId: "8" }];
    const { rows, invalid } = normalise(bidChange, { success: true, data }, slice);
    expect(rows["core.fact_bid_change"]).toHaveLength(1);
    expect(invalid.map(({ reason }) => reason)).toEqual([
      "a day that was not requested",
      "an organisation that was not requested",
    ]);
  });
});

test("organisations that are valid, or say nothing of it, are requested, each once; one that the service calls invalid is not", () => {
  const organisations = ["7 true", "8 false", "9", "10 false", "10 true", "7 true"].map((text) => {
    const [org = "", valid] = text.split(" ");
    return { org_id: org, ...(valid === undefined ? {} : { is_valid: valid }) };
  });
  const portfolio = { apps: [], sources: { search_ads_organisation: organisations } };
  expect(bidChange.partitions(portfolio).map(({ scope }) => scope["org_id"])).toEqual(["7", "9", "10"]);
});

describe("top apps", () => {
  const sources = {
    search_ads_organisation: [{ org_id: "7", is_valid: "true" }],
    search_ads_keyword: [
      { org_id: "7", store: "ios", app: "42", country: "US", keyword: "to do, list", keyword_id: "31" },
      { org_id: "7", store: "ios", app: "42", country: "ALL", keyword: "nowhere", keyword_id: "32" },
      { org_id: "8", store: "ios", app: "42", country: "US", keyword: "not ours", keyword_id: "33" },
    ],
  };
  const [partition] = searchAdsTopApp.partitions({ apps: [], sources });
  const window = { start: day("2026-02-01"), end: day("2026-03-01") };
  const slice = sliceOf({ ...partition, dataset: "search_ads_top_app", window });

  test("are requested by the keywords and ids that the keyword report has, a calendar month at a time", () => {
    expect(searchAdsTopApp.request(slice)).toEqual({
      reportType: "TOP_APPS",
      reportLevel: "KEYWORD",
      startDate: "2026-02-01",
      endDate: "2026-02-28",
      orgIds: [7],
      keywordList: [{ keyword: "to do, list", keywordId: 31, appId: 42, orgId: 7, country: "US" }],
    });
    const abroad = searchAdsTopApp.request({ ...slice, items: ["JP 34 43 タスク 管理"] });
    expect(abroad["keywordList"]).toEqual([
      { keyword: "タスク 管理", keywordId: 34, appId: 43, orgId: 7, country: "JP" },
    ]);
  });

  test.each([
    ["wrapped", (data: unknown) => ({ success: true, data })],
    ["bare", (data: unknown) => data],
  ])("%s: the keyword that was requested is stamped, one that was not is a reject", (_, envelope) => {
    const keywordData = { keyword: "to do, list", keywordId: "31", competitors: false };
    const appData = [{ trackId: 9_000_000_000, share: 0.4, removed: false }];
    const stranger = { keywordData: { keyword: "else", keywordId: 99 }, appData };
    const { rows, invalid } = normalise(searchAdsTopApp, envelope([{ keywordData, appData }, stranger]), slice);
    expect(rows["core.fact_search_ads_top_app"]).toMatchObject([
      { country_key: "US", keyword_id: "31", app_key: "ios:9000000000", share: 0.4, period_end: "2026-02-28" },
    ]);
    expect(invalid.map(({ reason }) => reason)).toEqual(["a keyword that was not requested"]);
  });

  test("of a keyword that several countries bid on are of the country that the answer has, and of no other", () => {
    const [us] = sources.search_ads_keyword;
    const both = { ...sources, search_ads_keyword: [us!, { ...us!, country: "DE" }] };
    const [twice] = searchAdsTopApp.partitions({ apps: [], sources: both });
    const item = (countryCode: string, share: number) => ({
      keywordData: { keyword: "to do, list", keywordId: 31, countryCode },
      appData: [{ trackId: 9, share }],
    });
    const { rows, invalid } = normalise(
      searchAdsTopApp,
      [item("US", 0.4), item("de", 0.6), item("FR", 0.9)],
      sliceOf({ ...twice, dataset: "search_ads_top_app", window }),
    );
    expect(rows["core.fact_search_ads_top_app"]?.map((row) => [row["country_key"], row["share"]])).toEqual([
      ["US", 0.4],
      ["DE", 0.6],
    ]);
    expect(invalid.map(({ reason }) => reason)).toEqual(["a keyword that was not requested"]);
  });

  describe("of several keywords", () => {
    const [us] = sources.search_ads_keyword;
    const named = ["31 yoga", "32 notes", "33 run"].map((text) => text.split(" "));
    const several = {
      ...sources,
      search_ads_keyword: named.map(([id = "", keyword = ""]) => ({ ...us!, keyword_id: id, keyword })),
    };
    const [listed] = searchAdsTopApp.partitions({ apps: [], sources: several });
    const read = (json: unknown) =>
      normalise(searchAdsTopApp, json, sliceOf({ ...listed, dataset: "search_ads_top_app", window }));
    const yoga = { keywordData: { keyword: "other text", keywordId: 31 }, appData: [{ trackId: 9, share: 0.4 }] };
    const notes = { keywordData: { keyword: "notes" }, appData: null };

    test("one is known by its id and without one by its text; one without apps has no row and is answered", () => {
      const { rows, unanswered } = read([yoga, notes]);
      expect(rows["core.fact_search_ads_top_app"]?.map((row) => [row["keyword_id"], row["keyword_key"]])).toEqual([
        ["31", "yoga"],
      ]);
      expect(unanswered).toEqual(["US 33 42 run"]);
    });

    test("none is left out of an answer that names none, or of which an item did not fit", () => {
      expect(read([]).unanswered).toEqual([]);
      expect(read([yoga, { keywordData: { keyword: 7, keywordId: [] } }]).unanswered).toEqual([]);
    });
  });
});

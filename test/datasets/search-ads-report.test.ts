import { describe, expect, test } from "vitest";
import { readAnswer } from "../../src/api/read-answer.ts";
import { searchAdsReports } from "../../src/api/operations/search-ads-report.ts";
import { latestEnd } from "../../src/api/range.ts";
import { addDays, day, type Day } from "../../src/core/day.ts";
import { periodOf } from "../../src/core/period.ts";
import type { Portfolio } from "../../src/core/portfolio.ts";
import { scopeKey, type Scope } from "../../src/core/slice.ts";
import { daysOf } from "../../src/core/window.ts";
import { searchAdsReport } from "../../src/datasets/search-ads-report.ts";
import { checkRows } from "../../src/warehouse/check-rows.ts";
import { sliceOf } from "../support/ingest-slice.ts";

const org = "40669820000";
const scope: Scope = {
  org_id: org,
  report_level: "AD_GROUP",
  report_type: "DAILY",
  grain: "day",
  attribution: "WITH",
  currency: "USD",
};
const window = { start: day("2026-08-01"), end: day("2026-08-04") };
const [table, shapes] = searchAdsReport.tables;
if (table === undefined || shapes === undefined) throw new Error("the dataset has two tables");

/** An ad group on a day; numbers as the service sends them. */
const adGroup = {
  orgId: 40_669_820_000,
  orgName: "Kâğıt Fener 🏮",
  country: "US",
  currency: "USD",
  appId: 6_449_123_456,
  campaignId: 542_370_539,
  adGroupId: 542_317_095,
  gender: "M",
  spend: 12.5,
  impressions: 100,
  taps: "7",
  date: "2026-08-01",
};

/** Normalises pages as they are read off the wire, and what the table would take of them. */
function normalise(rows: readonly object[], chosen: { scope?: Scope; page?: object; pages?: readonly object[] } = {}) {
  const slice = sliceOf({ dataset: "search_ads_report", scope: chosen.scope ?? scope, window });
  const body = { success: true, data: [{ pagination: {}, tableData: rows, ...chosen.page }, ...(chosen.pages ?? [])] };
  const read = readAnswer(searchAdsReports, Buffer.from(JSON.stringify(body)));
  const { rows: told, unfit } = searchAdsReport.normalise(slice, [read.value], read.unfit);
  const checked = checkRows(table!, told[table!.name] ?? []);
  return { rows: checked.fit, unfit: [...read.unfit, ...unfit, ...checked.unfit], shape: told[shapes!.name] };
}

describe("rows by day", () => {
  test("are told apart by country and the four segments, and keep what was asked for", () => {
    const { rows, unfit } = normalise([
      adGroup,
      { ...adGroup, gender: "F" },
      { ...adGroup, country: "DE" },
      { ...adGroup, age: "18-24" },
      { ...adGroup, deviceClass: "IPAD" },
      { ...adGroup, customerType: "NEW" },
      { ...adGroup, date: "2026-08-02T00:00:00" },
    ]);
    expect(unfit).toEqual([]);
    expect(rows).toHaveLength(7);
    expect(rows[0]).toMatchObject({
      org_id: org,
      attribution: "WITH",
      currency: "USD",
      goal_id: "",
      grain: "day",
      period_start: "2026-08-01",
      period_end: "2026-08-01",
      date_day: "2026-08-01",
      is_total: false,
      app_key: "ios:6449123456",
      org_name: "Kâğıt Fener 🏮",
      spend: 12.5,
      tap_count: 7,
      extra: null,
    });
    expect(rows[6]).toMatchObject({ date_day: "2026-08-02" });
  });

  test("of the day that was asked for beside the window are left to its own slice; other days are rejects", () => {
    const { rows, unfit } = normalise([
      adGroup,
      { ...adGroup, date: "2026-08-04" },
      { ...adGroup, date: "2026-07-31" },
      { ...adGroup, date: "2026-08-05" },
    ]);
    expect(rows.map((row) => row["date_day"])).toEqual(["2026-08-01"]);
    expect(unfit.map(({ reason }) => reason)).toEqual(["a day that was not asked for", "a day that was not asked for"]);
  });

  test("that only a field without a column tells apart are all kept; the same row on two pages is one", () => {
    const odd = { ...adGroup, placement: "TODAY" };
    const { rows, unfit } = normalise([adGroup, odd, { ...adGroup, placement: "SEARCH" }], {
      pages: [{ tableData: [odd] }],
    });
    expect(unfit).toEqual([]);
    expect(new Set(rows.map((row) => row["segment"])).size).toBe(3);
    expect(rows.map((row) => row["extra"])).toEqual([null, '{"placement":"TODAY"}', '{"placement":"SEARCH"}']);
  });

  test("that say two things of one cell are not both taken, and the second is not lost", () => {
    const { rows, unfit } = normalise([adGroup, { ...adGroup, spend: 13 }]);
    expect(rows).toHaveLength(1);
    expect(unfit).toMatchObject([{ reason: "a second row with the same key", item: { spend: 13 } }]);
  });

  test("of another organisation are rejects, and a country that is none keeps its text", () => {
    const { rows, unfit } = normalise([
      { ...adGroup, orgId: "7" },
      { ...adGroup, country: "US,CA" },
    ]);
    expect(unfit.map(({ reason }) => reason)).toEqual(["an organisation that was not asked for"]);
    expect(rows).toMatchObject([{ country_key: "ALL", extra: '{"country":"US,CA"}' }]);
  });
});

describe("totals", () => {
  test("are marked, whether a page tells them beside its rows or as a row without an id", () => {
    const { rows } = normalise([adGroup, { currency: "USD", spend: 99, date: "2026-08-01" }], {
      page: { grandTotals: { spend: 111.5, impressions: 200 } },
    });
    expect(rows.map((row) => [row["is_total"], row["spend"]])).toEqual([
      [false, 12.5],
      [true, 99],
      [true, 111.5],
    ]);
  });

  test.each([
    ["SEARCH_TERM", { searchTermText: null }],
    ["CPP", { campaignId: null, adGroupId: null, cppId: null }],
    ["AD", { adId: null }],
    ["AD_GROUP", { adGroupId: null }],
    ["NEGATIVE", { negativeKeywordId: 17 }],
    ["AD", { campaignId: null, adGroupId: null, appId: null, creativeId: "c-1" }],
  ])("are no remainders, and no rows whose id goes by another name: %s %o", (level, more) => {
    const { rows, shape } = normalise([{ ...adGroup, ...more }], { scope: { ...scope, report_level: level } });
    expect(rows).toMatchObject([{ is_total: false, spend: 12.5 }]);
    expect(shape).toMatchObject([{ shape: "days" }]);
  });

  test("are not what rows of negative keywords are, each of which has its id", () => {
    const negative = { ...scope, report_level: "NEGATIVE" };
    const { rows, unfit } = normalise(
      [
        { ...adGroup, negativeKeywordId: 17 },
        { ...adGroup, negativeKeywordId: 18 },
      ],
      { scope: negative },
    );
    expect(unfit).toEqual([]);
    expect(rows).toMatchObject([
      { keyword_id: "17", segment: "", extra: null },
      { keyword_id: "18", segment: "", extra: null },
    ]);
  });

  test("of a level whose rows have no id of their own are told by where they stand", () => {
    const account = { ...scope, report_level: "ACCOUNT" };
    const { rows, unfit } = normalise([{ spend: 5 }], { scope: account, page: { total: { spend: 5, taps: 1 } } });
    expect(unfit).toEqual([]);
    expect(rows.map((row) => row["is_total"])).toEqual([false, true]);
  });

  test("are all rows of a summary", () => {
    const summary = { ...scope, report_type: "SUMMARY", grain: "month" };
    const { rows } = normalise([{ spend: 5, currency: "USD" }], { scope: summary });
    expect(rows).toMatchObject([{ is_total: true, grain: "month", date_day: null, period_end: "2026-08-03" }]);
  });
});

describe("rows without a day", () => {
  const { date: _, ...undated } = adGroup;

  test("of a report are stamped with the day or the period that was asked for", () => {
    const of = (grain: string) => normalise([undated], { scope: { ...scope, report_type: "REPORT", grain } }).rows[0];
    expect(of("day")).toMatchObject({ date_day: "2026-08-01", grain: "day" });
    expect(of("month")).toMatchObject({ date_day: null, period_start: "2026-08-01", period_end: "2026-08-03" });
  });

  test("of a report by day are kept over all days that were asked for, and never given to one", () => {
    const { rows, shape } = normalise([undated]);
    expect(rows).toMatchObject([
      { grain: "window", date_day: null, period_start: "2026-08-01", period_end: "2026-08-04" },
    ]);
    expect(shape).toMatchObject([{ shape: "window" }]);
  });

  test.each([
    ["other figures", { spend: 13 }],
    ["a day by a name that nobody knows", { day: "2026-08-02" }],
    ["nothing else at all", {}],
  ])("of a report by day are all rejects where several are about the same, with %s", (_told, more) => {
    const other = { ...undated, adGroupId: 7 };
    const { rows, unfit, shape } = normalise([undated, other, { ...undated, ...more }]);
    expect(rows).toMatchObject([{ ad_group_id: "7", grain: "window" }]);
    expect(unfit).toHaveLength(2);
    expect(unfit[0]?.reason).toBe("several rows about the same of which none tells its day");
    // or days would never come from another kind of report
    expect(shape).toMatchObject([{ shape: "window" }]);
  });

  test("of a report by day that two pages tell are one, as are totals that each page tells", () => {
    const { rows, unfit } = normalise([undated], {
      page: { grandTotal: { spend: 12.5 } },
      pages: [{ tableData: [undated], grandTotal: { spend: 12.5 } }],
    });
    expect(unfit).toEqual([]);
    expect(rows.map((row) => row["is_total"])).toEqual([false, true]);
  });
});

describe("the way to days", () => {
  const found = (shape: readonly Scope[]): Portfolio => ({
    apps: [],
    found: {
      search_ads_organisation: [
        { org_id: org, is_valid: "true" },
        { org_id: "8", is_valid: "false" },
      ],
      search_ads_goal: [{ goal_id: "12", store: "ios", app: "42" }],
      search_ads_report_shape: shape,
    },
  });
  const ways = (shape: readonly Scope[], options: object = {}) =>
    searchAdsReport
      .partitions(found(shape), options)
      .map(({ scope: one }) => `${one["org_id"]} ${one["report_level"]} ${one["report_type"]} ${one["grain"]}`);
  const told = (level: string, shape: string, until: string) => ({
    org_id: org,
    report_level: level,
    shape,
    period_end: until,
  });

  test("is one report by day, and a report each where that told no days; nothing where nothing is connected", () => {
    expect(ways([])).toEqual([`${org} CAMPAIGN DAILY day`, `${org} AD_GROUP DAILY day`, `${org} KEYWORD DAILY day`]);
    const shape = [
      told("CAMPAIGN", "window", "2026-08-01"),
      told("AD_GROUP", "window", "2026-08-28"),
      told("AD_GROUP", "days", "2026-07-31"),
      told("KEYWORD", "window", "2026-08-01"),
      told("KEYWORD", "days", "2026-08-02"),
    ];
    expect(ways(shape)).toEqual([
      `${org} CAMPAIGN REPORT day`,
      `${org} AD_GROUP REPORT day`,
      `${org} KEYWORD DAILY day`,
    ]);
    expect(searchAdsReport.partitions({ apps: [] })).toEqual([]);
  });

  test("stays the same for a quiet window, of which totals alone are told, and for one answer without days", () => {
    const byDay = `${org} KEYWORD DAILY day`;
    for (const shape of [
      [told("KEYWORD", "totals", "2026-08-02")],
      [told("KEYWORD", "days", "2026-08-01"), told("KEYWORD", "totals", "2026-08-28")],
      [told("KEYWORD", "days", "2026-08-01"), told("KEYWORD", "window", "2026-08-28")],
    ])
      expect(ways(shape, { levels: ["KEYWORD"] })).toEqual([byDay]);
    const undated = [told("KEYWORD", "window", "2026-08-01"), told("KEYWORD", "totals", "2026-08-02")];
    expect(ways(undated, { levels: ["KEYWORD"] })).toEqual([`${org} KEYWORD REPORT day`]);
    expect(normalise([{ spend: 0, date: "2026-08-01" }]).shape).toMatchObject([{ shape: "totals" }]);
    expect(normalise([]).shape).toEqual([]);
  });

  test("what an option changes stands in the scope, so that no answer overwrites another", () => {
    const chosen = { goals: [12], attributions: ["WITH", "ONLY"], currencies: ["USD", "EUR"], summaries: ["month"] };
    const scopes = searchAdsReport.partitions(found([]), { ...chosen, levels: ["APP"] }).map((one) => one.scope);
    expect(scopes).toHaveLength(16);
    expect(new Set(scopes.map(scopeKey)).size).toBe(16);
    const withGoal = scopes.find((one) => one["goal_id"] === "12" && one["attribution"] === "ONLY");
    expect(searchAdsReport.request(sliceOf({ scope: withGoal ?? {}, window }))).toEqual({
      reportType: "DAILY",
      reportLevel: "APP",
      startDate: "2026-08-01",
      endDate: "2026-08-04",
      orgIds: [40_669_820_000],
      reAttrType: "ONLY",
      currency: "USD",
      goalId: 12,
      appId: 42,
    });
  });

  test("no call spans more than a month, from whatever day of a leap year it starts", () => {
    const { range } = searchAdsReports;
    const longest = searchAdsReport.longestWindow ?? Number.POSITIVE_INFINITY;
    const asked = (of: Scope, start: Day, end: Day) =>
      addDays(day(String(searchAdsReport.request(sliceOf({ scope: of, window: { start, end } }))["endDate"])), 1);
    for (const start of daysOf({ start: day("2024-01-01"), end: day("2025-01-01") })) {
      expect(asked(scope, start, addDays(start, longest)) <= (latestEnd(range!, start) ?? "")).toBe(true);
      const month = periodOf({ months: 1 }, start);
      const report = { ...scope, report_type: "REPORT", grain: "month" };
      expect(asked(report, month.start, month.end)).toBe(latestEnd(range!, month.start));
    }
  });

  test("a day that is still to come is not asked for", () => {
    const { endDate } = searchAdsReport.request(sliceOf({ scope, window, asOf: day("2026-08-03") }));
    expect(endDate).toBe("2026-08-03");
  });
});

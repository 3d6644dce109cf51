import { describe, expect, test } from "vitest";
import { addDays, day } from "../../src/core/day.ts";
import { searchAdsReport } from "../../src/datasets/search-ads-report.ts";
import { sliceOf } from "../support/ingest-slice.ts";
import { org, scope, adGroup, normalise } from "../support/report-rows.ts";

test("a report is requested with all that its rows do not echo, one by days with the day after them", () => {
  const window = { start: day("2026-08-01"), end: day("2026-08-04") };
  const request = (more: Record<string, string> = {}) =>
    searchAdsReport.request(sliceOf({ scope: { ...scope, ...more }, window }));
  const byDay = {
    reportType: "DAILY",
    reportLevel: "AD_GROUP",
    startDate: "2026-08-01",
    endDate: "2026-08-04",
    orgIds: [Number(org)],
    reAttrType: "WITH",
    currency: "USD",
  };
  expect(request()).toEqual(byDay);
  // the shortest month is the most that a call from its first day on may span
  const start = day("2026-02-01");
  const longest = { start, end: addDays(start, searchAdsReport.longestWindow ?? 0) };
  expect(searchAdsReport.request(sliceOf({ scope, window: longest, asOf: longest.end }))).toMatchObject({
    endDate: longest.end,
  });
  const other = { report_type: "SUMMARY", grain: "week_summary", report_level: "KEYWORD" };
  expect(request({ ...other, attribution: "ONLY", currency: "EUR", goal_id: "12", goal_app: "42" })).toEqual({
    ...byDay,
    reportType: "SUMMARY",
    reportLevel: "KEYWORD",
    endDate: "2026-08-03",
    reAttrType: "ONLY",
    currency: "EUR",
    goalId: 12,
    appId: 42,
  });
});

describe("rows by day", () => {
  test("differ by country and the four segments, and keep what was requested", () => {
    const { rows, invalid } = normalise([
      adGroup,
      { ...adGroup, gender: "F" },
      { ...adGroup, country: "DE" },
      { ...adGroup, age: "18-24" },
      { ...adGroup, deviceClass: "IPAD" },
      { ...adGroup, customerType: "NEW" },
      { ...adGroup, date: "2026-08-02T00:00:00" },
    ]);
    expect(invalid).toEqual([]);
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

  test("of the day that was requested beside the window are left to its own slice; other days are rejects", () => {
    const { rows, invalid } = normalise([
      adGroup,
      { ...adGroup, date: "2026-08-04" },
      { ...adGroup, date: "2026-07-31" },
      { ...adGroup, date: "2026-08-05" },
    ]);
    expect(rows.map((row) => row["date_day"])).toEqual(["2026-08-01"]);
    expect(invalid.map(({ reason }) => reason)).toEqual([
      "a day that was not requested",
      "a day that was not requested",
    ]);
  });

  test("that only a field without a column distinguishes are all kept; the same row twice, on a page or on two, is one", () => {
    const odd = { ...adGroup, placement: "TODAY" };
    const { rows, invalid } = normalise([adGroup, odd, { ...adGroup, placement: "SEARCH" }], {
      pages: [{ tableData: [odd] }],
    });
    expect(invalid).toEqual([]);
    expect(new Set(rows.map((row) => row["segment"])).size).toBe(3);
    expect(rows.map((row) => row["extra"])).toEqual([null, '{"placement":"TODAY"}', '{"placement":"SEARCH"}']);
    expect(normalise([adGroup, adGroup]).rows).toMatchObject([{ segment: "" }]);
  });

  test("that only such a field distinguishes are the same ones on each day, in whichever form it comes, with any figures", () => {
    const odd = { ...adGroup, placement: "TODAY", placementId: 4, views: 7 };
    const nextDay = { views: 8, date: Date.UTC(2026, 7, 2) };
    const { rows } = normalise([adGroup, odd, { ...adGroup, ...nextDay }, { ...odd, ...nextDay }]);
    const today = '{"placement":"TODAY","placementId":4}';
    expect(rows.map((row) => [row["date_day"], row["segment"]])).toEqual([
      ["2026-08-01", "{}"],
      ["2026-08-01", today],
      ["2026-08-02", "{}"],
      ["2026-08-02", today],
    ]);
  });

  test("that say two things of one cell are not both taken, and the second is not lost", () => {
    const { rows, invalid } = normalise([adGroup, { ...adGroup, spend: 13 }]);
    expect(rows).toHaveLength(1);
    expect(invalid).toMatchObject([{ reason: "a second row with the same key", item: { spend: 13 } }]);
  });

  test("of another organisation are rejects, and a country that is none keeps its text", () => {
    const { rows, invalid } = normalise([
      { ...adGroup, orgId: "7" },
      { ...adGroup, country: "US,CA" },
    ]);
    expect(invalid.map(({ reason }) => reason)).toEqual(["an organisation that was not requested"]);
    expect(rows).toMatchObject([{ country_key: "ALL", extra: '{"country":"US,CA"}' }]);
  });
});

test("a country without a status is no reason to lose its row", () => {
  const { rows, invalid } = normalise([{ ...adGroup, countryWithStatus: { US: true, GB: null } }]);
  expect(invalid).toEqual([]);
  expect(rows).toMatchObject([{ country_statuses: '{"US":true,"GB":null}' }]);
});

test("a country in lower case is that country", () => {
  const { rows, invalid } = normalise([
    { ...adGroup, country: "us" },
    { ...adGroup, country: "de", spend: 13 },
  ]);
  expect(invalid).toEqual([]);
  expect(rows).toMatchObject([
    { country_key: "US", segment: "", extra: null },
    { country_key: "DE", segment: "", extra: null },
  ]);
});

describe("totals", () => {
  test("are marked, whether a page has them beside its rows or as a row without an id", () => {
    const { rows } = normalise([adGroup, { currency: "USD", spend: 99, date: "2026-08-01" }], {
      page: { grandTotals: { spend: 111.5, impressions: 200 } },
    });
    expect(rows.map((row) => [row["is_total"], row["spend"]])).toEqual([
      [false, 12.5],
      [true, 99],
      [true, 111.5],
    ]);
  });

  test("are rows that name their app alone, at the levels of campaigns and below", () => {
    const { orgId, appId, date } = adGroup;
    const none = { campaignId: null, adGroupId: "" };
    const totalAt = (level: string) =>
      normalise([adGroup, { orgId, appId, date, ...none, spend: 99 }], {
        scope: { ...scope, report_level: level },
      }).rows.map((row) => row["is_total"]);
    for (const level of ["CAMPAIGN", "AD_GROUP", "AD", "KEYWORD", "NEGATIVE", "SEARCH_TERM"])
      expect([level, totalAt(level)]).toEqual([level, [false, true]]);
    for (const level of ["APP", "CPP"]) expect([level, totalAt(level)]).toEqual([level, [false, false]]);
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
    const { rows, invalid } = normalise(
      [
        { ...adGroup, negativeKeywordId: 17 },
        { ...adGroup, negativeKeywordId: 18 },
      ],
      { scope: negative },
    );
    expect(invalid).toEqual([]);
    expect(rows).toMatchObject([
      { keyword_id: "17", segment: "", extra: null },
      { keyword_id: "18", segment: "", extra: null },
    ]);
  });

  test("of a level whose rows have no id of their own are identified by their place", () => {
    const account = { ...scope, report_level: "ACCOUNT" };
    const { rows, invalid } = normalise([{ spend: 5 }], { scope: account, page: { total: { spend: 5, taps: 1 } } });
    expect(invalid).toEqual([]);
    expect(rows.map((row) => row["is_total"])).toEqual([false, true]);
  });

  test("are all rows of a summary", () => {
    const summary = { ...scope, report_type: "SUMMARY", grain: "month" };
    const { rows } = normalise([{ spend: 5, currency: "USD" }, adGroup], { scope: summary });
    const stamped = { is_total: true, grain: "month", date_day: null, period_end: "2026-08-03" };
    expect(rows).toMatchObject([stamped, { ...stamped, ad_group_id: "542317095" }]);
  });
});

describe("rows without a day", () => {
  const { date: _, ...undated } = adGroup;

  test("of a report are stamped with the day or the period that was requested", () => {
    const of = (grain: string) => normalise([undated], { scope: { ...scope, report_type: "REPORT", grain } }).rows[0];
    expect(of("day")).toMatchObject({ date_day: "2026-08-01", grain: "day" });
    expect(of("month")).toMatchObject({ date_day: null, period_start: "2026-08-01", period_end: "2026-08-03" });
  });

  test("of a report by day are kept over all days that were requested, and never given to one", () => {
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
  ])("of a report by day are all rejects where several are about the same, with %s", (_reported, more) => {
    const other = { ...undated, adGroupId: 7 };
    const { rows, invalid, shape } = normalise([undated, other, { ...undated, ...more }]);
    expect(rows).toMatchObject([{ ad_group_id: "7", grain: "window" }]);
    expect(invalid).toHaveLength(2);
    expect(invalid[0]?.reason).toBe("several rows about the same thing, none with a day");
    // or days would never come from another kind of report
    expect(shape).toMatchObject([{ shape: "window" }]);
  });

  test("of a report by day that two pages have are one, as are totals that each page has", () => {
    const { rows, invalid } = normalise([undated], {
      page: { grandTotal: { spend: 12.5 } },
      pages: [{ tableData: [undated], grandTotal: { spend: 12.5 } }],
    });
    expect(invalid).toEqual([]);
    expect(rows.map((row) => row["is_total"])).toEqual([false, true]);
  });
});

test("the report of a week counts as changed if a count or a sum of money of a row has, in any order of the rows", () => {
  const week = { ...scope, report_type: "REPORT", grain: "week" };
  const [one, other] = [
    { ...adGroup, goalRevenue7: 3, goalCount1: 2, cpa: 4, defaultAmount: 1 },
    { ...adGroup, adGroupId: 7 },
  ];
  const digestOf = (...rows: readonly object[]) => normalise(rows, { scope: week }).weeks?.map((row) => row["digest"]);
  const known = digestOf(one, other);
  expect(known).toHaveLength(1);
  expect(digestOf(other, one)).toEqual(known);
  for (const rate of [{ cpa: 5 }, { defaultAmount: 2 }, { campaignName: "new" }])
    expect(digestOf({ ...one, ...rate }, other)).toEqual(known);
  for (const moved of [{ spend: 12.6 }, { taps: 8 }, { goalRevenue7: 4 }, { goalCount1: 3 }, { adGroupId: 8 }])
    expect(digestOf({ ...one, ...moved }, other)).not.toEqual(known);
});

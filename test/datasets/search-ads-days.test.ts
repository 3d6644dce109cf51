import { describe, expect, test } from "vitest";
import { searchAdsReports } from "../../src/api/operations/search-ads-report.ts";
import { latestEnd } from "../../src/api/range.ts";
import { addDays, day, type Day } from "../../src/core/day.ts";
import { periodOf } from "../../src/core/period.ts";
import type { Portfolio } from "../../src/core/portfolio.ts";
import { scopeKey, type Scope } from "../../src/core/slice.ts";
import { daysOf } from "../../src/core/window.ts";
import { searchAdsReport } from "../../src/datasets/search-ads-report.ts";
import { sliceOf } from "../support/ingest-slice.ts";
import { org, scope, window, normalise } from "../support/report-rows.ts";

describe("how days are fetched", () => {
  const found = (shape: readonly Scope[]): Portfolio => ({
    apps: [],
    sources: {
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

  test("is one report by day, and a report each where that had no days; nothing where nothing is connected", () => {
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
      `${org} CAMPAIGN REPORT week`,
      `${org} AD_GROUP REPORT day`,
      `${org} AD_GROUP REPORT week`,
      `${org} KEYWORD DAILY day`,
    ]);
    expect(searchAdsReport.partitions({ apps: [] })).toEqual([]);
  });

  test("stays the same for a quiet window, of which totals alone are reported, and for one answer without days", () => {
    const byDay = `${org} KEYWORD DAILY day`;
    for (const shape of [
      [told("KEYWORD", "totals", "2026-08-02")],
      [told("KEYWORD", "days", "2026-08-01"), told("KEYWORD", "totals", "2026-08-28")],
      [told("KEYWORD", "days", "2026-08-01"), told("KEYWORD", "window", "2026-08-28")],
    ])
      expect(ways(shape, { levels: ["KEYWORD"] })).toEqual([byDay]);
    const undated = [told("KEYWORD", "window", "2026-08-01"), told("KEYWORD", "totals", "2026-08-02")];
    expect(ways(undated, { levels: ["KEYWORD"] })).toEqual([`${org} KEYWORD REPORT day`, `${org} KEYWORD REPORT week`]);
    expect(normalise([{ spend: 0, date: "2026-08-01" }]).shape).toMatchObject([{ shape: "totals" }]);
    expect(normalise([]).shape).toEqual([]);
  });

  test("names the other way beside as long as nobody knows whether reports name days", () => {
    const known = [told("CAMPAIGN", "days", "2026-08-01"), told("AD_GROUP", "window", "2026-08-28")];
    const beside = searchAdsReport
      .partitions(found(known), {})
      .map(({ scope: one, otherwise }) => [
        one["report_level"],
        (otherwise?.partitions ?? []).map((other) => other.scope["grain"]),
      ]);
    expect(beside).toEqual([
      ["CAMPAIGN", []],
      ["AD_GROUP", []],
      ["AD_GROUP", []],
      ["KEYWORD", ["day", "week"]],
    ]);
  });

  test("requests days of a week again where its report has another digest than before, and at once where it ended lately or moved last night", () => {
    const week = (level: string, start: string, digest: string, seen: string): Scope => ({
      org_id: org,
      report_level: level,
      currency: "USD",
      attribution: "WITH",
      goal_id: "",
      period_start: start,
      digest,
      last_seen_on: seen,
    });
    const portfolio = found([told("KEYWORD", "window", "2026-08-01")]);
    const weeks = [
      week("KEYWORD", "2026-07-13", "a", "2026-08-20"),
      week("KEYWORD", "2026-07-20", "a", "2026-08-19"),
      week("KEYWORD", "2026-07-20", "b", "2026-08-20"),
      week("KEYWORD", "2026-08-10", "a", "2026-08-20"),
      week("KEYWORD", "2026-07-27", "a", "2026-08-18"),
      week("KEYWORD", "2026-07-27", "b", "2026-08-20"),
      week("CAMPAIGN", "2026-08-03", "a", "2026-08-18"),
      week("CAMPAIGN", "2026-08-03", "b", "2026-08-20"),
    ];
    const sources = { ...portfolio.sources, search_ads_report_week: weeks };
    const [days] = searchAdsReport.partitions({ ...portfolio, sources }, { levels: ["KEYWORD"] });
    expect(days?.timing).toMatchObject({
      kind: "period",
      lookbackDays: 7,
      moved: [
        { window: { start: "2026-07-20", end: "2026-07-27" }, since: "2026-08-21" },
        { window: { start: "2026-08-10", end: "2026-08-17" }, since: "2026-08-21" },
        { window: { start: "2026-07-27", end: "2026-08-03" }, since: "2026-08-19" },
      ],
    });
  });

  test("a weekly report has the same digest for the same figures in any order, and another one where a count or the money differs", () => {
    const weekly = { ...scope, report_type: "REPORT", grain: "week" };
    const digest = (...rows: readonly object[]) =>
      normalise(rows, { scope: weekly }).weeks?.map((one) => one["digest"]);
    const [one, other] = [
      { campaignId: 1, taps: 3, spend: 2 },
      { campaignId: 2, taps: 4, spend: 1, dailyBudget: 5 },
    ];
    expect(digest(one, other)).toHaveLength(1);
    expect(digest(other, one)).toEqual(digest(one, other));
    expect(digest(one, { ...other, dailyBudget: 6 })).toEqual(digest(one, other));
    expect(digest(one, { ...other, taps: 5 })).not.toEqual(digest(one, other));
    expect(digest(one, { ...other, spend: 1.5 })).not.toEqual(digest(one, other));
    expect(normalise([one], { scope: { ...weekly, grain: "day" } }).weeks).toEqual([]);
  });

  test("what an option changes is part of the scope, so that no answer overwrites another", () => {
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

  test("no call spans more than a month, from any day of a leap year", () => {
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

  test("a day that is still to come is not requested", () => {
    const { endDate } = searchAdsReport.request(sliceOf({ scope, window, asOf: day("2026-08-03") }));
    expect(endDate).toBe("2026-08-03");
  });
});

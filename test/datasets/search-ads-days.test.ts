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
      `${org} AD_GROUP REPORT day`,
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
    expect(ways(undated, { levels: ["KEYWORD"] })).toEqual([`${org} KEYWORD REPORT day`]);
    expect(normalise([{ spend: 0, date: "2026-08-01" }]).shape).toMatchObject([{ shape: "totals" }]);
    expect(normalise([]).shape).toEqual([]);
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

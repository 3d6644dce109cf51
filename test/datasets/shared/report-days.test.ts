import { describe, expect, test } from "vitest";
import { addDays, day } from "../../../src/core/day.ts";
import type { Portfolio } from "../../../src/core/portfolio.ts";
import type { Reach } from "../../../src/core/timing.ts";
import { daysUntilTotalsCount, knownDays, shapes } from "../../../src/datasets/shared/report-days.ts";
import { weekSums, withMovedWeeks } from "../../../src/datasets/shared/report-weeks.ts";

const who = { org_id: "7", report_level: "CAMPAIGN" };
const undated = day("2026-08-01");

describe("reports by day", () => {
  const known = (...found: readonly Record<string, string>[]) => {
    const portfolio: Portfolio = { apps: [], sources: { [shapes.name]: found.map((one) => ({ ...who, ...one })) } };
    return knownDays(who, portfolio);
  };
  const without = { shape: "window", period_end: undated };
  const withDays = (age: number) => ({ shape: "days", period_end: addDays(undated, -age) });

  test("lack days if none had any, or only one that is more than a call older than the newest without", () => {
    expect(known(without)).toBe("lack");
    expect(known(without, withDays(daysUntilTotalsCount))).toBe("have");
    expect(known(without, withDays(daysUntilTotalsCount + 1))).toBe("lack");
    expect(known(without, withDays(daysUntilTotalsCount + 1), withDays(0))).toBe("have");
  });

  test("are unknown before any report, and after totals alone", () => {
    expect(known()).toBe("unknown");
    expect(known({ shape: "totals", period_end: undated })).toBe("unknown");
    expect(known(withDays(0))).toBe("have");
  });

  test("of another organisation or level decide nothing", () => {
    expect(known({ ...without, org_id: "8" }, { ...without, report_level: "KEYWORD" })).toBe("unknown");
  });
});

describe("the days of a week", () => {
  const start = day("2026-06-01");
  const about = { ...who, currency: "USD", attribution: "WITH", goal_id: "" };
  /** The moved weeks by the days since the start of the week on which its digests were last seen. */
  const moved = (...seen: readonly number[]) => {
    const digests = seen.map((age) => ({
      ...about,
      period_start: start,
      digest: `d${age}`,
      last_seen_on: addDays(start, age),
    }));
    const portfolio: Portfolio = { apps: [], sources: { [weekSums.name]: digests } };
    const timing: Reach = { settleDays: 1, lookbackDays: 30, historyDays: 30 };
    return withMovedWeeks(timing, about, portfolio).moved;
  };
  const since = (age: number) => [{ window: { start, end: addDays(start, 7) }, since: addDays(start, age) }];

  test("are requested again each night for two weeks", () => {
    expect(moved(14)).toEqual(since(15));
    expect(moved(15)).toEqual([]);
  });

  test("are requested again after its sums have changed, once or each night", () => {
    expect(moved(20, 22)).toEqual(since(21));
    expect(moved(21, 22)).toEqual(since(23));
  });

  test("stay where its sums did not change", () => {
    expect(moved(22)).toEqual([]);
    expect(moved()).toEqual([]);
  });
});

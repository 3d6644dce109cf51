import { describe, expect, test } from "vitest";
import { freshnessAge, freshnessLimit } from "../../src/incidents/lateness.ts";

const hour = 3_600_000;
const reach = { settleDays: 1, lookbackDays: 0, historyDays: 30 };

describe("a dataset counts as late after what passes between two answers, a night and a day more", () => {
  test.each([
    ["one that is requested daily", { kind: "snapshot", refreshDays: 1 }, 30],
    ["one that is requested weekly", { kind: "snapshot", refreshDays: 7 }, 6 * 24 + 30],
    ["one of yesterday's days", { kind: "series", ...reach }, 24 + 30],
    ["one whose days are out after three days", { kind: "series", ...reach, settleDays: 3 }, 72 + 30],
    ["one whose days wait until seven are out", { kind: "series", ...reach, packDays: 7 }, 7 * 24 + 30],
    ["one of whole weeks", { kind: "period", ...reach, grid: { days: 7 } }, 7 * 24 + 30],
    ["one of whole months", { kind: "period", ...reach, grid: { months: 1 } }, 31 * 24 + 30],
  ] as const)("%s", (_, timing, hours) => {
    expect(freshnessLimit(timing)).toBe(hours * hour);
  });

  test("or after what the settings say", () => {
    expect(freshnessLimit({ kind: "snapshot", refreshDays: 7 }, { freshHours: 12 })).toBe(12 * hour);
  });

  test("and never where it is requested once, unless the settings say so", () => {
    expect(freshnessLimit({ kind: "snapshot", refreshDays: 3650 })).toBeNull();
    expect(freshnessLimit({ kind: "snapshot", refreshDays: 3650 }, { freshHours: 1 })).toBe(hour);
  });
});

describe("the age of a dataset", () => {
  test("counts from the end of its newest day", () => {
    expect(freshnessAge({ newestEnd: 5 * hour, plannedAt: 0 }, 7 * hour)).toBe(2 * hour);
  });
  test("counts from its first plan where nothing came", () => {
    expect(freshnessAge({ newestEnd: null, plannedAt: 3 * hour }, 7 * hour)).toBe(4 * hour);
  });
  test("is none while its day lasts", () => {
    expect(freshnessAge({ newestEnd: 24 * hour, plannedAt: 0 }, 7 * hour)).toBe(0);
  });
});

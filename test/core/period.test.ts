import { describe, expect, test } from "vitest";
import { day, daysBetween } from "../../src/core/day.ts";
import { keptFrom, periodOf, periodsTouching } from "../../src/core/period.ts";

const fortnight = { days: 14 };
const month = { months: 1 } as const;

describe("periods of days", () => {
  test("start on Mondays that do not depend on the day they are found by", () => {
    const found = new Set<string>();
    for (const held of ["2026-08-03", "2026-08-12", "2026-08-16"]) {
      const { start, end } = periodOf(fortnight, day(held));
      expect(new Date(`${start}T00:00:00Z`).getUTCDay()).toBe(1);
      expect(daysBetween(start, end)).toBe(14);
      found.add(start);
    }
    expect([...found]).toEqual(["2026-08-03"]);
  });

  test("follow one another without gap or overlap, also before the day they are counted from", () => {
    for (const start of ["2006-11-29", "2026-01-01"]) {
      const periods = periodsTouching(fortnight, { start: day(start), end: day(`${start.slice(0, 3)}7-03-01`) });
      expect(String(periods[0]?.start) <= start).toBe(true);
      for (const [index, period] of periods.entries())
        if (index > 0) expect(period.start).toBe(periods[index - 1]?.end);
      expect(periods.length).toBeGreaterThan(5);
    }
  });
});

describe("calendar months", () => {
  test("are 28 to 31 days long, as the month has them", () => {
    const lengths = ["2026-01-31", "2026-02-01", "2028-02-29", "2026-04-30"].map((held) => {
      const { start, end } = periodOf(month, day(held));
      return daysBetween(start, end);
    });
    expect(lengths).toEqual([31, 28, 29, 30]);
  });

  test("that share a day with a window are found, and no others", () => {
    const window = { start: day("2025-12-31"), end: day("2026-03-01") };
    expect(periodsTouching(month, window).map(({ start }) => start)).toEqual([
      "2025-12-01",
      "2026-01-01",
      "2026-02-01",
    ]);
  });
});

describe("rows that are kept", () => {
  test("begin with the first day of a month, so many whole months before the running one", () => {
    expect(keptFrom(day("2026-08-31"), 6)).toBe("2026-02-01");
    expect(keptFrom(day("2026-01-01"), 1)).toBe("2025-12-01");
  });

  test("have no first day where all are kept", () => {
    expect(keptFrom(day("2026-08-31"), undefined)).toBeNull();
  });
});

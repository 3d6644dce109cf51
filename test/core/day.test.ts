import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addDays, addMonths, day, dayOf, daysBetween, isDay, monthStart, type Day } from "../../src/core/day.ts";

const days = fc
  .integer({ min: Date.UTC(1990, 0) / 86_400_000, max: Date.UTC(2090, 0) / 86_400_000 })
  .map((count) => dayOf(count * 86_400_000));

test.each(["2026-03-31", "2028-02-29", "2000-02-29", "1999-12-31", "2011-12-30"])("%s is a day", (text) => {
  expect(day(text)).toBe(text);
});

test.each([
  "2026-02-29",
  "1900-02-29",
  "2026-04-31",
  "2026-13-01",
  "2026-00-10",
  "2026-01-00",
  "0000-01-01",
  "9999-12-31",
  "2026-1-1",
  "20260101",
  "2026-01-01T00:00:00",
  " 2026-01-01",
  "2026-01-01\n",
  "31.03.2026",
  "today",
  "",
])("%j is none", (text) => {
  expect(isDay(text)).toBe(false);
  expect(() => day(text)).toThrow(
    expect.objectContaining({ name: "UsageError", code: "bad_day", context: { value: text } }),
  );
});

test("the day of an instant is the one that UTC has", () => {
  expect(dayOf(Date.UTC(2026, 7, 19, 23, 59, 59, 999))).toBe("2026-08-19");
  expect(dayOf(Date.UTC(2026, 7, 20))).toBe("2026-08-20");
  expect(dayOf(new Date("2026-08-20T01:00:00+02:00"))).toBe("2026-08-19");
});

test("days are added over months, years and leap days", () => {
  expect([
    addDays(day("2026-12-31"), 1),
    addDays(day("2028-02-28"), 1),
    addDays(day("2027-02-28"), 1),
    addDays(day("2026-03-01"), -1),
    addDays(day("2026-08-20"), 0),
    addDays(day("2026-01-01"), 365),
  ]).toEqual(["2027-01-01", "2028-02-29", "2027-03-01", "2026-02-28", "2026-08-20", "2027-01-01"]);
});

test("months are added, cut to the last day of a shorter one", () => {
  expect([
    addMonths(day("2026-01-31"), 1),
    addMonths(day("2028-01-31"), 1),
    addMonths(day("2026-03-31"), -1),
    addMonths(day("2026-12-15"), 1),
  ]).toEqual(["2026-02-28", "2028-02-29", "2026-02-28", "2027-01-15"]);
});

test("a month starts with its first day", () => {
  expect(monthStart(day("2028-02-29"))).toBe("2028-02-01");
});

test("adding and counting days undo one another, and days order as texts", () => {
  fc.assert(
    fc.property(days, fc.integer({ min: -2000, max: 2000 }), (from, count) => {
      const to = addDays(from, count);
      expect(daysBetween(from, to)).toBe(count);
      expect(addDays(to, -count)).toBe(from);
      expect(Math.sign(count)).toBe(to === from ? 0 : to > from ? 1 : -1);
    }),
  );
});

describe("the machine's time zone", () => {
  const run = promisify(execFile);
  const root = path.resolve(import.meta.dirname, "../../src/core");
  const script = `
    const { addDays, addMonths, dayOf, daysBetween, isDay } = await import("${root}/day.ts");
    const { daysOf } = await import("${root}/window.ts");
    const { systemClock } = await import("${root}/clock.ts");
    const now = Date.UTC(2011, 11, 30, 10, 30);
    Date.now = () => now;
    const window = { start: "2011-03-10", end: "2012-11-10" };
    console.log(JSON.stringify({
      today: systemClock().today(),
      days: daysOf(window),
      months: daysOf(window).map((day) => addMonths(day, 1)),
      between: daysBetween(window.start, window.end),
      skipped: isDay("2011-12-30") && addDays("2011-12-29", 1),
      instants: Array.from({ length: 48 }, (_, hour) => dayOf(Date.UTC(2011, 11, 29, hour))),
    }));`;

  test.each(["UTC", "Pacific/Apia", "America/Los_Angeles", "Asia/Kathmandu"])(
    "%s changes nothing, not where clocks are turned and not where a day was skipped",
    async (TZ) => {
      const { stdout } = await run(process.execPath, ["--input-type=module", "-e", script], { env: { TZ } });
      const reported = JSON.parse(stdout) as Record<string, unknown> & { days: Day[]; months: Day[]; instants: Day[] };
      const all = reported.days.map(
        (text, index) => (Date.parse(text) - Date.parse("2011-03-10")) / 86_400_000 - index,
      );
      expect(new Set(all)).toEqual(new Set([0]));
      expect(
        new Set(reported.months.map((text, index) => text === addMonths(reported.days[index] ?? text, 1))),
      ).toEqual(new Set([true]));
      expect(reported).toMatchObject({ today: "2011-12-30", between: 611, skipped: "2011-12-30" });
      expect(reported.instants).toEqual([
        ...Array<string>(24).fill("2011-12-29"),
        ...Array<string>(24).fill("2011-12-30"),
      ]);
    },
  );
});

import { expect, test } from "vitest";
import { day } from "../../src/core/day.ts";
import { isFinalAnswer } from "../../src/gateway/freshness.ts";

const series = { kind: "series", settleDays: 1, lookbackDays: 3, historyDays: 30 } as const;
const snapshot = { kind: "snapshot", refreshDays: 7 } as const;
const today = day("2026-08-20");
const about = (start: string, end: string) => ({ start: day(start), end: day(end) });
const answer = {
  asOf: day("2026-08-10"),
  window: about("2026-08-01", "2026-08-02"),
  mayBeEmpty: false,
  isSnapshot: false,
};

test("a day is final once the source does not restate it, and an answer of nothing a day later", () => {
  const of = (asOf: string, mayBeEmpty = false) =>
    isFinalAnswer({ ...answer, asOf: day(asOf), mayBeEmpty }, [series], today);
  expect(["2026-08-04", "2026-08-05"].map((asOf) => of(asOf))).toEqual([false, true]);
  expect(["2026-08-05", "2026-08-06"].map((asOf) => of(asOf, true))).toEqual([false, true]);
});

test("an answer of today holds for the day, except about days that are not published yet", () => {
  const own = { ...answer, asOf: today };
  expect(isFinalAnswer({ ...own, window: about("2026-08-18", "2026-08-20") }, [series], today)).toBe(true);
  expect(isFinalAnswer({ ...own, window: about("2026-08-19", "2026-08-21") }, [series], today)).toBeNull();
  expect(isFinalAnswer({ ...own, window: null }, [series], today)).toBeNull();
  const slow = { ...series, settleDays: 3 };
  expect(isFinalAnswer({ ...own, window: about("2026-08-17", "2026-08-18") }, [slow], today)).toBe(true);
  expect(isFinalAnswer({ ...own, window: about("2026-08-17", "2026-08-19") }, [slow], today)).toBeNull();
});

test("what holds now is given for as long as the dataset takes it for young", () => {
  const of = (asOf: string) => isFinalAnswer({ ...answer, asOf: day(asOf), window: null }, [snapshot], today);
  expect(["2026-08-13", "2026-08-14"].map(of)).toEqual([false, true]);
});

test("of several datasets the strictest decides, and without one there is no word", () => {
  expect(isFinalAnswer(answer, [series, { ...series, lookbackDays: 9 }], today)).toBe(false);
  expect(isFinalAnswer(answer, [], today)).toBeNull();
  expect(isFinalAnswer({ ...answer, isSnapshot: true }, [series], today)).toBe(false);
});

import { describe, expect, test } from "vitest";
import { addDays, day } from "../../src/core/day.ts";
import {
  fewestCompared,
  isSampled,
  learnLookback,
  sampleEveryNights,
  wilsonUpper,
  withLearned,
  type AgeEvidence,
} from "../../src/plan/learn-lookback.ts";

const fixed = 30;
/** So many days of each age, of which those up to an age have moved. */
const evidence = (each: number, movesTo: number, more: Partial<Record<number, Partial<AgeEvidence>>> = {}) =>
  Array.from({ length: fixed }, (_, index) => {
    const age = index + 1;
    const moved = age <= movesTo ? each : 0;
    return { age, compared: each, moved, recentCompared: each / 5, recentMoved: moved / 5, ...more[age] };
  });

describe("the learned lookback", () => {
  test("ends with the age after which no day has moved", () => {
    expect(learnLookback(evidence(100, 7), fixed)).toMatchObject({ kind: "learned", days: 7, compared: 2300 });
    expect(learnLookback(evidence(100, 0), fixed)).toMatchObject({ kind: "learned", days: 0 });
    expect(learnLookback(evidence(100, fixed), fixed)).toEqual({ kind: "moves_to_the_end" });
  });

  test("is not known from few days, however still they are", () => {
    const few = Math.floor((fewestCompared - 1) / 23);
    expect(learnLookback(evidence(few, 7), fixed)).toEqual({ kind: "too_little", compared: few * 23 });
    expect(learnLookback([], fixed)).toEqual({ kind: "too_little", compared: 0 });
    expect(learnLookback(evidence(few + 1, 7), fixed)).toMatchObject({ kind: "learned", days: 7 });
  });

  test("bears a day in many that still moves, and not one in a hundred", () => {
    const once = (age: number, moved: number) => ({ [age]: { moved } });
    expect(learnLookback(evidence(100, 7, once(20, 5)), fixed)).toMatchObject({ days: 7 });
    expect(learnLookback(evidence(100, 7, once(20, 40)), fixed)).toMatchObject({ days: 20 });
  });

  test("is wider at once where older days have moved in the last weeks", () => {
    const habit = { 20: { recentMoved: 12, moved: 12 } };
    expect(learnLookback(evidence(1000, 7, { 20: { moved: 12 } }), fixed)).toMatchObject({ days: 7 });
    expect(learnLookback(evidence(1000, 7, habit), fixed)).toMatchObject({ days: 7 });
    expect(learnLookback(evidence(1000, 7, { 20: { recentMoved: 60, moved: 60 } }), fixed)).toMatchObject({ days: 20 });
  });

  test("has the bound of Wilson: the rule of three where nothing moved", () => {
    expect(wilsonUpper(0, 300)).toBeCloseTo(0.009, 3);
    expect(wilsonUpper(5, 100)).toBeCloseTo(0.0992, 3);
    expect(wilsonUpper(0, 0)).toBe(1);
    expect(wilsonUpper(100, 100)).toBe(1);
  });
});

describe("a timing with it", () => {
  const timing = { kind: "series", settleDays: 1, lookbackDays: fixed, historyDays: 90 } as const;
  const today = day("2026-08-20");
  const nights = Array.from({ length: 2 * sampleEveryNights }, (_, index) => addDays(today, index));

  test("requests the whole fixed lookback one night in fourteen, each partition on its own", () => {
    const sampled = (key: string) => nights.filter((night) => isSampled(key, night));
    expect(sampled("a")).toHaveLength(2);
    const [sample = today] = sampled("a");
    const other = withLearned(timing, 7, { key: "a", today: addDays(sample, 1) });
    expect(other).toEqual({ ...timing, lookbackDays: 7 });
    expect(withLearned(timing, 7, { key: "a", today: sample })).toEqual({
      ...timing,
      lookbackDays: 7,
      moved: [{ window: { start: addDays(sample, -31), end: addDays(sample, -8) }, since: sample }],
    });
    const keys = Array.from({ length: 200 }, (_, index) => `partition ${index}`);
    const tonight = keys.filter((key) => isSampled(key, today)).length;
    expect(tonight).toBeGreaterThan(5);
    expect(tonight).toBeLessThan(30);
  });

  test("stays as it is where it requests no more days again", () => {
    expect(withLearned({ ...timing, lookbackDays: 5 }, 7, { key: "a", today })).toEqual({ ...timing, lookbackDays: 5 });
  });
});

import { expect, test } from "vitest";
import { forecast, type ForecastInput } from "../../src/plan/forecast.ts";

const hour = 3_600_000;
const none = { credits: 0, requests: 0 };
const input: ForecastInput = {
  work: { snapshot: none, daily: none, lookback: none, history: none },
  floors: { snapshot: 0, daily: 0, lookback: 0.1, history: 0.2 },
  total: 1000,
  remaining: 1000,
  resetsAt: 10 * hour,
  periodMs: 24 * hour,
  requestsPerSecond: 2,
  now: 0,
  keptForNights: () => 0,
};

test("nothing to do is done at once", () => {
  expect(forecast(input)).toEqual({ periods: 1, doneAt: 0 });
});

test("work within the balance takes as long as the pace lets it", () => {
  const work = { ...input.work, daily: { credits: 300, requests: 100 } };
  expect(forecast({ ...input, work })).toEqual({ periods: 1, doneAt: 50_000 });
});

test("a backfill leaves its floor untouched and goes on after each reset", () => {
  // 800 of each period: 2,000 credits take this one, the next, and half of the one after
  const work = { ...input.work, history: { credits: 2000, requests: 200 } };
  expect(forecast({ ...input, work })).toEqual({ periods: 3, doneAt: 34 * hour + 20_000 });
});

test("a backfill leaves what the nights of each period take, and has no end if they take the whole allowance", () => {
  const work = { ...input.work, history: { credits: 2000, requests: 200 } };
  // 500 of each period instead of 800, and none of the first
  const keeping = (from: number) => (from === 0 ? 1000 : 500);
  expect(forecast({ ...input, work, keptForNights: keeping })).toEqual({ periods: 5, doneAt: 82 * hour + 25_000 });
  expect(forecast({ ...input, work, keptForNights: () => 1000 })).toBeNull();
  const newest = { ...input.work, daily: { credits: 1000, requests: 10 } };
  expect(forecast({ ...input, work: newest, keptForNights: () => 1000 })).toMatchObject({ periods: 1 });
});

test("classes go in order: what the dearer promise takes is not there for history", () => {
  const work = { ...input.work, daily: { credits: 900, requests: 90 }, history: { credits: 100, requests: 10 } };
  expect(forecast({ ...input, work })).toEqual({ periods: 2, doneAt: 10 * hour + 5_000 });
});

test("a class that can never be afforded has no end", () => {
  const work = { ...input.work, history: { credits: 900, requests: 1 } };
  expect(forecast({ ...input, work })).toBeNull();
});

test("a floor that is no whole credit is kept whole", () => {
  // a tenth of 1,001 is 100.1: of 1,001 credits 900 may be spent, not 901
  const allowance = { total: 1001, remaining: 1001 };
  const spending = (credits: number) => ({ ...input.work, lookback: { credits, requests: 1 } });
  expect(forecast({ ...input, ...allowance, work: spending(900) })).toEqual({ periods: 1, doneAt: 500 });
  expect(forecast({ ...input, ...allowance, work: spending(901) })).toBeNull();
  // 0.07 of 50,000 is a little more than 3,500 in a computer, and 3,500 in Postgres, which grants 46,500
  const floors = { ...input.floors, lookback: 0.07 };
  const larger = { total: 50_000, remaining: 50_000, floors };
  expect(forecast({ ...input, ...larger, work: spending(46_500) })).toEqual({ periods: 1, doneAt: 500 });
});

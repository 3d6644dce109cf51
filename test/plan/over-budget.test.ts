import { expect, test } from "vitest";
import { day } from "../../src/core/day.ts";
import type { CreditClass } from "../../src/core/slice.ts";
import { deferredWords } from "../../src/plan/budget-words.ts";
import { overBudget, type BudgetRoom } from "../../src/plan/over-budget.ts";

const room = (left: number, more: Partial<BudgetRoom> = {}): BudgetRoom => ({
  budget: "b",
  period: "day",
  credits: 100,
  datasets: null,
  apps: null,
  left,
  forNights: 0,
  nightsTakeAll: false,
  endsOn: day("2026-08-21"),
  ...more,
});
const work = (name: CreditClass, slices: number, credits: number, more = {}) => ({
  dataset: "review",
  class: name,
  app: "1",
  slices,
  requests: slices,
  credits,
  passes: false,
  ...more,
});

test("the newest days are paid for first, and of the rest as many slices as there is room for", () => {
  const budget = room(25);
  const { deferred, left } = overBudget([work("history", 10, 30), work("daily", 4, 20)], [budget]);
  expect(left).toEqual([{ ...budget, left: 2 }]);
  expect(deferred).toEqual([{ budget, slices: 9, credits: 27 }]);
  expect(overBudget([work("daily", 5, 25)], [budget]).deferred).toEqual([]);
});

test("what would be lost tonight passes, and takes the room of others", () => {
  const budget = room(10);
  const lines = [work("snapshot", 3, 30, { passes: true }), work("daily", 1, 5)];
  expect(overBudget(lines, [budget]).deferred).toEqual([{ budget, slices: 1, credits: 5 }]);
});

test("the budget with the least room decides, for what it is for", () => {
  const [wide, narrow, other] = [room(20), room(5, { budget: "n", apps: ["1"] }), room(0, { datasets: ["chart"] })];
  const lines = [work("daily", 4, 20), work("daily", 4, 20, { app: "2" })];
  expect(overBudget(lines, [wide, narrow, other]).deferred).toEqual([
    { budget: narrow, slices: 3, credits: 15 },
    { budget: wide, slices: 1, credits: 5 },
  ]);
});

test("of several budgets without room for one more slice, the one whose period ends last defers the rest", () => {
  const month = { budget: "m", period: "month", endsOn: day("2026-09-01") } as const;
  const [today, later] = [room(13), room(15, month)];
  const lines = [work("daily", 8, 80)];
  for (const budgets of [
    [today, later],
    [later, today],
  ])
    expect(overBudget(lines, budgets)).toMatchObject({
      deferred: [{ budget: later, slices: 7, credits: 70 }],
      putOff: [{ until: later.endsOn }],
    });
  const roomy = room(25, month);
  expect(overBudget(lines, [today, roomy])).toMatchObject({
    deferred: [{ budget: today, slices: 7 }],
    putOff: [{ until: today.endsOn }],
  });
  const [small, smaller] = [room(9, { credits: 9 }), room(5, { ...month, credits: 5 })];
  expect(overBudget(lines, [small, smaller])).toMatchObject({
    deferred: [{ budget: smaller, slices: 8, tooDear: { cost: 10 } }],
  });
});

test("work of which a single call costs more than a whole budget has waits until a person raises it, unless it exists for a time only", () => {
  const small = room(4, { credits: 4, datasets: ["review"] });
  const lines = [work("daily", 2, 10), work("history", 1, 5), work("snapshot", 1, 5)];
  expect(overBudget(lines, [small, room(100)])).toMatchObject({
    deferred: [
      { budget: small, slices: 1, credits: 5 },
      { budget: small, slices: 3, credits: 15, tooDear: { dataset: "review", cost: 5 } },
    ],
    putOff: [
      { class: "snapshot", slices: 1, credits: 5 },
      { class: "daily", slices: 2, credits: 10 },
      { class: "history", slices: 1, credits: 5 },
    ],
    left: [{ left: 4 }, { left: 100 }],
  });
  // each of the two calls of a slice is within the budget
  const { deferred } = overBudget([work("daily", 1, 6, { requests: 2 })], [small]);
  expect(deferred).toEqual([{ budget: small, slices: 1, credits: 6 }]);
});

test("what waits is named line by line, with the day on which its budget has room again", () => {
  const narrow = room(5, { budget: "n", apps: ["1"] });
  const { putOff } = overBudget([work("daily", 4, 20), work("daily", 4, 20, { app: "2" })], [narrow]);
  expect(putOff).toEqual([{ ...work("daily", 3, 15), until: narrow.endsOn }]);
});

test("history leaves the credits for nights, and says so; other work may use them", () => {
  const budget = room(25, { forNights: 10 });
  expect(overBudget([work("daily", 5, 25)], [budget]).deferred).toEqual([]);
  const { deferred } = overBudget([work("history", 10, 20)], [budget]);
  expect(deferred).toEqual([{ budget, slices: 3, credits: 6, forNights: 10 }]);
  expect(deferredWords(deferred)).toEqual([
    "The budget b (100 credits a day) has 25 credits left, of which history leaves 10 to the nights until then, and defers about 3 slices (6 credits) until 2026-08-21 (UTC).",
  ]);
  // the newest days of this work are those of the night
  expect(overBudget([work("daily", 2, 10), work("history", 8, 16)], [budget]).deferred).toMatchObject([
    { slices: 1, credits: 2 },
  ]);
  const starving = overBudget([work("history", 1, 2)], [room(25, { forNights: 100, nightsTakeAll: true })]);
  expect(deferredWords(starving.deferred)).toEqual([
    "The budget b (100 credits a day) has 25 credits left, of which history leaves 25 to the nights until then, and defers about 1 slice (2 credits) until 2026-08-21 (UTC); its nights take all of it, so history waits until it is raised.",
  ]);
});

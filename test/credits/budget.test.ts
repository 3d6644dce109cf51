import { expect, test } from "vitest";
import { createBudget } from "../../src/credits/budget.ts";

test("sets credits aside up to the limit and not one more", () => {
  const budget = createBudget(10);
  expect([budget.take(6), budget.take(5), budget.take(4), budget.take(1)]).toEqual([true, false, true, false]);
  expect(budget.left()).toBe(0);
});

test("what was set aside and not charged may be set aside again", () => {
  const budget = createBudget(10);
  budget.take(10);
  budget.settle(10, 3);
  expect(budget.left()).toBe(7);
  expect([budget.take(8), budget.take(7)]).toEqual([false, true]);
});

test("a call dearer than expected is taken out of what is left, below nothing if need be", () => {
  const budget = createBudget(10);
  budget.take(10);
  budget.settle(10, 13);
  expect(budget.left()).toBe(-3);
  expect(budget.take(1)).toBe(false);
  expect(budget.take(0)).toBe(false);
});

test("without a limit there is always more", () => {
  const budget = createBudget(null);
  expect(budget.take(1e12)).toBe(true);
  budget.settle(1e12, 2e12);
  expect(budget.left()).toBe(Number.POSITIVE_INFINITY);
});

test("a limit of nothing lets only free calls pass", () => {
  const budget = createBudget(0);
  expect([budget.take(0), budget.take(1)]).toEqual([true, false]);
});

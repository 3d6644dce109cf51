import { expect, test } from "vitest";
import { createRunLimit } from "../../src/credits/run-limit.ts";

test("sets credits aside up to the limit and not one more", () => {
  const limit = createRunLimit(10);
  expect([limit.take(6), limit.take(5), limit.take(4), limit.take(1)]).toEqual([true, false, true, false]);
  expect(limit.left()).toBe(0);
});

test("what was held and not charged may be held again", () => {
  const limit = createRunLimit(10);
  limit.take(10);
  limit.settle(10, 3);
  expect(limit.left()).toBe(7);
  expect([limit.take(8), limit.take(7)]).toEqual([false, true]);
});

test("a call dearer than expected is taken out of what is left, below nothing if need be", () => {
  const limit = createRunLimit(10);
  limit.take(10);
  limit.settle(10, 13);
  expect(limit.left()).toBe(-3);
  expect(limit.take(1)).toBe(false);
  expect(limit.take(0)).toBe(false);
});

test("without a limit there is always more", () => {
  const limit = createRunLimit(null);
  expect(limit.take(1e12)).toBe(true);
  limit.settle(1e12, 2e12);
  expect(limit.left()).toBe(Number.POSITIVE_INFINITY);
});

test("a limit of nothing lets only free calls pass", () => {
  const limit = createRunLimit(0);
  expect([limit.take(0), limit.take(1)]).toEqual([true, false]);
});

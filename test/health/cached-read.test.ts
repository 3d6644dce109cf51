import { expect, test } from "vitest";
import { createGlance } from "../../src/health/cached-read.ts";
import { clockAt } from "../support/watch-stage.ts";

/** A value that is read only when the test lets it, each reading a new number. */
function slowly() {
  let count = 0;
  const waiting: (() => void)[] = [];
  return {
    read: async () => {
      count += 1;
      const own = count;
      await new Promise<void>((resolve) => waiting.push(resolve));
      return own;
    },
    let: () => waiting.shift()?.(),
    readings: () => count,
  };
}

test("a value is read once for all who ask, and kept for a while", async () => {
  const clock = clockAt(0);
  const { read, let: letRead, readings } = slowly();
  const glance = createGlance(clock, read);
  const asked = [glance.get(), glance.get(), glance.get()];
  letRead();
  expect((await Promise.all(asked)).map((one) => one?.value)).toEqual([1, 1, 1]);
  clock.time = 9_000;
  expect((await glance.get())?.value).toBe(1);
  expect(readings()).toBe(1);
  clock.time = 11_000;
  const later = glance.get();
  letRead();
  expect((await later)?.value).toBe(2);
});

test("nobody waits longer than the patience: the last value is told while it is fresh enough, and then none", async () => {
  const clock = clockAt(0);
  const { read, let: letRead, readings } = slowly();
  const glance = createGlance(clock, read, { patienceMs: 5 });
  expect(await glance.get()).toBeNull();
  letRead();
  await new Promise((resolve) => setImmediate(resolve));
  clock.time = 20_000;
  expect((await glance.get())?.value).toBe(1);
  clock.time = 61_000;
  expect(await glance.get()).toBeNull();
  expect(readings()).toBe(2);
});

test("what takes long is read seldom", async () => {
  const clock = clockAt(0);
  let count = 0;
  const glance = createGlance(clock, async () => {
    clock.time += 10_000;
    return ++count;
  });
  await glance.get();
  clock.time += 199_000;
  expect((await glance.get())?.value).toBe(1);
  clock.time += 2_000;
  expect((await glance.get())?.value).toBe(2);
});

test("what cannot be read is none, and is read again", async () => {
  let fails = true;
  const glance = createGlance(clockAt(0), async () => {
    if (fails) throw new Error("away");
    return 1;
  });
  expect(await glance.get()).toBeNull();
  fails = false;
  expect((await glance.get())?.value).toBe(1);
});

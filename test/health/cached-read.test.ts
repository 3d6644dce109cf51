import { expect, test } from "vitest";
import { createCachedRead } from "../../src/health/cached-read.ts";
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

test("a value is read once for all callers, and cached for a while", async () => {
  const clock = clockAt(0);
  const { read, let: letRead, readings } = slowly();
  const cached = createCachedRead(clock, read);
  const pending = [cached.get(), cached.get(), cached.get()];
  letRead();
  expect((await Promise.all(pending)).map((one) => one?.value)).toEqual([1, 1, 1]);
  clock.time = 9_000;
  expect((await cached.get())?.value).toBe(1);
  expect(readings()).toBe(1);
  clock.time = 11_000;
  const later = cached.get();
  letRead();
  expect((await later)?.value).toBe(2);
});

test("no caller waits longer than the timeout: the cached value is served while it is fresh enough, and then none", async () => {
  const clock = clockAt(0);
  const { read, let: letRead, readings } = slowly();
  const cached = createCachedRead(clock, read, { timeoutMs: 5 });
  expect(await cached.get()).toBeNull();
  letRead();
  await new Promise((resolve) => setImmediate(resolve));
  clock.time = 20_000;
  expect((await cached.get())?.value).toBe(1);
  clock.time = 61_000;
  expect(await cached.get()).toBeNull();
  expect(readings()).toBe(2);
});

test("a slow read is cached longer", async () => {
  const clock = clockAt(0);
  let count = 0;
  const cached = createCachedRead(clock, async () => {
    clock.time += 10_000;
    return ++count;
  });
  await cached.get();
  clock.time += 199_000;
  expect((await cached.get())?.value).toBe(1);
  clock.time += 2_000;
  expect((await cached.get())?.value).toBe(2);
});

test("a failed read gives no value, and is repeated; each cause is reported once until a read succeeds", async () => {
  const clock = clockAt(0);
  let problem: string | null = "unavailable";
  const reported: string[] = [];
  const read = async () => {
    if (problem !== null) throw new Error(problem);
    return 1;
  };
  const cached = createCachedRead(clock, read, { onFailed: (one) => reported.push(one) });
  expect([await cached.get(), await cached.get()]).toEqual([null, null]);
  problem = "no right to it";
  expect(await cached.get()).toBeNull();
  expect(reported).toEqual(["unavailable", "no right to it"]);
  problem = null;
  expect((await cached.get())?.value).toBe(1);
  problem = "unavailable";
  clock.time += 120_000;
  expect(await cached.get()).toBeNull();
  expect(reported).toEqual(["unavailable", "no right to it", "unavailable"]);
});

test.each([
  ["back after it was read", 0, -3_600_000, 11_000],
  ["on while it was read", 8 * 3_600_000, 0, 2 * 3_600_000],
])("a value is read again soon where the clock was set %s", async (_, during, after, later) => {
  const clock = clockAt(10 * 3_600_000);
  let count = 0;
  const cached = createCachedRead(clock, () => {
    if (count === 0) clock.time += during;
    return Promise.resolve((count += 1));
  });
  await cached.get();
  clock.time += after + later;
  expect((await cached.get())?.value).toBe(2);
});

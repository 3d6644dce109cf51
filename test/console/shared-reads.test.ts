import { expect, test } from "vitest";
import { createSharedReads } from "../../src/console/shared-reads.ts";
import type { Clock } from "../../src/core/clock.ts";
import type { Database } from "../../src/postgres/database.ts";

const db = {} as Database;

function stage() {
  const clock = { time: 1_000_000, now: () => clock.time, today: () => "2026-11-22", sleep: () => Promise.resolve() };
  // a read that never ends is given up at once
  const reads = createSharedReads({ db, clock: clock as unknown as Clock, patienceMs: 1 });
  return { clock, reads };
}

test("all viewers of a key share one read, and a moment later they need none", async () => {
  const { clock, reads } = stage();
  let count = 0;
  const work = () => Promise.resolve((count += 1));
  const all = await Promise.all([reads.read("a", work), reads.read("a", work), reads.read("a", work)]);
  expect([all.map(({ value }) => value), count]).toEqual([[1, 1, 1], 1]);
  clock.time += 1_000;
  expect(await reads.read("a", work)).toEqual({ value: 1, readAt: 1_000_000, isOld: false });
  clock.time += 5_000;
  expect((await reads.read("a", work)).value).toBe(2);
});

test("what has changed is read anew", async () => {
  const { reads } = stage();
  let count = 0;
  const work = () => Promise.resolve((count += 1));
  await reads.read("a", work);
  reads.forget();
  expect((await reads.read("a", work)).value).toBe(2);
});

test("a slow database shows the older figures with their age, and nothing where there are none", async () => {
  const { clock, reads } = stage();
  await reads.read("a", () => Promise.resolve("old"));
  clock.time += 60_000;
  let begun = 0;
  const endless = () => ((begun += 1), new Promise<string>(() => undefined));
  expect(await reads.read("a", endless)).toEqual({ value: "old", readAt: 1_000_000, isOld: true });
  // the read under way is not joined by another one
  expect(await reads.read("a", endless)).toMatchObject({ isOld: true });
  expect(begun).toBe(1);
  await expect(reads.read("b", endless)).rejects.toMatchObject({ code: "console_slow" });
});

test("a read that fails shows the older figures, and is tried again", async () => {
  const { clock, reads } = stage();
  await expect(reads.read("a", () => Promise.reject(new Error("away")))).rejects.toThrow("away");
  await reads.read("a", () => Promise.resolve("old"));
  clock.time += 60_000;
  expect(await reads.read("a", () => Promise.reject(new Error("away")))).toMatchObject({ value: "old", isOld: true });
  expect(await reads.read("a", () => Promise.resolve("new"))).toMatchObject({ value: "new", isOld: false });
});

test("keys that nobody wants any longer are let go: a night of pages does not fill the memory", async () => {
  const { reads } = stage();
  let count = 0;
  const work = () => Promise.resolve((count += 1));
  for (let key = 0; key < 500; key += 1) await reads.read(String(key), work);
  await reads.read("499", work);
  expect(count).toBe(500);
  await reads.read("0", work);
  expect(count).toBe(501);
});

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

test("a slow read takes a tenth of the time at most, however often the ledger changes; a page wants it again when its time is over", async () => {
  const { clock, reads } = stage();
  let count = 0;
  const slow = () => ((clock.time += 1_000), Promise.resolve((count += 1)));
  await reads.read("a", slow);
  expect(reads.isDueAgain()).toBe(false);
  for (let changes = 0; changes < 4; changes += 1) {
    reads.forget();
    clock.time += 2_000;
    await reads.read("a", slow);
  }
  expect(await reads.read("a", slow)).toEqual({ value: 1, readAt: 1_001_000, isOld: true });
  expect(reads.isDueAgain()).toBe(false);
  clock.time += 2_000;
  expect([reads.isDueAgain(), reads.isDueAgain()]).toEqual([true, false]);
  expect(await reads.read("a", slow)).toMatchObject({ value: 2, isOld: false });
});

test("a read that always fails is not tried all the time: ten times as long as it took, and no longer than a person waits", async () => {
  const { clock, reads } = stage();
  let count = 0;
  const failing = (tookMs: number) => () => (
    (count += 1),
    (clock.time += tookMs),
    Promise.reject<number>(new Error("away"))
  );
  for (const [tookMs, waits] of [
    [500, 5_000],
    [5_000, 15_000],
  ] as const) {
    count = 0;
    await expect(reads.read("a", failing(tookMs))).rejects.toThrow("away");
    clock.time += waits - 1;
    await expect(reads.read("a", failing(tookMs))).rejects.toThrow("away");
    expect([count, reads.isDueAgain()]).toEqual([1, false]);
    clock.time += 1;
    expect(reads.isDueAgain()).toBe(true);
  }
  expect(await reads.read("a", () => Promise.resolve("new"))).toMatchObject({ value: "new", isOld: false });
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

test("keys that nobody wants any longer are dropped: a night of pages does not fill the memory", async () => {
  const { reads } = stage();
  let count = 0;
  const work = () => Promise.resolve((count += 1));
  for (let key = 0; key < 500; key += 1) await reads.read(String(key), work);
  await reads.read("499", work);
  expect(count).toBe(500);
  await reads.read("0", work);
  expect(count).toBe(501);
});

test("a change while a value is read has it read once more, however many want it", async () => {
  const { reads } = stage();
  const ends: (() => void)[] = [];
  let begun = 0;
  const work = () => ((begun += 1), new Promise<number>((resolve) => ends.push(() => resolve(ends.length))));
  const first = reads.read("a", work).catch(() => "given up");
  await Promise.resolve();
  reads.forget();
  const others = [1, 2, 3].map(() => reads.read("a", work).catch(() => "given up"));
  await Promise.all([first, ...others]);
  expect(begun).toBe(1);
  ends[0]?.();
  await new Promise(setImmediate);
  ends[1]?.();
  await new Promise(setImmediate);
  expect(begun).toBe(2);
});

test("large values are dropped as well: pages of a large account do not fill the memory", async () => {
  const { reads } = stage();
  let count = 0;
  const rows = () => Promise.resolve(Array.from({ length: 100_000 }, () => ({ a: (count += 1), b: 2 })));
  for (let key = 0; key < 10; key += 1) await reads.read(String(key), rows);
  const before = count;
  await reads.read("9", rows);
  expect(count).toBe(before);
  await reads.read("0", rows);
  expect(count).toBeGreaterThan(before);
});

test("beyond so many reads under way nobody waits for another one", async () => {
  const { reads } = stage();
  let begun = 0;
  const endless = () => ((begun += 1), new Promise<string>(() => undefined));
  const all = Array.from({ length: 80 }, (_, key) => reads.read(String(key), endless));
  const ended = await Promise.allSettled(all);
  expect(ended.every(({ status }) => status === "rejected")).toBe(true);
  expect(begun).toBe(64);
});

test("keys are distinguished however long they are", async () => {
  const { reads } = stage();
  const long = "x".repeat(5_000);
  await reads.read(`${long}1`, () => Promise.resolve("one"));
  expect(await reads.read(`${long}2`, () => Promise.resolve("two"))).toMatchObject({ value: "two" });
  expect(await reads.read(`${long}1`, () => Promise.resolve("none"))).toMatchObject({ value: "one" });
});

test.each([
  ["back after it was read", 0, -3_600_000, 3_000],
  ["on while it was read", 8 * 3_600_000, 0, 3_600_000],
])("what was read is read again soon where the clock was set %s", async (_, during, after, later) => {
  const { clock, reads } = stage();
  let count = 0;
  const work = () => {
    if (count === 0) clock.time += during;
    return Promise.resolve((count += 1));
  };
  await reads.read("a", work);
  clock.time += after + later;
  expect((await reads.read("a", work)).value).toBe(2);
});

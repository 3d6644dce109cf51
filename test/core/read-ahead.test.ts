import { expect, test } from "vitest";
import { gathered, readAhead } from "../../src/core/read-ahead.ts";

/** Numbers up to `last`, from 1. */
async function* upTo(last: number): AsyncGenerator<number> {
  for (let number = 1; number <= last; number += 1) yield number;
}

async function all<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const taken: T[] = [];
  for await (const item of items) taken.push(item);
  return taken;
}

test("groups are in order, each as heavy as is wanted, the last one lighter", async () => {
  expect(await all(gathered(upTo(7), { most: 3, weigh: () => 1 }))).toEqual([[1, 2, 3], [4, 5, 6], [7]]);
  expect(await all(gathered([9, 1, 1, 9], { most: 5, weigh: (item) => item }))).toEqual([[9], [1, 1, 9]]);
  expect(await all(gathered(upTo(0), { most: 3, weigh: () => 1 }))).toEqual([]);
});

test("an item that may not be in a group begins the next one", async () => {
  const mayJoin = (group: readonly number[], item: number) => !group.includes(item);
  expect(await all(gathered([1, 2, 1, 1], { most: 10, weigh: () => 1, mayJoin }))).toEqual([[1, 2], [1], [1]]);
});

test("the next item is read while the one before is in use, and no further one", async () => {
  const read: number[] = [];
  const reading = async (item: number) => {
    read.push(item);
    return item * 10;
  };
  const seen: unknown[] = [];
  for await (const item of readAhead(upTo(4), reading)) seen.push([item, [...read]]);
  expect(seen).toEqual([
    [10, [1, 2]],
    [20, [1, 2, 3]],
    [30, [1, 2, 3, 4]],
    [40, [1, 2, 3, 4]],
  ]);
});

test("an error comes in the place of its item", async () => {
  const reading = async (item: number) => {
    if (item === 3) throw new Error("no");
    return item;
  };
  const seen: number[] = [];
  const readAll = async () => {
    for await (const item of readAhead(upTo(5), reading)) seen.push(item);
  };
  await expect(readAll()).rejects.toThrow("no");
  expect(seen).toEqual([1, 2]);
});

import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createBatcher } from "../../src/core/batcher.ts";

/** A flush that waits until it is released, and says what it was given. */
function heldFlush() {
  const batches: number[][] = [];
  const gates: PromiseWithResolvers<void>[] = [];
  const flush = async (members: readonly number[]) => {
    batches.push([...members]);
    const gate = Promise.withResolvers<void>();
    gates.push(gate);
    await gate.promise;
    return members.map((member) => member * 10);
  };
  return { batches, flush, letGo: () => gates.shift()?.resolve() };
}

/** Lets everything run that waits for nothing: a batch is taken in the turn after the one in which its first member came. */
const settle = async () => {
  await nextTurn();
  await nextTurn();
};

test("who comes alone does not wait for others, and who comes meanwhile shares the next batch", async () => {
  const { batches, flush, letGo } = heldFlush();
  const put = createBatcher({ flush, most: 10 });
  const first = put(1);
  await settle();
  const rest = [2, 3, 4].map(put);
  await settle();
  expect(batches).toEqual([[1]]);
  letGo();
  await settle();
  expect(batches).toEqual([[1], [2, 3, 4]]);
  letGo();
  expect(await Promise.all([first, ...rest])).toEqual([10, 20, 30, 40]);
});

test("who comes in the same turn belongs to the first batch", async () => {
  const batches: number[][] = [];
  const put = createBatcher({
    flush: async (members: readonly number[]) => {
      batches.push([...members]);
      return members;
    },
    most: 10,
  });
  await Promise.all([1, 2, 3].map(put));
  expect(batches).toEqual([[1, 2, 3]]);
});

test("a batch holds no more than its weight, and a member that is too heavy goes alone", async () => {
  const batches: number[][] = [];
  const put = createBatcher({
    flush: async (members: readonly number[]) => {
      batches.push([...members]);
      return members;
    },
    most: 10,
    weigh: (member) => member,
  });
  expect(await Promise.all([4, 6, 1, 50, 2].map(put))).toEqual([4, 6, 1, 50, 2]);
  expect(batches).toEqual([[4, 6], [1], [50], [2]]);
});

test("only those that are alike share a batch, and nobody overtakes another", async () => {
  const batches: string[][] = [];
  const put = createBatcher({
    flush: async (members: readonly string[]) => {
      batches.push([...members]);
      return members;
    },
    most: 10,
    alike: (a: string, b: string) => a[0] === b[0],
  });
  await Promise.all(["a1", "a2", "b1", "a3"].map(put));
  expect(batches).toEqual([["a1", "a2"], ["b1"], ["a3"]]);
});

test("a bad member gets its own error, and the others their results", async () => {
  const flush = async (members: readonly number[]) => {
    if (members.includes(3)) throw new Error(`cannot do ${members.join(" ")}`);
    return members;
  };
  const ends = await Promise.allSettled([1, 2, 3, 4].map(createBatcher({ flush, most: 10 })));
  expect(ends.map((end) => (end.status === "fulfilled" ? end.value : String(end.reason)))).toEqual([
    1,
    2,
    "Error: cannot do 3",
    4,
  ]);
});

test("an error that says nothing of the members goes to all of them, and nothing is done twice", async () => {
  let calls = 0;
  const flush = async (): Promise<never> => {
    calls += 1;
    throw new Error("the connection broke");
  };
  const put = createBatcher({ flush, most: 10, failsAll: () => true });
  const ends = await Promise.allSettled([1, 2, 3].map(put));
  expect(ends.every(({ status }) => status === "rejected")).toBe(true);
  expect(calls).toBe(1);
});

test("goes on after an error", async () => {
  let broken = true;
  const flush = async (members: readonly number[]) => {
    if (broken) throw new Error("broken");
    return members;
  };
  const put = createBatcher({ flush, most: 10 });
  await expect(put(1)).rejects.toThrow("broken");
  broken = false;
  expect(await put(2)).toBe(2);
});

test("members of any weight, at any time, valid or not: each is done once and gets its own result", async () => {
  const member = fc.record({
    weight: fc.integer({ min: 1, max: 12 }),
    bad: fc.boolean(),
    turns: fc.integer({ min: 0, max: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(member, { maxLength: 30 }), async (members) => {
      const done: number[] = [];
      const put = createBatcher({
        flush: async (places: readonly number[]) => {
          await settle();
          if (places.some((place) => members[place]?.bad)) throw new Error(places.join());
          done.push(...places);
          return places;
        },
        most: 10,
        weigh: (place) => members[place]?.weight ?? 1,
      });
      const ends = await Promise.allSettled(
        members.map(async ({ turns }, place) => {
          for (let turn = 0; turn < turns; turn += 1) await settle();
          return put(place);
        }),
      );
      expect(ends.map((end) => end.status === "rejected")).toEqual(members.map(({ bad }) => bad));
      expect(ends.every((end, place) => end.status === "rejected" || end.value === place)).toBe(true);
      expect([...done].sort((a, b) => a - b)).toEqual(members.flatMap(({ bad }, place) => (bad ? [] : [place])));
    }),
    { numRuns: 50 },
  );
});

describe("a batch that lingers", () => {
  const never = 60_000;

  test("waits until there are enough members, of their weight", async () => {
    const { batches, flush, letGo } = heldFlush();
    const linger = { longestMs: never, isEnough: (weight: number) => weight >= 30 };
    const put = createBatcher({ flush, most: 100, weigh: (member) => member, linger });
    const ends = [10, 5].map(put);
    await settle();
    expect(batches).toEqual([]);
    ends.push(put(15));
    await settle();
    expect(batches).toEqual([[10, 5, 15]]);
    letGo();
    await Promise.all(ends);
  });

  test("does not wait when no other is to come", async () => {
    let coming = 2;
    const linger = { longestMs: never, isEnough: () => coming === 0 };
    const put = createBatcher({ flush: async (members: readonly number[]) => members, most: 100, linger });
    const ends = [1, 2].map((member) => {
      coming -= 1;
      return put(member);
    });
    expect(await Promise.all(ends)).toEqual([1, 2]);
  });

  test("goes on without those that do not come", async () => {
    const linger = { longestMs: 1, isEnough: () => false };
    const put = createBatcher({ flush: async (members: readonly number[]) => members, most: 100, linger });
    expect(await put(1)).toBe(1);
    expect(await put(2)).toBe(2);
  });
});

import { expect, test } from "vitest";
import { backoffMs, retry } from "../../src/core/retry.ts";

/** A clock that never waits and knows for how long it was to. */
function waits() {
  const waited: number[] = [];
  const sleep = async (ms: number, signal?: AbortSignal) => {
    waited.push(ms);
    signal?.throwIfAborted();
  };
  return { waited, clock: { sleep } };
}

test("waits double from the first, up to the longest", () => {
  const backoff = { firstMs: 100, longestMs: 500 };
  expect([1, 2, 3, 4, 5].map((failures) => backoffMs(backoff, failures))).toEqual([100, 200, 400, 500, 500]);
  expect(backoffMs({ firstMs: 100, factor: 1.5 }, 3)).toBe(225);
});

test("work that succeeds at last gives its result, with a wait before each further try", async () => {
  const { waited, clock } = waits();
  let tries = 0;
  const result = await retry({ clock, backoff: { firstMs: 10 }, again: () => true }, async () => {
    tries += 1;
    if (tries < 4) throw new Error("not yet");
    return tries;
  });
  expect({ result, waited }).toEqual({ result: 4, waited: [10, 20, 40] });
});

test("the error after which there is no other try is thrown, and what decides knows failures and wait", async () => {
  const { waited, clock } = waits();
  const requested: unknown[] = [];
  const again = (error: unknown, failures: number, waitMs: number) => {
    requested.push([(error as Error).message, failures, waitMs]);
    return failures < 2;
  };
  let tries = 0;
  const work = () => Promise.reject(new Error(`try ${(tries += 1)}`));
  await expect(retry({ clock, backoff: { firstMs: 10 }, again }, work)).rejects.toThrow("try 2");
  expect({ requested, waited }).toEqual({
    requested: [
      ["try 1", 1, 10],
      ["try 2", 2, 20],
    ],
    waited: [10],
  });
});

test("an abort during the wait ends it, and the work is not done once more", async () => {
  const stop = new AbortController();
  const sleep = async (_: number, signal?: AbortSignal) => {
    stop.abort();
    signal?.throwIfAborted();
  };
  let tries = 0;
  const work = () => Promise.reject(new Error(`try ${(tries += 1)}`));
  const options = { clock: { sleep }, backoff: { firstMs: 10 }, signal: stop.signal, again: () => true };
  await expect(retry(options, work)).rejects.toThrow("try 1");
});

test("work that succeeds at once gives its result after an abort too", async () => {
  const options = { ...waits(), backoff: { firstMs: 10 }, signal: AbortSignal.abort(), again: () => true };
  expect(await retry(options, async () => "done")).toBe("done");
});

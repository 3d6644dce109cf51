import { expect, test } from "vitest";
import { fail } from "../../src/core/errors.ts";
import { retryAround, retryDatabase } from "../../src/ingest/retry-database.ts";

/** What work needs that meets a full disk, which stopped all calls; its waits are noted. */
function outOfRoom() {
  const waits: number[] = [];
  const sleep = async (ms: number) => void waits.push(ms);
  return {
    waits,
    parts: {
      clock: { sleep } as never,
      retryMs: 1_000,
      halted: AbortSignal.abort(),
      stop: new AbortController().signal,
      abort: () => undefined,
      stoppedBy: () => fail("database_full"),
    },
  };
}

const broken = () => Object.assign(new Error("gone"), { code: "ECONNRESET" });

test("what was tried to the end within a work is not tried six times as often by the work around it", async () => {
  const { parts, waits } = outOfRoom();
  const inner = () => retryDatabase(parts, () => Promise.reject(broken()));
  await expect(retryAround(parts, inner)).rejects.toThrow("gone");
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000]);
});

test("a work around others is tried again after an error that these did not meet", async () => {
  const { parts } = outOfRoom();
  let tries = 0;
  const work = async () => {
    tries += 1;
    if (tries < 3) throw broken();
    return retryDatabase(parts, async () => tries);
  };
  expect(await retryAround(parts, work)).toBe(3);
});

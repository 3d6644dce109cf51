import { expect, test } from "vitest";
import { decidingWaitMs, verdictAfter } from "../../src/ledger/poison.ts";

test("only a slice that ran alone at three deaths of processes is poisoned, and it waits before the attempt that decides", () => {
  expect([0, 1, 2, 3, 4].map((deaths) => verdictAfter(deaths))).toEqual([
    { isPoisoned: false, waitMs: 0 },
    { isPoisoned: false, waitMs: 0 },
    { isPoisoned: false, waitMs: decidingWaitMs },
    { isPoisoned: true, waitMs: 0 },
    { isPoisoned: true, waitMs: 0 },
  ]);
  expect(verdictAfter(2, 5).waitMs).toBe(5);
});

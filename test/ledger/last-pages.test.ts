import { describe, expect, test } from "vitest";
import { day } from "../../src/core/day.ts";
import { scopeKey } from "../../src/core/slice.ts";
import { readLastPages } from "../../src/ledger/coverage.ts";
import { reprice } from "../../src/ledger/amend-slices.ts";
import { august, draft, ledgerForTests } from "../support/ledger-stage.ts";

describe("the pages of last answers", () => {
  const ledger = ledgerForTests();
  const week = { start: day("2026-08-01"), end: day("2026-08-08") };
  const japan = { store: "ios", app: "1", country: "JP" };
  const read = (...scopes: readonly (typeof japan)[]) => readLastPages(ledger.stage.db, "keyword_rank", scopes);
  const { scope, operation } = draft();
  const us = { store: "ios", app: "1", country: "US" };

  test("are those of the newest long answer, by scope and operation, with the number of their days", async () => {
    const { stage, worker } = ledger;
    const run = await stage.run();
    await stage.inState(run, "loaded", worker, draft({ window: week, requests: 4 }));
    // requested later, about older days
    await stage.inState(run, "loaded", worker, draft({ window: { ...week, end: day("2026-08-04") }, requests: 9 }));
    await stage.inState(run, "loaded", worker, draft({ window: august(2), operation: "other", requests: 2 }));
    await stage.inState(run, "empty", worker, draft({ scope: japan, window: august(3), requests: 1 }));
    const found = await read(us, japan);
    expect(Object.fromEntries(found.get(scopeKey(scope)) ?? [])).toEqual({
      [operation]: { count: 4, days: 7 },
      other: { count: 2, days: 1 },
    });
    expect(Object.fromEntries(found.get(scopeKey(japan)) ?? [])).toEqual({ [operation]: { count: 1, days: 1 } });
  });

  test("are those of the longest of the newest answers, and of equal ones those of the newest days", async () => {
    const { stage, worker } = ledger;
    const run = await stage.run();
    await stage.inState(run, "loaded", worker, draft({ window: week, requests: 4 }));
    const moved = { start: day("2026-08-02"), end: day("2026-08-09") };
    await stage.inState(run, "loaded", worker, draft({ window: moved, requests: 3 }));
    await stage.inState(run, "loaded", worker, draft({ window: august(12), requests: 1 }));
    expect(Object.fromEntries((await read(us)).get(scopeKey(scope)) ?? [])).toEqual({
      [operation]: { count: 3, days: 7 },
    });
  });

  test("are those of the restated days, however many nights have requested the newest ones since", async () => {
    const { stage, worker } = ledger;
    const run = await stage.run();
    for (let night = 0; night < 6; night += 1) {
      const start = day(`2026-08-1${night}`);
      const next = day(`2026-08-1${night + 4}`);
      await stage.inState(run, "loaded", worker, draft({ window: { start, end: next }, requests: 1 }));
      const restated = { start: day(`2026-07-1${night}`), end: start };
      await stage.inState(run, "loaded", worker, draft({ window: restated, requests: 2 }));
    }
    expect(Object.fromEntries((await read(us)).get(scopeKey(scope)) ?? [])).toEqual({
      [operation]: { count: 2, days: 31 },
    });
  });

  test("are not those of what waits or failed, nor of another dataset about the same", async () => {
    const { stage, worker } = ledger;
    const run = await stage.run();
    for (const [index, state] of (["pending", "running", "deferred", "skipped", "failed"] as const).entries())
      await stage.inState(run, state, worker, draft({ window: august(index + 1), requests: 5 }));
    await stage.inState(run, "loaded", worker, draft({ dataset: "other", window: august(9), requests: 5 }));
    expect((await read(us)).size).toBe(0);
  });

  test("are put right while an answer is read, by the attempt that has the slice and by no other", async () => {
    const { stage, worker } = ledger;
    const [id = ""] = await stage.insert(await stage.run(), draft({ requests: 1, credits: 200 }));
    const slice = await stage.claimed(id, worker);
    expect(await reprice(stage.db, slice, { requests: 3, credits: 600 })).toBe(true);
    expect(await reprice(stage.db, { ...slice, attempt: 0 }, { requests: 9, credits: 1800 })).toBe(false);
    expect(await stage.slices("planned_requests as requests, planned_credits as credits")).toEqual([
      { requests: 3, credits: 600 },
    ]);
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { dropBeyondLimit } from "../../src/ledger/unpaid-slices.ts";
import { reconcile } from "../../src/ledger/reconcile.ts";
import { august, draft, openLedgerStage, type LedgerStage } from "../support/ledger-stage.ts";

describe("dropBeyondLimit", () => {
  let stage: LedgerStage;

  beforeAll(async () => {
    stage = await openLedgerStage();
  });
  beforeEach(() => stage.reset());
  afterAll(() => stage[Symbol.asyncDispose]());

  /** Days of August at three credits each: newer ones go first. */
  const days = (...dates: readonly number[]) => dates.map((date) => draft({ window: august(date) }));
  const left = async () =>
    (await stage.slices("window_start::text as day")).map(({ day }) => Number(String(day).slice(-2)));

  test("leaves of a killed run what is left of its limit, in its turn, and forgets the rest", async () => {
    const run = await stage.run({ workerId: await stage.dead(), maxCredits: 6 });
    await stage.insert(run, ...days(16, 17, 18, 19));
    expect(await dropBeyondLimit(stage.db)).toBe(2);
    expect(await left()).toEqual([18, 19]);
  });

  test("counts a page that was under way at the end as charged", async () => {
    const killed = await stage.dead();
    const run = await stage.run({ workerId: killed, maxCredits: 6 });
    await stage.inState(run, "running", killed, ...days(19));
    await stage.insert(run, ...days(18));
    await reconcile(stage.db, 45_000);
    expect(await dropBeyondLimit(stage.db)).toBe(1);
    expect(await left()).toEqual([19]);
  });

  test("keeps what has an end, what a living run has, what had no limit, and what a plan has agreed to", async () => {
    const killed = await stage.dead();
    const limited = await stage.run({ workerId: killed, maxCredits: 0 });
    await stage.inState(limited, "loaded", killed, ...days(10));
    await stage.inState(limited, "deferred", killed, ...days(11));
    await stage.insert(await stage.run({ workerId: await stage.alive(), maxCredits: 0 }), ...days(12));
    await stage.insert(await stage.run({ workerId: killed }), ...days(13));
    expect(await dropBeyondLimit(stage.db)).toBe(1);
    expect(await left()).toEqual([10, 12, 13]);
  });
});

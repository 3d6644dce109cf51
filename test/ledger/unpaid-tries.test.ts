import { expect, test } from "vitest";
import { endUnpaidTries } from "../../src/ledger/retry-limits.ts";
import type { CreditClass } from "../../src/core/slice.ts";
import { keepPlan } from "../../src/ledger/plans.ts";
import { endAttempt } from "../../src/ledger/slices.ts";
import { august, draft, ending, ledgerForTests, now } from "../support/ledger-stage.ts";
import { planAt } from "../support/slice-draft.ts";

const ledger = ledgerForTests();

/** A slice of a day that failed and is tried again; it was planned to cost three credits. */
async function failed(run: string, day: number, creditClass: CreditClass = "history"): Promise<string> {
  const { stage, worker } = ledger;
  const [id = ""] = await stage.insert(run, draft({ window: august(day), class: creditClass }));
  const error = { code: "server_error", message: "500" };
  const failure = { ...ending, state: "failed", error, counts: true, dueAt: now } as const;
  await endAttempt(stage.db, await stage.claimed(id, worker), failure, now);
  return id;
}

/** The slices that are tried again once those that nothing pays for are not. */
async function triedAfter(creditsADay: number): Promise<readonly unknown[]> {
  await endUnpaidTries(ledger.stage.db, { account: "", creditsADay });
  const slices = await ledger.stage.slices("slice_id as id, due_at is not null as is_tried");
  return slices.filter(({ is_tried: isTried }) => isTried).map(({ id }) => id);
}

test("a failed slice that takes more than retries may cost on a day has no next try, and one of another account keeps its own", async () => {
  const { stage } = ledger;
  const [own, foreign] = [await failed(await stage.run(), 1), await failed(await stage.run({ account: "acme" }), 2)];
  expect(await triedAfter(3)).toEqual([own, foreign]);
  expect(await triedAfter(2)).toEqual([foreign]);
});

test("a snapshot that failed has its next try on its day, also if it is dearer than the limit of a day, unless that is 0", async () => {
  const snapshot = await failed(await ledger.stage.run(), 1, "snapshot");
  expect(await triedAfter(1)).toEqual([snapshot]);
  expect(await triedAfter(0)).toEqual([]);
});

test("a failed slice of a plan has no next try once the plan's price does not pay for it and nothing else of the plan is open", async () => {
  const { stage } = ledger;
  const planId = await keepPlan(stage.db, planAt(9, 3), now);
  const ofPlan = await stage.run({ kind: "backfill", workerId: await stage.dead(), planId });
  const [unpaid, other] = [await failed(ofPlan, 1), await failed(await stage.run(), 2)];
  const [open = ""] = await stage.insert(ofPlan, draft({ window: august(3), class: "history" }));
  /** A call without a reply, which may have been charged: its price stays taken. */
  const loseReply = () => stage.pool.query("update ops.plan set taken_credits = taken_credits + 3");
  for (let lost = 1; lost <= 3; lost += 1) {
    expect(await triedAfter(500)).toEqual([unpaid, other]);
    await loseReply();
  }
  expect(await triedAfter(500)).toEqual([unpaid, other]);
  await stage.pool.query("delete from ops.slice where slice_id = $1", [open]);
  expect(await triedAfter(500)).toEqual([other]);
});

import { expect, test } from "vitest";
import { cancelPlan, endedWords, returnToFailed } from "../../src/ledger/end-stopped.ts";
import { endAttempt } from "../../src/ledger/slices.ts";
import { keepPlan } from "../../src/ledger/plans.ts";
import { august, draft, ending, ledgerForTests, now } from "../support/ledger-stage.ts";
import { planAt } from "../support/slice-draft.ts";

const ledger = ledgerForTests();

test.each(["credits_exhausted", "budget_exhausted", "run_limit_spent"])(
  "a slice of a stopped retry that waited for credits (%s) is requested again automatically",
  async (code) => {
    const { stage, worker } = ledger;
    const run = await stage.run({ kind: "retry" });
    const [id = ""] = await stage.insert(run, draft());
    const deferred = { ...ending, state: "deferred", error: { code, message: "" }, dueAt: now + 1 } as const;
    await endAttempt(stage.db, await stage.claimed(id, worker), deferred, now);
    expect(await returnToFailed(stage.db, run, now)).toBe(1);
    expect(await stage.slices("state, error_code as code, due_at is not null as is_tried")).toEqual([
      { state: "failed", code, is_tried: true },
    ]);
  },
);

test("a cancelled plan says what is missing again, and what a retry has to finish because its first pages are paid for", async () => {
  const { stage } = ledger;
  const planId = await keepPlan(stage.db, planAt(9), now);
  const run = await stage.run({ kind: "backfill", planId });
  const [landed = ""] = await stage.insert(run, draft({ window: august(1) }), draft({ window: august(2) }));
  await stage.land(landed);
  const ended = await cancelPlan(stage.db, planId);
  expect(ended).toEqual({ cancelled: 1, failed: 1 });
  expect(endedWords(`of plan ${planId}`, ended)).toEqual([
    `1 slice of plan ${planId} is cancelled, and missing again.`,
    `1 slice of plan ${planId} with stored pages is failed now: \`storehouse retry\` fetches pages that are missing or could not be read.`,
  ]);
  expect(await stage.slices("state, error_code as code")).toEqual([{ state: "failed", code: "stopped" }]);
  expect(await cancelPlan(stage.db, planId)).toEqual({ cancelled: 0, failed: 0 });
});

test("a slice that waits for a replay alone stays when its plan is cancelled or its retry is stopped: its answer is stored and paid for", async () => {
  const { stage, worker } = ledger;
  const planId = await keepPlan(stage.db, planAt(9), now);
  const error = { code: "being_replayed", message: "a replay rebuilds the dataset" };
  const runs = [await stage.run({ kind: "backfill", planId }), await stage.run({ kind: "retry" })];
  for (const [place, run] of runs.entries()) {
    const [id = ""] = await stage.insert(run, draft({ window: august(place + 1) }));
    const claimed = await stage.claimed(id, worker);
    await stage.land(id);
    await endAttempt(stage.db, claimed, { ...ending, state: "pending", error, dueAt: now + 1 }, now);
  }
  expect(await cancelPlan(stage.db, planId)).toEqual({ cancelled: 0, failed: 0 });
  expect(await returnToFailed(stage.db, runs[1] ?? "", now)).toBe(0);
  const waits = { state: "pending", code: error.code, is_due_later: true };
  expect(await stage.slices("state, error_code as code, due_at is not null as is_due_later")).toEqual([waits, waits]);
});

import { expect, test } from "vitest";
import { endUnpaidTries } from "../../src/ledger/later-tries.ts";
import { keepPlan } from "../../src/ledger/plans.ts";
import { endAttempt } from "../../src/ledger/slices.ts";
import { august, draft, ending, ledgerForTests, now } from "../support/ledger-stage.ts";
import { planAt } from "../support/slice-draft.ts";

const ledger = ledgerForTests();

test("a failed slice of a plan has no next try once the plan's price does not pay for it and nothing else of the plan is open", async () => {
  const { stage, worker } = ledger;
  const planId = await keepPlan(stage.db, planAt(9, 3), now);
  const ofPlan = await stage.run({ kind: "backfill", workerId: await stage.dead(), planId });
  const failed = async (run: string, day: number) => {
    const [id = ""] = await stage.insert(run, draft({ window: august(day), class: "history" }));
    const error = { code: "server_error", message: "500" };
    const failure = { ...ending, state: "failed", error, counts: true, dueAt: now } as const;
    await endAttempt(stage.db, await stage.claimed(id, worker), failure, now);
    return id;
  };
  const [unpaid, other] = [await failed(ofPlan, 1), await failed(await stage.run(), 2)];
  const [open = ""] = await stage.insert(ofPlan, draft({ window: august(3), class: "history" }));
  /** A call without a reply, which may have been charged. */
  const loseReply = () =>
    stage.pool.query(
      `insert into ops.request (account_id, slice_id, attempt, page, class, operation, params, error_code, cost, duration_ms, byte_count, received_at)
       values ('any', $1, 1, 0, 'history', 'any', '{}', 'timeout', 0, 0, 0, $2)`,
      [unpaid, new Date(now)],
    );
  const tried = async () => {
    await endUnpaidTries(stage.db);
    return (await stage.slices("slice_id as id, due_at is not null as is_tried"))
      .filter(({ is_tried: isTried }) => isTried)
      .map(({ id }) => id);
  };
  for (let lost = 1; lost <= 3; lost += 1) {
    expect(await tried()).toEqual([unpaid, other]);
    await loseReply();
  }
  expect(await tried()).toEqual([unpaid, other]);
  await stage.pool.query("delete from ops.slice where slice_id = $1", [open]);
  expect(await tried()).toEqual([other]);
});

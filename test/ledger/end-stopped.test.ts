import { expect, test } from "vitest";
import { returnToFailed } from "../../src/ledger/end-stopped.ts";
import { endAttempt } from "../../src/ledger/slices.ts";
import { draft, ending, ledgerForTests, now } from "../support/ledger-stage.ts";

const ledger = ledgerForTests();

test.each(["credits_exhausted", "budget_exhausted", "budget_spent"])(
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

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { closeRun, enqueue } from "../../src/ledger/runs.ts";
import { endAttempt } from "../../src/ledger/slices.ts";
import { readStatus } from "../../src/ledger/status.ts";
import { august, draft, ending, now, openLedgerStage, type LedgerStage } from "../support/ledger-stage.ts";

describe("readStatus", () => {
  let stage: LedgerStage;
  let worker: string;

  beforeAll(async () => {
    stage = await openLedgerStage();
  });

  beforeEach(async () => {
    await stage.reset();
    worker = await stage.alive();
  });

  afterAll(() => stage[Symbol.asyncDispose]());

  test("is empty before anything was planned", async () => {
    expect(await readStatus(stage.db)).toEqual({ datasets: [], lastRun: null, troubles: [] });
  });

  test("counts the slices of each dataset by state, and the days that were answered", async () => {
    const run = await stage.run();
    const states = ["failed", "loaded", "loaded", "empty", "skipped", "deferred", "running", "pending"] as const;
    for (const [index, state] of states.entries())
      await stage.inState(run, state, worker, draft({ window: august(index + 1) }));
    await stage.inState(run, "pending", worker, draft({ dataset: "another" }));
    const none = { pending: 0, running: 0, deferred: 0, loaded: 0, empty: 0, skipped: 0, failed: 0 };
    expect((await readStatus(stage.db)).datasets).toEqual([
      { ...none, dataset: "another", pending: 1, firstDay: null, lastDay: null, lastEndedAt: null },
      {
        dataset: "keyword_rank",
        pending: 1,
        running: 1,
        deferred: 1,
        loaded: 2,
        empty: 1,
        skipped: 1,
        failed: 1,
        firstDay: "2026-08-02",
        lastDay: "2026-08-04",
        lastEndedAt: new Date(now),
      },
    ]);
  });

  test("shows the latest run", async () => {
    await stage.run();
    const run = await stage.run({ kind: "retry" });
    await enqueue(stage.db, run, "task", [draft(), draft({ window: august(1) })], now);
    expect((await readStatus(stage.db)).lastRun).toEqual({
      runId: run,
      kind: "retry",
      startedAt: new Date(now),
      endedAt: null,
      outcome: null,
      plannedSlices: 2,
      plannedCredits: 6,
    });
    await closeRun(stage.db, run, "loaded", now + 5);
    expect((await readStatus(stage.db)).lastRun).toMatchObject({ endedAt: new Date(now + 5), outcome: "loaded" });
  });

  test("groups what went wrong by dataset, state and reason, with an example, and forgets what went well since", async () => {
    const run = await stage.run();
    const ends = [
      { state: "failed", error: { code: "timeout", message: "no answer for a" } },
      { state: "failed", error: { code: "timeout", message: "no answer for b" } },
      { state: "skipped", error: { code: "bad_request", message: "refused" } },
      { state: "deferred", error: { code: "credits_exhausted", message: "later" } },
      { state: "loaded", error: null },
    ] as const;
    const ids = await stage.insert(run, ...ends.map((_, index) => draft({ window: august(index + 1) })));
    for (const [index, end] of ends.entries())
      await endAttempt(stage.db, await stage.claimed(ids[index]!, worker), { ...ending, ...end }, now);
    expect((await readStatus(stage.db)).troubles).toEqual([
      { dataset: "keyword_rank", state: "deferred", code: "credits_exhausted", slices: 1, example: "later" },
      { dataset: "keyword_rank", state: "failed", code: "timeout", slices: 2, example: "no answer for a" },
      { dataset: "keyword_rank", state: "skipped", code: "bad_request", slices: 1, example: "refused" },
    ]);
    await endAttempt(stage.db, await stage.claimed(ids[3]!, worker), ending, now);
    expect((await readStatus(stage.db)).troubles.map(({ state }) => state)).toEqual(["failed", "skipped"]);
  });
});

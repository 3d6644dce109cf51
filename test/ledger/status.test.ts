import { describe, expect, test } from "vitest";
import { fail } from "../../src/core/errors.ts";
import { closeRun } from "../../src/ledger/runs.ts";
import { reopen } from "../../src/ledger/reopen.ts";
import { endAttempt, type Ending } from "../../src/ledger/slices.ts";
import { readStatus } from "../../src/ledger/status.ts";
import { august, draft, ending, now, ledgerForTests } from "../support/ledger-stage.ts";
import { enqueue } from "../support/queue-steps.ts";

describe("readStatus", () => {
  const ledger = ledgerForTests();

  /** Slices of a run, one a day, each ended in its way. */
  async function endedDayByDay(run: string, ends: readonly Partial<Ending>[]): Promise<readonly string[]> {
    const ids = await ledger.stage.insert(run, ...ends.map((_, index) => draft({ window: august(index + 1) })));
    for (const [index, id] of ids.entries())
      await endAttempt(
        ledger.stage.db,
        await ledger.stage.claimed(id, ledger.worker),
        { ...ending, ...ends[index] },
        now,
      );
    return ids;
  }

  test("is empty before anything was planned", async () => {
    expect(await readStatus(ledger.stage.db)).toEqual({
      datasets: [],
      lastRun: null,
      troubles: [],
      failedForNow: 0,
      nextTryAt: null,
    });
  });

  test("counts the slices of each dataset by state, and the days that were answered", async () => {
    const run = await ledger.stage.run();
    const states = ["failed", "loaded", "loaded", "empty", "skipped", "deferred", "running", "pending"] as const;
    for (const [index, state] of states.entries())
      await ledger.stage.inState(run, state, ledger.worker, draft({ window: august(index + 1) }));
    await ledger.stage.inState(run, "pending", ledger.worker, draft({ dataset: "another" }));
    const none = { pending: 0, running: 0, deferred: 0, loaded: 0, empty: 0, skipped: 0, failed: 0, rejects: 0 };
    expect((await readStatus(ledger.stage.db)).datasets).toEqual([
      { ...none, dataset: "another", pending: 1, firstDay: null, lastDay: null, listsPortfolio: false },
      {
        dataset: "keyword_rank",
        pending: 1,
        running: 1,
        deferred: 1,
        loaded: 2,
        empty: 1,
        skipped: 1,
        failed: 1,
        rejects: 0,
        firstDay: "2026-08-02",
        lastDay: "2026-08-04",
        listsPortfolio: false,
      },
    ]);
  });

  test("counts rows that did not fit, also those of slices that are loaded", async () => {
    const run = await ledger.stage.run();
    const ends = [
      { state: "loaded", rowsLoaded: 7, rowsRejected: 2 },
      { state: "failed", rowsRejected: 3 },
      { state: "loaded", rowsLoaded: 9 },
    ] as const;
    await endedDayByDay(run, ends);
    expect((await readStatus(ledger.stage.db)).datasets).toMatchObject([{ loaded: 2, failed: 1, rejects: 5 }]);
    const { rows } = await ledger.stage.pool.query(
      "select date_day::text as day, loaded_count::int as loaded, partial_count::int as partial, failed_count::int as failed from ops.coverage_daily order by 1",
    );
    expect(rows).toEqual([
      { day: "2026-08-01", loaded: 1, partial: 1, failed: 0 },
      { day: "2026-08-02", loaded: 0, partial: 0, failed: 1 },
      { day: "2026-08-03", loaded: 1, partial: 0, failed: 0 },
    ]);
  });

  test("shows the latest run", async () => {
    await ledger.stage.run();
    const run = await ledger.stage.run({ kind: "retry" });
    await enqueue(ledger.stage.db, run, [draft(), draft({ window: august(1) })], now);
    expect((await readStatus(ledger.stage.db)).lastRun).toEqual({
      account: "",
      runId: run,
      kind: "retry",
      startedAt: new Date(now),
      endedAt: null,
      outcome: null,
      error: null,
      plannedSlices: 2,
      plannedCredits: 6,
      bookedCredits: 0,
    });
    await closeRun(ledger.stage.db, run, "loaded", { now: now + 5 });
    expect((await readStatus(ledger.stage.db)).lastRun).toMatchObject({
      endedAt: null,
      outcome: "unfinished",
    });
  });

  test("passes over a retry that found nothing to do", async () => {
    const run = await ledger.stage.run();
    await endedDayByDay(run, [{ state: "failed", error: { code: "timeout", message: "no answer" } }]);
    await closeRun(ledger.stage.db, run, "aborted", { now });
    await closeRun(ledger.stage.db, await ledger.stage.run({ kind: "retry" }), "loaded", { now });
    expect((await readStatus(ledger.stage.db)).lastRun).toMatchObject({ runId: run, outcome: "aborted" });
    const retry = await ledger.stage.run({ kind: "retry" });
    await reopen(ledger.stage.db, { datasets: ["keyword_rank"], runId: retry });
    await closeRun(ledger.stage.db, retry, "loaded", { now });
    const asPlanned = { plannedSlices: 1, plannedCredits: draft().credits };
    expect((await readStatus(ledger.stage.db)).lastRun).toMatchObject({ runId: retry, kind: "retry", ...asPlanned });
  });

  test("groups what went wrong by dataset, state and reason, with an example, and forgets what went well since", async () => {
    const run = await ledger.stage.run();
    const ends = [
      { state: "failed", error: { code: "timeout", message: "no answer for a" } },
      { state: "failed", error: { code: "timeout", message: "no answer for b" } },
      { state: "skipped", error: { code: "bad_request", message: "refused" } },
      { state: "deferred", error: { code: "credits_exhausted", message: "later" } },
      { state: "loaded", error: null },
    ] as const;
    const ids = await endedDayByDay(run, ends);
    expect((await readStatus(ledger.stage.db)).troubles).toEqual([
      {
        account: "",
        dataset: "keyword_rank",
        state: "deferred",
        code: "credits_exhausted",
        slices: 1,
        example: "later",
      },
      { account: "", dataset: "keyword_rank", state: "failed", code: "timeout", slices: 2, example: "no answer for a" },
      { account: "", dataset: "keyword_rank", state: "skipped", code: "bad_request", slices: 1, example: "refused" },
    ]);
    // its time has come: credits are there again, and what it waited for says nothing of it any more
    await ledger.stage.pool.query("update ops.slice set state = 'pending', due_at = null where slice_id = $1", [
      ids[3],
    ]);
    expect((await readStatus(ledger.stage.db)).troubles.map(({ state }) => state)).toEqual(["failed", "skipped"]);
    await endAttempt(ledger.stage.db, await ledger.stage.claimed(ids[3]!, ledger.worker), ending, now);
    expect((await readStatus(ledger.stage.db)).troubles.map(({ state }) => state)).toEqual(["failed", "skipped"]);
  });

  test("names each budget that slices of a dataset wait for", async () => {
    const run = await ledger.stage.run();
    const waiting = ([budget, taken]: readonly [string, number]) => {
      const { code, message } = fail("budget_exhausted", {
        budget,
        period: "day",
        credits: 90,
        taken,
        cost: 2,
        until: now,
      });
      return { state: "deferred", error: { code, message } } as const;
    };
    await endedDayByDay(
      run,
      (
        [
          ["ranks", 89],
          ["one", 90],
          ["ranks", 90],
        ] as const
      ).map(waiting),
    );
    expect((await readStatus(ledger.stage.db)).troubles).toMatchObject([
      { code: "budget_exhausted", slices: 1, example: expect.stringContaining("budget one ") },
      { code: "budget_exhausted", slices: 2, example: expect.stringContaining("budget ranks ") },
    ]);
  });

  test("keeps what slices of several accounts wait for apart", async () => {
    const { stage, worker } = ledger;
    for (const [index, account] of ["", "acme", "acme"].entries()) {
      const run = await stage.run({ account });
      const [id = ""] = await stage.insert(run, draft({ window: august(index + 1) }));
      const error = { code: "credits_exhausted", message: `no credits for ${account || "the first"}` };
      await endAttempt(stage.db, await stage.claimed(id, worker), { ...ending, state: "deferred", error }, now);
    }
    const { troubles, lastRun } = await readStatus(stage.db);
    expect(troubles).toMatchObject([
      { account: "", slices: 1, example: "no credits for the first" },
      { account: "acme", slices: 2, example: "no credits for acme" },
    ]);
    expect(lastRun).toMatchObject({ account: "acme" });
  });
});

import { afterAll, beforeAll, expect, test } from "vitest";
import { day } from "../../src/core/day.ts";
import type { ErrorCode } from "../../src/core/error-codes.ts";
import { fail } from "../../src/core/errors.ts";
import type { SliceDraft } from "../../src/core/slice.ts";
import { oneDay } from "../../src/core/window.ts";
import { createRunLimit } from "../../src/credits/run-limit.ts";
import { failAttempt } from "../../src/ingest/fail-attempt.ts";
import { openRun } from "../../src/ledger/runs.ts";
import { insertSlices } from "../../src/ledger/slices.ts";
import { openIngest } from "../../src/open-ingest.ts";
import { sliceOf } from "../support/ingest-slice.ts";
import { openStage, today, type Stage } from "../support/ingest-stage.ts";
import { claim } from "../support/queue-steps.ts";

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});

afterAll(() => stage[Symbol.asyncDispose]());

/** The state of a slice after an attempt that ended with an error, and in how many ms it is due. */
async function after(code: ErrorCode, of: { draft?: Partial<SliceDraft>; untilIn?: number } = {}) {
  await using app = await stage.open();
  await using ingest = await openIngest(app, "foreground", createRunLimit(null));
  const { parts } = ingest;
  const now = parts.clock.now();
  const start = { kind: "sync", account: "", workerId: parts.workerId, asOf: today, datasets: [] } as const;
  const draft = sliceOf({ items: ["yoga", "run"], window: oneDay(day("2026-08-01")), ...of.draft });
  const [id = ""] = await insertSlices(
    parts.db,
    await openRun(parts.db, { ...start, maxCredits: null }, now),
    [draft],
    now,
  );
  const slice = await claim(parts.db, id, parts, now);
  if (slice === null) throw new Error("the test expected to have the slice");
  const context = of.untilIn === undefined ? {} : { until: now + of.untilIn };
  await failAttempt({ ...parts, clock: { ...parts.clock, now: () => now } }, slice, fail(code, context));
  const [row] = await stage.query<{ state: string; due: Date | null }>(
    "select state, due_at as due from ops.slice where slice_id = $1",
    [id],
  );
  return [row?.state, row?.due == null ? null : row.due.getTime() - now];
}

test("what lacks credits waits for the time that they are back, or an hour; what a limit stops waits for a person", async () => {
  expect(await after("credits_exhausted", { untilIn: 60_000 })).toEqual(["deferred", 60_000]);
  expect(await after("credits_exhausted")).toEqual(["deferred", 3_600_000]);
  expect(await after("run_limit_spent")).toEqual(["deferred", null]);
  expect(await after("plan_spent")).toEqual(["deferred", null]);
});

test("no data is an answer for what a call names; a whole list without data says nothing about any keyword", async () => {
  expect(await after("no_content")).toEqual(["empty", null]);
  const list = { operation: "dashboard.daily-keyword-rankings", credits: 50 };
  expect(await after("no_content", { draft: list })).toEqual(["skipped", null]);
});

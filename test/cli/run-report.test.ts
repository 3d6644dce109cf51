import { expect, onTestFinished, test, vi } from "vitest";
import { exitCodeOf } from "../../src/cli/exit-codes.ts";
import { printResult } from "../../src/cli/run-report.ts";
import { fail } from "../../src/core/errors.ts";
import type { SyncResult } from "../../src/runs/run-parts.ts";

test.each([
  [0, "loaded", null],
  [1, "failed", null],
  [1, "aborted", fail("no_connection")],
  [1, "aborted", fail("server_error", { status: 503 })],
  [2, "aborted", fail("unauthorised")],
  [3, "deferred", null],
  [130, "interrupted", null],
] as const)("ends with %i when a run is %s, %s", (code, outcome, error) => {
  expect(exitCodeOf({ outcome, error })).toBe(code);
});

const noneLeft: SyncResult["left"] = { runningElsewhere: 0, orphaned: 0, failedBefore: 0, unavailable: [] };

/** What is printed about a run of five slices that credits have stopped. */
function printed(
  progress: { readonly deferred: number; readonly nextDueAt: number | null },
  leftOut: number,
  more: Partial<SyncResult> = {},
): string {
  const written = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  onTestFinished(() => written.mockRestore());
  const counts = { total: 5, open: progress.deferred, due: 0, failed: 0, skipped: 0, requestsLeft: 0, alongside: 0 };
  const result: SyncResult = {
    runId: "1",
    outcome: "deferred",
    progress: { ...counts, credits: 9, ...progress },
    leftOut,
    left: noneLeft,
    error: null,
    ...more,
  };
  printResult(result, { goOn: "", runLimitSpent: (left) => `Stopped at the limit: ${left} left.` });
  const text = written.mock.calls.map(([part]) => part).join("");
  written.mockClear();
  return text;
}

test("only slices that are queued wait for credits; those beyond the limit are named separately", () => {
  const nextDueAt = Date.UTC(2026, 7, 21);
  const both = printed({ deferred: 2, nextDueAt }, 3);
  expect(both).toContain("Stopped by credits: 2 slices wait.");
  expect(both).toContain("Stopped at the limit: 3 slices are left.");
  expect(printed({ deferred: 2, nextDueAt }, 0)).not.toContain("Stopped at the limit");
  const spent = printed({ deferred: 2, nextDueAt: null }, 3);
  expect(spent).toContain("Stopped at the limit: 5 slices are left.");
  expect(spent).not.toContain("Stopped by credits");
});

test("a list whose answer is held is not called unavailable", () => {
  const unavailable = ["tracked_app", "tracked_keyword ios 1 US", "tracked_country"];
  const left = { ...noneLeft, unavailable, held: ["tracked_app", "tracked_app ios", "tracked_keyword ios 1 US"] };
  const text = printed({ deferred: 0, nextDueAt: null }, 0, { outcome: "failed", left });
  expect(text.match(/No data of .* is available/g)).toEqual(["No data of tracked_country is available"]);
  expect(text.match(/The answer about .* is held/g)).toEqual([
    "The answer about tracked_app is held",
    "The answer about tracked_keyword ios 1 US is held",
  ]);
  expect(text).toContain("`storehouse held --apply` applies it now");
});

test("a run that a refused operation ends says that it comes last the next time", () => {
  const after = (error: SyncResult["error"]) =>
    printed({ deferred: 0, nextDueAt: null }, 0, { outcome: "aborted", error });
  vi.spyOn(process.stderr, "write").mockReturnValue(true);
  onTestFinished(() => void vi.restoreAllMocks());
  expect(after(fail("forbidden", { operation: "ios.app-simple" }))).toContain("What was refused comes last");
  expect(after(fail("unauthorised"))).not.toContain("refused comes last");
});

test("what failed earlier is requested again by a sync after a known time, not by the next one", () => {
  const left = (nextTryAt: Date | null) =>
    printed({ deferred: 0, nextDueAt: null }, 0, { left: { ...noneLeft, failedBefore: 2, nextTryAt } });
  expect(left(new Date("2026-11-22T09:26:00Z"))).toMatch(
    /^2 slices failed earlier and are not loaded: requested again by a worker, or by a sync after 2026-11-22 .*\.$/m,
  );
  expect(left(null)).toMatch(/^2 slices failed earlier and are not loaded\.$/m);
});

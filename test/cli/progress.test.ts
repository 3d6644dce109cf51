import { PassThrough } from "node:stream";
import { expect, onTestFinished, test, vi } from "vitest";
import type { App } from "../../src/app.ts";
import { withProgress } from "../../src/cli/commands/sync.ts";
import { createLog } from "../../src/core/log.ts";
import { logLines } from "../../src/core/log-lines.ts";
import { createProgressView, steadyProgress } from "../../src/cli/progress.ts";
import type { ReportedProgress } from "../../src/runs/run-parts.ts";
import { systemClock } from "../../src/core/clock.ts";

function at(total: number, open: number, more: Partial<ReportedProgress> = {}): ReportedProgress {
  return {
    runId: "1",
    total,
    open,
    due: 0,
    deferred: 0,
    failed: 0,
    skipped: 0,
    requestsLeft: open,
    nextDueAt: null,
    alongside: 0,
    credits: 0,
    isWhole: true,
    elsewhere: 0,
    ...more,
  };
}

test("what was shown as done stays done, when slices are run again, join late or leave", () => {
  const steady = steadyProgress();
  const shown = [at(10, 5), at(10, 8), at(40, 30), at(40, 35), at(20, 16), at(40, 0)].map(steady);
  const shares = shown.map(({ share }) => share ?? 0);
  const numbers = shown.map(({ done }) => done);
  expect(shares).toEqual([...shares].sort((a, b) => a - b));
  expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
  expect([shares[0], shares.at(-1)]).toEqual([0.5, 1]);
});

test("a bar is full only when nothing is open", () => {
  const steady = steadyProgress();
  expect([at(1000, 1), at(1000, 0)].map((one) => steady(one).share)).toEqual([0.99, 1]);
});

test("has no share before all of it is planned", () => {
  const steady = steadyProgress();
  expect([at(3, 0, { isWhole: false }), at(103, 100)].map((one) => steady(one).share)).toEqual([null, 3 / 103]);
});

/** What a terminal of so many columns gets to see, a line each time. */
function onTerminal(columns: number, ...reported: readonly ReportedProgress[]): readonly string[] {
  const to = Object.assign(new PassThrough({ encoding: "utf8" }), { isTTY: true, columns });
  const view = createProgressView({ to, clock: systemClock(), requestsPerSecond: 3 });
  for (const one of reported) view.show(one);
  view.done();
  const text = String(to.read());
  expect(text.endsWith("\n")).toBe(true);
  return text.trimEnd().split("\r\u001b[2K").slice(1);
}

test("the bar and its facts stay in one line of the terminal, what matters most first", () => {
  const busy = at(123_456, 61_728, { credits: 1_234_567, failed: 12, deferred: 3 });
  expect(onTerminal(80, busy)).toEqual([
    "[##########..........] 61,728 of 123,456 slices, 1,234,567 credits, 12 failed",
  ]);
  expect(onTerminal(200, busy)[0]).toContain(", 3 deferred, about 343 min left at 3 requests a second");
});

test("the time left follows the requests, of which a slice may take many", () => {
  const shown = (requestsLeft: number) => onTerminal(120, at(3, 2, { requestsLeft }))[0];
  expect(shown(1_800)).toContain(", about 10 min left at 3 requests a second");
  expect(shown(2)).not.toContain("left");
});

test("while it is not known how much there is to do, it says so instead of filling the bar", () => {
  expect(onTerminal(80, at(4_216, 2_000, { isWhole: false, credits: 12_345 }))).toEqual([
    "[....................] reading lists: 2,216 of 4,216 slices, 12,345 credits",
  ]);
});

test("what answers bring beyond the slices that were priced is counted separately, and the bar does not wait for it", () => {
  expect(onTerminal(100, at(187, 0, { alongside: 130, credits: 2_850 }))).toEqual([
    "[####################] 57 of 57 slices, 2,850 credits, 130 more slices from the same answers",
  ]);
});

test("what it waits for is shown also where it has nothing of its own to run, and is gone when that is over", () => {
  const waiting = at(0, 0, { elsewhere: 1_629 });
  expect(onTerminal(40, waiting)).toEqual(["waits for another process: 1,629 slices"]);
  expect(onTerminal(100, at(3, 0, { credits: 9, elsewhere: 1 }))).toEqual([
    "[####################] 3 of 3 slices, 9 credits, waits for another process: 1 slice",
  ]);
  const to = Object.assign(new PassThrough({ encoding: "utf8" }), { isTTY: true, columns: 80 });
  const view = createProgressView({ to, clock: systemClock(), requestsPerSecond: 3 });
  view.show(waiting);
  view.show(at(0, 0));
  view.done();
  expect(String(to.read()).endsWith("\r\u001b[2K")).toBe(true);
});

test("a log line takes the place of the bar, which is shown again below it", () => {
  const to = Object.assign(new PassThrough({ encoding: "utf8" }), { isTTY: true, columns: 80 });
  const view = createProgressView({ to, clock: systemClock(), requestsPerSecond: 3 });
  const log = createLog({ level: "warn", secrets: [], to: logLines(to) });
  const bar = "[##########..........] 1 of 2 slices, 0 credits";
  view.show(at(2, 1));
  log.warn("one");
  log.warn("two");
  view.show(at(2, 1));
  log.warn("three");
  view.done();
  log.warn("four");
  const text = String(to.read()).replaceAll(/\d\d-\d\d \d\d:\d\d:\d\d {2}warning: /g, "");
  const cleared = "\r\u001b[2K";
  const shown = `${cleared}${bar}${cleared}one\ntwo\n${cleared}${bar}${cleared}three\n${bar}\nfour\n`;
  expect(text).toBe(shown);
});

test("the last progress of a run that fails is shown as well", async () => {
  const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  onTestFinished(() => written.mockRestore());
  const app = { clock: { now: () => 0 }, config: { settings: { api: { requests_per_second: 3 } } } } as unknown as App;
  const run = withProgress(app, async (progress) => {
    for (const open of [2, 1]) progress(at(2, open));
    throw new Error("the run fails");
  });
  await expect(run).rejects.toThrow("the run fails");
  expect(written.mock.calls.map(([text]) => text)).toEqual([
    "0 of 2 slices, 0 credits\n",
    "1 of 2 slices, 0 credits\n",
  ]);
});

import { expect, test } from "vitest";
import {
  createBackgroundRuns,
  endOf,
  resultText,
  type RunControl,
  type RunEnd,
} from "../../src/console/background-runs.ts";
import type { App } from "../../src/app.ts";
import { noMoreOfIt } from "../../src/foreground.ts";
import { fail } from "../../src/core/errors.ts";
import type { SyncResult } from "../../src/runs/run-parts.ts";

const log = { error: () => undefined } as unknown as App["log"];
const clock = { now: () => 1_000 } as App["clock"];
const progress = {
  total: 2,
  open: 0,
  due: 0,
  deferred: 0,
  failed: 1,
  skipped: 0,
  requestsLeft: 0,
  nextDueAt: null,
  alongside: 0,
  credits: 5,
};
const result = (outcome: SyncResult["outcome"]) => ({ runId: "7", outcome, progress, error: null }) as SyncResult;

/** Work that ends as interrupted when it is stopped. */
const untilStopped = {
  what: "A retry",
  work: ({ stop }: { readonly stop: AbortSignal }) =>
    new Promise<SyncResult>((resolve) =>
      stop.addEventListener("abort", () => stop.reason === noMoreOfIt && resolve(result("interrupted"))),
    ),
};

test("a run that is stopped is stopping until it has ended and is on record; meanwhile no other one starts", async () => {
  await using runs = createBackgroundRuns({ clock, log, hide: (text) => text });
  let recorded: (() => void) | undefined;
  const onRun = () => Promise.resolve();
  expect(() => runs.stop(1_000)).toThrow(/console_nothing_runs/);
  const ends: RunEnd[] = [];
  const onEnd = (end: RunEnd) => new Promise<void>((resolve) => ((recorded = resolve), ends.push(end)));
  runs.start(untilStopped, { onRun, onEnd });
  expect(runs.latest()).toMatchObject({ isStopping: false, ended: null });
  // as a page has it that nobody has loaded again since an earlier run
  expect(() => runs.stop(999)).toThrow(/the run that was shown has ended, and another one is running: A retry/);
  expect(runs.latest()).toMatchObject({ isStopping: false, ended: null });
  runs.stop(1_000);
  await new Promise(setImmediate);
  expect(runs.latest()).toMatchObject({ isStopping: true, ended: null });
  expect(() => runs.start(untilStopped, { onRun, onEnd })).toThrow(/console_busy/);
  recorded?.();
  await new Promise(setImmediate);
  expect(runs.latest()).toMatchObject({ ended: { at: 1_000, problem: null } });
  expect(() => runs.stop(1_000)).toThrow(/console_nothing_runs/);
  expect(ends.map(endOf)).toEqual([
    { isDone: true, text: "Run 7 ended as interrupted: 1 of 2 slices loaded, 1 failed, 5 credits spent." },
  ]);
});

test.each([
  ["a retry", { failedAgain: 11, cancelled: 0 }, "8 of 19 slices loaded, 11 failed again, 5 credits spent"],
  [
    "a fill",
    { failedAgain: 1, cancelled: 10 },
    "8 of 19 slices loaded, 1 failed again, 10 never requested, 5 credits spent",
  ],
])("the result of %s that was stopped counts what the stop found open", (_, atStop, text) => {
  const stopped = { ...result("interrupted"), progress: { ...progress, total: 19, open: 11, failed: 0 }, atStop };
  expect(resultText(stopped)).toBe(text);
});

test("a record that the database does not take is repeated until it responds; until then the run has ended for people", async () => {
  const waits: (() => void)[] = [];
  const waiting = { ...clock, sleep: () => new Promise<void>((resolve) => waits.push(resolve)) } as App["clock"];
  await using runs = createBackgroundRuns({ clock: waiting, log, hide: (text) => text });
  let isAway = true;
  const written: string[] = [];
  const write = (what: string) =>
    isAway ? Promise.reject(new Error("Connection terminated unexpectedly")) : Promise.resolve(void written.push(what));
  const reporting = {
    what: "A fill",
    work: ({ progress: report }: RunControl) => {
      report({ ...progress, runId: "7", isWhole: true, elsewhere: 0 });
      return Promise.resolve(result("loaded"));
    },
  };
  runs.start(reporting, { onRun: (runId) => write(`run ${runId}`), onEnd: () => write("end") });
  await new Promise(setImmediate);
  expect(runs.latest()?.ended).toMatchObject({ problem: null });
  expect(written).toEqual([]);
  waits.shift()?.();
  await new Promise(setImmediate);
  isAway = false;
  waits.shift()?.();
  await new Promise(setImmediate);
  expect(written).toEqual(["run 7", "end"]);
});

test("a console that closes while the database does not respond does not wait for it", async () => {
  const unrecorded: string[] = [];
  const noting = { error: (_: unknown, event: string) => unrecorded.push(event) } as unknown as App["log"];
  const sleep = (_: number, signal?: AbortSignal) =>
    new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve()));
  const runs = createBackgroundRuns({ clock: { ...clock, sleep }, log: noting, hide: (text) => text });
  const away = () => Promise.reject(new Error("Connection terminated unexpectedly"));
  runs.start({ what: "A fill", work: () => Promise.resolve(result("loaded")) }, { onRun: away, onEnd: away });
  await new Promise(setImmediate);
  await runs[Symbol.asyncDispose]();
  expect(unrecorded).toEqual(["console.not_recorded"]);
});

test("a run of which the end cannot be put on record has ended all the same", async () => {
  await using runs = createBackgroundRuns({ clock, log, hide: (text) => text });
  const failed = { what: "A fill", work: () => Promise.reject(fail("console_unknown", { what: "plan" })) };
  const away = () => Promise.reject(new Error("the database is away"));
  runs.start(failed, { onRun: away, onEnd: away });
  await new Promise(setImmediate);
  const { ended = null } = runs.latest() ?? {};
  expect(ended && endOf(ended)).toMatchObject({ isDone: false, text: expect.stringContaining("console_unknown") });
  runs.start(failed, { onRun: away, onEnd: away });
});

test("a run that an unexpected error ends has its text in the log without secrets, and on the page where to find it", async () => {
  const lines: unknown[] = [];
  const noting = { error: (line: unknown, event: string) => lines.push([event, line]) } as unknown as App["log"];
  await using runs = createBackgroundRuns({ clock, log: noting, hide: (text) => text.replaceAll("secret", "***") });
  const work = () => Promise.reject(new TypeError("no row for secret"));
  const done = () => Promise.resolve();
  runs.start({ what: "A fill", work }, { onRun: done, onEnd: done });
  await new Promise(setImmediate);
  expect(lines).toEqual([["console.run_failed", { problem: "TypeError: no row for ***" }]]);
  expect(runs.latest()?.ended?.problem).toBe("an unexpected error ended it; see the log of the console");
});

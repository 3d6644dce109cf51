import { expect, test } from "vitest";
import { day } from "../../src/core/day.ts";
import {
  verdictOf,
  type VerdictFacts,
  verdictWithFamilies,
  verdictWithUnrequested,
} from "../../src/incidents/verdict.ts";

const workers = { running: 1, late: 0, waiting: 0, beatAt: null, ageSeconds: 3, lastEndedAs: null };
const calm: VerdictFacts = {
  incidents: 0,
  workers,
  failed: 0,
  failedForNow: 0,
  nextTryAt: null,
  lostDays: 0,
  held: 0,
  late: [],
  open: 0,
  running: 0,
  isRunUnderWay: false,
  refusedSince: null,
  outage: null,
  deferred: [],
  datasets: 41,
  unavailable: 0,
  lists: 3,
  isPortfolioEmpty: false,
  lastRun: { outcome: "loaded" },
  unfinishedSync: null,
  lockWait: null,
  newestDay: "2026-11-21",
};
const nextTryAt = new Date("2026-11-22T09:26:00Z");
const outage = {
  since: new Date("2026-11-22T03:58:00Z"),
  seenAt: new Date("2026-11-22T04:07:00Z"),
  isNow: true,
};

test.each<[string, Partial<VerdictFacts>, ReturnType<typeof verdictOf>]>([
  ["nothing is wrong", {}, { state: "good", text: "OK: 41 datasets are loaded, up to 2026-11-21." }],
  [
    "answers about the portfolio are held, and no worker reports them",
    { workers: { ...workers, running: 0, ageSeconds: null }, held: 4 },
    { state: "bad", text: "Needs attention: 4 answers about the portfolio are held." },
  ],
  [
    "of some datasets nothing is available",
    { unavailable: 10 },
    { state: "good", text: "OK: 31 datasets are loaded, up to 2026-11-21; 10 have no data available." },
  ],
  [
    "nothing is available at all, as where the address is wrong",
    { unavailable: 41, newestDay: null },
    { state: "bad", text: "Needs attention: no requested data is available." },
  ],
  [
    "a worker has read what the account tracks and no more",
    { datasets: 3, newestDay: "2026-11-22" },
    { state: "warn", text: "Not complete yet: only the lists of the portfolio have been requested." },
  ],
  [
    "a session of another program has a table that work under way waits for",
    {
      open: 1,
      running: 1,
      lockWait: { table: "core.fact_review", wait_ms: 9_200, held_by: 77, role: "alice", program: "a report" },
    },
    {
      state: "warn",
      text: "Not complete yet: a process has waited for 9 s for core.fact_review, locked by session 77 of alice (a report).",
    },
  ],
  ["work is under way", { open: 1 }, { state: "good", text: "OK: 1 slice waits or runs." }],
  ["nothing was ever requested", { datasets: 0 }, { state: "calm", text: "Nothing has been requested yet." }],
  [
    "something is mended without a person",
    { failedForNow: 3, nextTryAt, deferred: [{ code: "credits_exhausted", slices: 1 }], open: 1 },
    {
      state: "warn",
      text: "Not complete yet: 3 failed slices are requested again by a worker, or by a sync after 2026-11-22 09:26 UTC; 1 slice waits for credits.",
    },
  ],
  [
    "slices wait and nobody runs them",
    { open: 2, workers: { ...workers, running: 0, lastEndedAs: "stopped" } },
    { state: "warn", text: "Not complete yet: 2 slices wait and no process runs them." },
  ],
  [
    "a sync runs without a worker",
    { open: 2, running: 1, workers: { ...workers, running: 0 } },
    { state: "good", text: "OK: 2 slices wait or run." },
  ],
  [
    "a sync waits and runs no slice for now",
    { open: 5, isRunUnderWay: true, workers: { ...workers, running: 0 } },
    { state: "good", text: "OK: 5 slices wait or run." },
  ],
  [
    "a sync waits for an API that does not respond",
    { open: 2, running: 2, workers: { ...workers, running: 0 }, outage },
    { state: "warn", text: "Not complete yet: the API has not responded since 2026-11-22 03:58 UTC." },
  ],
  [
    "the API did not respond to the last sync",
    { workers: { ...workers, running: 0 }, outage: { ...outage, isNow: false } },
    {
      state: "warn",
      text: "Not complete yet: the API did not respond at 2026-11-22 04:07 UTC, when it was last tried.",
    },
  ],
  [
    "the API refuses the token, also where nothing was requested before",
    { refusedSince: new Date("2026-11-22T03:58:00Z"), datasets: 0 },
    {
      state: "bad",
      text: "Needs attention: the API has refused all requests of the account since 2026-11-22 03:58 UTC.",
    },
  ],
  [
    "the API refuses the token after it did not respond: a refusal is a response",
    { refusedSince: new Date("2026-11-22T03:58:00Z"), outage },
    {
      state: "bad",
      text: "Needs attention: the API has refused all requests of the account since 2026-11-22 03:58 UTC.",
    },
  ],
  [
    "much is wrong: all of it is said, what a person mends first",
    { incidents: 2, failed: 1, lostDays: 3, failedForNow: 1, nextTryAt },
    {
      state: "bad",
      text: "Needs attention: 2 incidents are open; 1 slice failed and is not requested again automatically; 3 days are lost; 1 failed slice is requested again by a worker, or by a sync after 2026-11-22 09:26 UTC.",
    },
  ],
  [
    "a sync was refused and no worker runs",
    { lastRun: { outcome: "aborted" }, workers: { ...workers, running: 0 } },
    { state: "bad", text: "Needs attention: the last run was aborted." },
  ],
  [
    "the first sync was refused",
    { lastRun: { outcome: "aborted" }, workers: { ...workers, running: 0 }, datasets: 0 },
    { state: "bad", text: "Needs attention: the last run was aborted." },
  ],
  [
    "a sync was refused and a worker runs, which reports it for as long as it lasts",
    { lastRun: { outcome: "aborted" } },
    { state: "good", text: "OK: 41 datasets are loaded, up to 2026-11-21." },
  ],
  [
    "a sync was interrupted and no worker plans what it left",
    { unfinishedSync: { runId: "3", endedAs: "interrupted" }, workers: { ...workers, running: 0 } },
    {
      state: "warn",
      text: "Not complete yet: sync 3 was interrupted, and the rest has not been requested since.",
    },
  ],
  [
    "a sync was interrupted and a worker plans what it left",
    { unfinishedSync: { runId: "3", endedAs: "interrupted" } },
    { state: "good", text: "OK: 41 datasets are loaded, up to 2026-11-21." },
  ],
  [
    "the last worker died",
    { workers: { ...workers, running: 0, lastEndedAs: "died" } },
    { state: "bad", text: "Needs attention: no worker is running; the last one ended as died." },
  ],
  [
    "the worker is frozen",
    { workers: { ...workers, late: 1 } },
    { state: "bad", text: "Needs attention: no worker has a recent heartbeat." },
  ],
  [
    "the worker waits",
    { workers: { ...workers, running: 0, waiting: 1 } },
    { state: "bad", text: "Needs attention: the worker waits until the API accepts the account." },
  ],
])("when %s", (_, change, verdict) => {
  expect(verdictOf({ ...calm, ...change })).toEqual(verdict);
});

test("the verdict is bad while a family is late, even where nothing else is wrong", () => {
  const families = [
    { name: "Ranks", tone: "good" },
    { name: "Reviews", tone: "bad" },
  ] as const;
  const [good, warn] = [verdictOf(calm), verdictOf({ ...calm, failedForNow: 1, nextTryAt })];
  expect(verdictWithFamilies(good, families.slice(0, 1))).toEqual(good);
  expect(verdictWithFamilies(good, families)).toEqual({ state: "bad", text: "Needs attention: Reviews is late." });
  expect(verdictWithFamilies(warn, families)).toEqual({
    state: "bad",
    text: `Needs attention: Reviews is late. ${warn.text}`,
  });
});

test("not all is there while there are days that no sync requests any more, beside what else is wrong", () => {
  const window = { start: day("2026-01-01"), end: day("2026-02-01") };
  const found = ["a", "b"].map((dataset) => ({ dataset, window, partitions: 1, all: 1 }));
  const verdict = (facts: Partial<VerdictFacts>) => verdictWithUnrequested(verdictOf({ ...calm, ...facts }), found);
  const text = "days of a, b between 2026-01-01 and 2026-01-31, which no sync requests any more";
  expect(verdict({})).toEqual({ state: "warn", text: `Not complete yet: ${text}.` });
  expect(verdict({ open: 1 })).toEqual(verdict({}));
  expect(verdict({ lostDays: 1 })).toEqual({ state: "bad", text: `Needs attention: 1 day is lost; ${text}.` });
  for (const none of [[], null]) expect(verdictWithUnrequested(verdictOf(calm), none)).toEqual(verdictOf(calm));
});

test("what is late is named, and of many the first", () => {
  expect(verdictOf({ ...calm, late: ["review"] })).toEqual({ state: "bad", text: "Needs attention: review is late." });
  expect(verdictOf({ ...calm, late: ["a", "b", "c", "d"] }).text).toBe("Needs attention: a, b, c and 1 more are late.");
});

test("what was put off waits for what put it off: credits, a budget or the API", () => {
  const deferred = ["credits_exhausted", "budget_exhausted", "api_unavailable", "budget_kept"].map((code, at) => ({
    code,
    slices: at + 1,
  }));
  expect(verdictOf({ ...calm, deferred, open: 10 })).toEqual({
    state: "warn",
    text: "Not complete yet: 1 slice waits for credits; 6 slices wait for a budget; 3 slices wait for the API.",
  });
});

test("what takes more than a whole period has is no wait: a person has to raise a limit", () => {
  const deferred = [
    { code: "allowance_too_small", slices: 1 },
    { code: "budget_too_small", slices: 2 },
    { code: "budget_exhausted", slices: 1 },
  ];
  expect(verdictOf({ ...calm, deferred, open: 4 })).toEqual({
    state: "bad",
    text: "Needs attention: 3 slices need more credits than a whole period has; 1 slice waits for a budget.",
  });
});

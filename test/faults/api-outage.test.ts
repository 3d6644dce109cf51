import { beforeAll, expect, test } from "vitest";
import { systemClock, type Clock } from "../../src/core/clock.ts";
import { createLog } from "../../src/core/log.ts";
import { retryInForeground, syncInForeground } from "../../src/foreground.ts";
import type { Fault } from "../../src/sandbox/sandbox.ts";
import { openWire } from "../support/cut-wire.ts";
import { gateAfter, openStage, today, until, callText, type Stage } from "../support/ingest-stage.ts";
import { factsOf, statesOf } from "../support/ingest-tables.ts";
import { calmRun, repeats, type Calm } from "../support/ingest-witness.ts";
import { long } from "../support/long.ts";

/** An iOS and an Android app, where there are several outages in two countries: calls enough for what happens in their middle. */
const market = { apps: 2, keywordsPerApp: 6, ...(!long && { countries: ["US"] }) };
const concurrency = 2;
/** Slices under way at a time: some are loaded while others are requested. */
const mostRunning = 2 * concurrency;
// a machine that stands still for a while must not end a request: which error that is would change what is seen
const settings = { api: { concurrency, timeout_seconds: 600 } };
const nothingWorks = (kind: Fault["kind"]): Fault => ({ kind, status: 503, times: 1_000_000, charge: false });

let calm: Calm;

beforeAll(async () => {
  calm = await calmRun({ market });
});

/** A log that counts how often it was told an event. */
function countingLog() {
  const lines: string[] = [];
  const log = createLog({ level: "info", secrets: [], to: { write: (line) => void lines.push(line) } });
  const said = (event: string) => lines.filter((line) => line.includes(`"msg":"${event}"`)).length;
  return { log, said };
}

const wholeSync = () => ({
  request: { datasets: [], bounds: {}, today },
  maxCredits: null,
  stop: new AbortController().signal,
  progress: () => undefined,
});

/**
 * Nothing is lost, no attempts were used up, requested in vain is what was under way when each outage began, and of that so much was paid
 * for.
 */
async function expectUnharmed(stage: Stage, { outages = 1, paidTwice = 0 } = {}): Promise<void> {
  expect(await factsOf(stage)).toEqual(calm.facts);
  expect(Object.keys(await statesOf(stage))).toEqual(["loaded"]);
  expect(await stage.query("select dataset, failures from ops.slice where failures > 0")).toEqual([]);
  expect([...new Set(stage.requested().map(callText))].sort()).toEqual(calm.callTexts);
  expect(repeats(stage.requested().filter(({ charged }) => charged > 0)).length).toBeLessThanOrEqual(paidTwice);
  expect(repeats(stage.requested()).length).toBeLessThanOrEqual(outages * mostRunning);
}

test("a sync waits for an API of which every answer is an error, is cut, or is no JSON, and for one that cannot be reached: it requests nothing but whether it is back, and says so once each time", async () => {
  await using stage = await openStage({ market, latencyMs: 5 });
  const port = Number(new URL(stage.sandbox.url).port);
  const wire = await openWire(port);
  const environment = { API_BASE_URL: `http://127.0.0.1:${wire.port}` };
  await using app = await stage.open({ settings, environment });
  const { log, said } = countingLog();
  const running = syncInForeground({ ...app, log }, wholeSync());
  const answered = () => stage.requested().filter(({ fault }) => fault === undefined).length;
  const moreAnswers = async () => {
    const from = answered();
    await until(() => answered() >= from + 4);
  };
  const kinds = long ? (["status", "cut", "not-json"] as const) : (["status", "not-json"] as const);
  for (const [at, kind] of kinds.entries()) {
    await moreAnswers();
    stage.sandbox.set({ faults: [nothingWorks(kind)] });
    const checks = () => stage.sandbox.log().filter(({ path, fault }) => path === "/api-key" && fault === kind);
    await until(() => checks().length >= 4);
    stage.sandbox.set({ faults: [] });
    await until(() => said("api.recovered") === at + 1);
  }
  await moreAnswers();
  await wire[Symbol.asyncDispose]();
  await until(() => said("api.unavailable") > kinds.length);
  await using _ = await openWire(port, wire.port);
  expect(await running).toMatchObject({ outcome: "loaded" });
  const outages = kinds.length + 1;
  expect([said("api.unavailable"), said("api.recovered"), said("slice.attempt_failed")]).toEqual([outages, outages, 0]);
  // when it could not be reached any more the API had sent answers that did not come through
  await expectUnharmed(stage, { outages, paidTwice: concurrency });
});

test.each([
  ["a page", {}],
  ["a sentence", { body: "no healthy upstream" }],
])(
  "of calls that wait for their turn none is sent once the API is known to answer with %s instead, which it charges",
  async (_, body) => {
    await using stage = await openStage({ market, latencyMs: 5 });
    const api = { ...settings.api, concurrency: 8, requests_per_second: 10 };
    const running = stage.sync({ settings: { api } });
    await until(() => stage.requested().some(({ operation }) => operation?.endsWith("keyword-ranking")));
    stage.sandbox.set({ faults: [{ kind: "not-json", times: 1_000_000, charge: true, ...body }] });
    await until(() => stage.sandbox.log().filter(({ path, fault }) => path === "/api-key" && fault).length >= 6);
    // what was under way when the first page came arrives before the second check; the others wait for their turn
    const failed = stage.sandbox.log().filter(({ fault }) => fault);
    const checks = failed.flatMap(({ path }, at) => (path === "/api-key" ? [at] : []));
    stage.sandbox.set({ faults: [] });
    expect(await running).toMatchObject({ outcome: "loaded" });
    expect(failed.slice(checks[1]).filter(({ path }) => path !== "/api-key")).toEqual([]);
    expect(await factsOf(stage)).toEqual(calm.facts);
    expect(await stage.query("select dataset from ops.slice where failures > 0")).toEqual([]);
  },
);

test("a process that waits for the API ends at once when it is stopped", async () => {
  const gate = gateAfter(9);
  await using stage = await openStage({ market, clock: gate.clock, latencyMs: gate.latencyMs });
  const stop = new AbortController();
  const running = stage.sync({ settings, stop: stop.signal });
  await until(() => gate.held() > 0);
  stage.sandbox.set({ faults: [nothingWorks("status")] });
  gate.open();
  await until(async () => (await stage.query("select from ops.api_outage where ended_at is null")).length > 0);
  stop.abort();
  expect(await running).toMatchObject({ outcome: "interrupted" });
  stage.sandbox.set({ faults: [] });
  expect(await stage.sync({ settings })).toMatchObject({ outcome: "loaded" });
  await expectUnharmed(stage);
});

/** A clock on which, once it is switched, every wait is over at once. */
function hasty(isHasty: () => boolean): Clock {
  const clock = systemClock(today);
  let ahead = 0;
  return {
    ...clock,
    now: () => clock.now() + ahead,
    sleep: async (ms, signal) => {
      if (!isHasty()) return clock.sleep(ms, signal);
      await new Promise(setImmediate);
      signal?.throwIfAborted();
      ahead += ms;
    },
  };
}

test("a run in the foreground does not wait for ever: it cancels the rest and names the problem", async () => {
  const gate = gateAfter(9);
  await using stage = await openStage({ market, clock: gate.clock, latencyMs: gate.latencyMs });
  await using app = await stage.open({ settings });
  let isUnavailable = false;
  const clock = hasty(() => isUnavailable);
  const run = wholeSync();
  const running = syncInForeground({ ...app, clock }, run);
  await until(() => gate.held() > 0);
  stage.sandbox.set({ faults: [nothingWorks("status")] });
  isUnavailable = true;
  gate.open();
  expect(await running).toMatchObject({ outcome: "aborted", error: { code: "server_error" }, progress: { failed: 0 } });
  // what was not begun is cancelled, and planned again
  expect(Object.keys(await statesOf(stage))).toEqual(["loaded"]);
  stage.sandbox.set({ faults: [] });
  isUnavailable = false;
  expect(await syncInForeground({ ...app, clock }, run)).toMatchObject({ outcome: "loaded" });
  await expectUnharmed(stage);
});

test.each(["server_error", "cut_connection"])(
  "a run that starts while the API is unavailable says so of its balance check, and not of slices (%s)",
  async (cause) => {
    await using stage = await openStage({ market });
    await using app = await stage.open({ settings });
    const kind = cause === "server_error" ? "status" : "cut";
    stage.sandbox.set({ faults: [nothingWorks(kind)] });
    const retrying = retryInForeground({ ...app, clock: hasty(() => true) }, { ...wholeSync(), which: {} });
    const error = await retrying.catch((one: unknown) => one);
    expect(error).toMatchObject({ code: "balance_unchecked", context: { cause } });
    expect(String(error)).toContain("nothing was requested: start it again once the API responds");
    expect(String(error)).not.toMatch(/(?:next|later) sync/);
    expect(stage.requested()).toEqual([]);
  },
);

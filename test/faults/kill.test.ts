import { beforeAll, expect, test } from "vitest";
import { runWorker } from "../support/agreed-worker.ts";
import { runCommand } from "../support/command.ts";
import { startChild, syncCommand } from "../support/ingest-child.ts";
import { gateAfter, openStage, until, type Stage } from "../support/ingest-stage.ts";
import { statesOf } from "../support/ingest-tables.ts";
import { calmRun, expectCalm, type Calm } from "../support/ingest-witness.ts";
import { long } from "../support/long.ts";

/** An iOS and an Android app in a country: calls enough for what happens in their middle. */
const market = { apps: 2, countries: ["US"] };
let calm: Calm;
const concurrency = 2;
const settings = { api: { concurrency } };

beforeAll(async () => {
  calm = await calmRun({ market });
});

/** The run after a disturbed one: all is there as if nothing had happened, and no more was requested twice than was on its way. */
async function expectCalmEnd(stage: Stage, mostTwice: number): Promise<void> {
  expect(await stage.sync()).toMatchObject({ outcome: "loaded", progress: { open: 0, failed: 0 } });
  await expectCalm(stage, calm, mostTwice);
}

// kills with a request on the wire happen every day at each place in the story of a slice, and when the credits just suffice
test.runIf(long).each([2, 12])("ends as if undisturbed after a kill -9 at request %i", async (at) => {
  const gate = gateAfter(at);
  await using stage = await openStage({ market, clock: gate.clock, latencyMs: gate.latencyMs });
  await using child = startChild(stage, syncCommand, { settings });
  await until(() => gate.held() > 0);
  child.process.kill("SIGKILL");
  expect(await child.ended).toBe("SIGKILL");
  gate.open();
  // what was landed and not loaded is not requested again
  await expectCalmEnd(stage, concurrency);
});

test("has planned the next round as soon as the slice that imports the portfolio is committed: a kill right after it loses nothing", async () => {
  await using stage = await openStage({ market });
  await using app = await stage.open({ settings });
  const committed = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const at = async (place: string) => {
    if (place !== "after commit") return;
    committed.resolve();
    await held.promise;
  };
  const stop = new AbortController();
  const running = runWorker({ ...app, crashPoint: at }, stop.signal);
  try {
    await Promise.race([committed.promise, running]);
    expect(await statesOf(stage)).toMatchObject({ loaded: expect.any(Number) });
    expect(await stage.query("select from graphile_worker.jobs where key like 'plan_due after %'")).toHaveLength(1);
  } finally {
    stop.abort();
    held.resolve();
  }
  expect(await running).toBeNull();
});

test("leaves in good order at Ctrl-C, and requests nothing twice afterwards", async () => {
  const gate = gateAfter(9);
  await using stage = await openStage({ market, clock: gate.clock, latencyMs: gate.latencyMs });
  // as a signal that arrives: a worker receives real ones every day
  const ended = runCommand(stage, syncCommand, { settings });
  await until(() => gate.held() > 0);
  process.emit("SIGINT", "SIGINT");
  gate.open();
  const { code, stdout } = await ended;
  expect(code).toBe(130);
  expect(stdout).toMatch(/Interrupted/);
  expect(Object.keys(await statesOf(stage))).toEqual(["loaded"]);
  expect(await stage.query("select from ops.slice where failures > 0")).toEqual([]);
  expect(await stage.query("select outcome from ops.run")).toEqual([{ outcome: "interrupted" }]);
  await expectCalmEnd(stage, 0);
});

test("does not wait for an answer that never comes when it is stopped", async () => {
  await using stage = await openStage({
    market,
    faults: [{ operation: "ios.keyword-ranking", times: 1, kind: "stall" }],
  });
  const stop = new AbortController();
  const running = stage.sync({ stop: stop.signal, settings: { api: { timeout_seconds: 600, concurrency: 1 } } });
  await until(() => stage.requested().some(({ fault }) => fault === "stall"));
  stop.abort();
  expect(await running).toMatchObject({ outcome: "interrupted" });
  await expectCalmEnd(stage, 1);
});

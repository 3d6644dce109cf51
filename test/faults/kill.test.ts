import { beforeAll, expect, test } from "vitest";
import { startChild, startDoomed, syncCommand } from "../support/ingest-child.ts";
import { gateAfter, openStage, until, type Stage } from "../support/ingest-stage.ts";
import { statesOf } from "../support/ingest-tables.ts";
import { calmRun, expectCalm, type Calm } from "../support/ingest-witness.ts";

let calm: Calm;
const concurrency = 2;
const settings = { api: { concurrency } };

beforeAll(async () => {
  calm = await calmRun();
});

/** The run after a disturbed one: all is there as if nothing had happened, and no more was requested twice than was on its way. */
async function expectCalmEnd(stage: Stage, mostTwice: number): Promise<void> {
  expect(await stage.sync()).toMatchObject({ outcome: "loaded", progress: { open: 0, failed: 0 } });
  await expectCalm(stage, calm, mostTwice);
}

test.each([2, 30])("ends as if undisturbed after a kill -9 at request %i", async (at) => {
  const gate = gateAfter(at);
  await using stage = await openStage({ clock: gate.clock, latencyMs: gate.latencyMs });
  await using child = startChild(stage, syncCommand, { settings });
  await until(() => gate.held() > 0);
  child.process.kill("SIGKILL");
  expect(await child.ended).toBe("SIGKILL");
  gate.open();
  // what was landed and not loaded is not requested again
  await expectCalmEnd(stage, concurrency);
});

test("has planned the next wave when it is killed right after the slice that imports the portfolio", async () => {
  await using stage = await openStage();
  await using child = startDoomed(stage, "worker", { place: "after commit", settings });
  expect(await child.ended).toBe("SIGKILL");
  expect(await statesOf(stage)).toMatchObject({ loaded: expect.any(Number) });
  expect(await stage.query("select from graphile_worker.jobs where key like 'plan_due after %'")).toHaveLength(1);
});

test("leaves in good order at Ctrl-C, and requests nothing twice afterwards", async () => {
  const gate = gateAfter(20);
  await using stage = await openStage({ clock: gate.clock, latencyMs: gate.latencyMs });
  await using child = startChild(stage, syncCommand, { settings });
  await until(() => gate.held() > 0);
  child.process.kill("SIGINT");
  gate.open();
  expect(await child.ended).toBe(130);
  expect(child.output().stdout).toMatch(/Interrupted/);
  expect(Object.keys(await statesOf(stage))).toEqual(["loaded"]);
  expect(await stage.query("select from ops.slice where failures > 0")).toEqual([]);
  expect(await stage.query("select outcome from ops.run")).toEqual([{ outcome: "interrupted" }]);
  await expectCalmEnd(stage, 0);
});

test("does not wait for an answer that never comes when it is stopped", async () => {
  await using stage = await openStage({ faults: [{ operation: "ios.keyword-ranking", times: 1, kind: "stall" }] });
  const stop = new AbortController();
  const running = stage.sync({ stop: stop.signal, settings: { api: { timeout_seconds: 600, concurrency: 1 } } });
  await until(() => stage.asked().some(({ fault }) => fault === "stall"));
  stop.abort();
  expect(await running).toMatchObject({ outcome: "interrupted" });
  await expectCalmEnd(stage, 1);
});

test("ends as if undisturbed when Postgres drops every connection in the middle", async () => {
  await using stage = await openStage({ latencyMs: 10 });
  const running = stage.sync({ settings });
  await until(() => stage.asked().length >= 14);
  await stage.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'storehouse %' and application_name <> 'storehouse tests' and datname = current_database()",
  );
  // it goes on, or ends with a word about the database when the queue could not write down what became of a job
  const { error } = await running.catch((thrown: unknown) => ({ error: thrown }));
  expect([null, "database_unreachable"]).toContain(error instanceof Error && "code" in error ? error.code : error);
  stage.sandbox.set({ latencyMs: 0 });
  await expectCalmEnd(stage, concurrency * 2);
});

import { expect, inject, test } from "vitest";
import { besideWorker } from "../support/beside-worker.ts";
import { runCommand, runUntil } from "../support/command.ts";
import { openWire } from "../support/cut-wire.ts";
import { startChild, type Behind, type Child } from "../support/ingest-child.ts";
import { gateAfter, openStage, until, type Stage } from "../support/ingest-stage.ts";
import { statesOf } from "../support/ingest-tables.ts";
import { long } from "../support/long.ts";

const variables = { LOG_LEVEL: "info" };
const settings = { api: { concurrency: 2 }, worker: { grace_seconds: 30 } };
const market = { apps: 2, countries: ["US"], keywordsPerApp: 6 };
/** Where nobody listens. */
const nowhere = { url: "http://127.0.0.1:1", token: "sandbox-token" };

const startWorker = (behind: Behind, more: object = {}): Child =>
  startChild(behind, ["worker", "--yes"], { settings: { ...settings, ...more }, variables });

const says = (child: Child, event: string) => until(() => child.output().stderr.includes(`"msg":"${event}"`));

/** Signals a worker to stop, lets `meanwhile` happen once it knows, and returns how it ended. */
async function stopped(child: Child, meanwhile: () => void | Promise<void> = () => undefined) {
  child.process.kill("SIGTERM");
  await says(child, "worker.stopping");
  await meanwhile();
  return child.ended;
}

/** No slice runs any more, and nothing was counted against a slice. */
async function expectAllGivenBack(stage: Stage): Promise<void> {
  expect((await statesOf(stage))["running"]).toBeUndefined();
  expect(await stage.query("select from ops.slice where failures > 0 or broken_off_count > 0")).toEqual([]);
  expect(await stage.query("select from ops.credit_hold")).toEqual([]);
  // one that a broken session left has lost its key to the next
  expect(await stage.query("select from graphile_worker.jobs where locked_at is not null and key is not null")).toEqual(
    [],
  );
  expect(await stage.query("select from ops.worker where stopped_at is null")).toEqual([]);
}

test("a worker that is stopped in the middle of a page, twice as by `timeout`, waits for it, keeps it, releases the rest, and ends with 0", async () => {
  const gate = gateAfter(3);
  await using stage = await openStage({ market, clock: gate.clock, latencyMs: gate.latencyMs });
  await using child = startWorker(stage);
  await until(() => gate.held() > 0);
  let requested = 0;
  // an answer is in the log when it is given
  const answer = () => {
    requested = stage.requested().length + gate.held();
    gate.open();
  };
  // two of the same might arrive as one
  child.process.kill("SIGINT");
  expect(await stopped(child, answer)).toBe(0);
  await expectAllGivenBack(stage);
  // what was on its way was paid for and is there; nothing was sent after the signal
  expect(stage.requested().length).toBe(requested);
  const landed = await stage.query("select from ops.request where status = 200 and slice_id is not null");
  expect(landed.length).toBe(requested);
});

test("a second stop ends it without what is under way", async () => {
  const gate = gateAfter(3);
  await using stage = await openStage({ market, clock: gate.clock, latencyMs: gate.latencyMs });
  await using child = startWorker(stage);
  await until(() => gate.held() > 0);
  const again = () => until(() => !child.process.kill("SIGTERM") || child.process.exitCode !== null);
  expect(await stopped(child, again)).toBe(143);
  gate.open();
});

test("a page that never comes is cut shortly before the grace time is over", async () => {
  await using stage = await openStage({ market, faults: [{ kind: "stall", times: 1, operation: "dashboard.apps" }] });
  const isStalled = () => until(() => stage.sandbox.log().some(({ fault }) => fault === "stall"));
  // where it is over, this process would end
  const { code, stderr } = await runUntil(stage, ["worker", "--yes"], isStalled, {
    settings: { ...settings, worker: { grace_seconds: 6 } },
  });
  expect(code).toBe(0);
  expect(stderr).toContain("The worker has stopped.\n");
  await expectAllGivenBack(stage);
});

// that one which waits for the API ends when it is stopped is shown of a sync every day
test.runIf(long)("it ends with 0 while the API is unavailable", async () => {
  await using stage = await openStage({ market, faults: [{ kind: "status", status: 503, times: 1_000_000 }] });
  await using child = startWorker(stage);
  await says(child, "api.unavailable");
  expect(await stopped(child)).toBe(0);
  await expectAllGivenBack(stage);
});

/** A stage whose API does not answer the balance check. */
async function openSilent(): Promise<Stage> {
  const stage = await openStage({ market });
  stage.sandbox.set({ faults: [{ kind: "stall", operation: "account.remaining-credits", times: 1_000 }] });
  return stage;
}
const patient = { settings: { ...settings, api: { timeout_seconds: 20 } }, variables };
// a check that was not cut is retried
const uncut = /timeout|retried|api\.unavailable|api\.recovered/;

test("a stop cuts the balance check of a worker's start that the API does not answer", async () => {
  await using stage = await openSilent();
  const isAsked = () => until(() => stage.sandbox.log().length > 0);
  const { code, stderr } = await runUntil(stage, ["worker", "--yes"], isAsked, patient);
  expect(code).toBe(0);
  expect(stderr).not.toMatch(uncut);
});

// of a sync, the check of a refused call is cut every day
test.runIf(long)("a stop cuts the balance check of a sync's start that the API does not answer", async () => {
  await using stage = await openSilent();
  await using child = startChild(stage, ["sync", "--yes"], patient);
  await until(() => stage.sandbox.log().length > 0);
  child.process.kill("SIGTERM");
  expect(await child.ended).toBe(130);
  expect(child.output().stderr).not.toMatch(uncut);
});

test("a stop that cuts the balance check of a refused call is no refusal of the account", async () => {
  // the check of the start and the refused call are answered, the check that decides what the refusal means is not
  const gate = gateAfter(2);
  await using stage = await openStage({
    market,
    clock: gate.clock,
    latencyMs: gate.latencyMs,
    faults: [{ kind: "status", status: 403, operation: "dashboard.apps", times: 1 }],
  });
  const stop = new AbortController();
  const running = stage.sync({ settings, stop: stop.signal });
  await until(() => gate.held() > 0);
  expect(stage.sandbox.log().map(({ status }) => status)).toEqual([200, 403]);
  stop.abort();
  expect(await running).toMatchObject({ outcome: "interrupted" });
  expect(await stage.query("select from ops.account_stop")).toEqual([]);
  expect(await stage.query("select status from ops.request where slice_id is not null")).toEqual([{ status: 403 }]);
  await expectAllGivenBack(stage);
});

test("it ends without an error when it is stopped while it waits for credits", async () => {
  await using stage = await openStage({ market, accounts: [{ token: "sandbox-token", total: 1, periodHours: 1_000 }] });
  await besideWorker(stage, { settings }, () => until(async () => (await statesOf(stage))["deferred"] !== undefined));
  expect((await statesOf(stage))["deferred"]).toBeGreaterThan(0);
  await expectAllGivenBack(stage);
});

// a silent one is the harder: nothing says that it is away
test.each(long ? (["gone", "silent"] as const) : (["silent"] as const))(
  "it ends with 0 within the grace time while the database is %s",
  async (how) => {
    const gate = gateAfter(3);
    await using stage = await openStage({ market, clock: gate.clock, latencyMs: gate.latencyMs });
    const url = new URL(stage.databaseUrl);
    const wire = await openWire(Number(url.port));
    url.port = String(wire.port);
    await using child = startWorker({ ...stage, databaseUrl: url.href }, { worker: { grace_seconds: 3 } });
    await until(() => gate.held() > 0);
    if (how === "gone") await wire[Symbol.asyncDispose]();
    else wire.stall();
    expect(await stopped(child, gate.open)).toBe(0);
    if (how === "silent") await wire[Symbol.asyncDispose]();
  },
);

test("a database that the server does not have is not waited for", async () => {
  const url = new URL(inject("adminUrl"));
  url.pathname = "/no_such_database";
  const ended = await runCommand({ sandbox: nowhere, databaseUrl: url.href }, ["worker", "--yes"], { settings });
  expect(ended.code).toBe(2);
  expect(ended.stderr).toMatch(/database_refused.*3D000/);
});

test("a database that is not up yet, or goes away while it works, is waited for; it says so, and the work goes on", async () => {
  const gate = gateAfter(3);
  await using stage = await openStage({ market, clock: gate.clock, latencyMs: gate.latencyMs });
  const url = new URL(stage.databaseUrl);
  const real = Number(url.port);
  const nobody = await openWire(real);
  await nobody[Symbol.asyncDispose]();
  url.port = String(nobody.port);
  await using wires = new AsyncDisposableStack();
  const work = async (output: Child["output"]) => {
    const hasSaid = (event: string, from = 0) => until(() => output().stderr.includes(`"msg":"${event}"`, from));
    await hasSaid("database.unavailable");
    const wire = await openWire(real, nobody.port);
    await hasSaid("worker.started");
    await until(() => gate.held() > 0);
    const begun = output().stderr.length;
    await wire[Symbol.asyncDispose]();
    gate.open();
    // longer than work waits on its own: the spell of work has ended
    await hasSaid("database.unavailable", begun);
    const before = stage.requested().length;
    wires.use(await openWire(real, nobody.port));
    await hasSaid("database.recovered", begun);
    await until(() => stage.requested().length > before);
  };
  const behind = { ...stage, databaseUrl: url.href };
  const { code } = await runUntil(behind, ["worker", "--yes"], work, { settings, variables });
  expect(code).toBe(0);
  await expectAllGivenBack(stage);
});

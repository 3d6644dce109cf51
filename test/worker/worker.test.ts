import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { createApp } from "../../src/app.ts";
import { startChild, syncCommand } from "../support/ingest-child.ts";
import { gateAfter, openStage, type RunOptions, type Stage, today, until, callText } from "../support/ingest-stage.ts";
import { factsOf, statesOf } from "../support/ingest-tables.ts";
import { raiseFinding } from "../../src/ledger/findings.ts";
import { runWorker } from "../support/agreed-worker.ts";
import { calmRun } from "../support/ingest-witness.ts";
import { openWithPortfolio } from "../support/backfill-stage.ts";
import { long } from "../support/long.ts";

/** Where the number of requests is not the point. */
const small = { apps: 1, countries: ["US"], keywordsPerApp: 2 } as const;

/** Where several take their part, or some of the work is left. */
const middle = { market: { apps: 2, countries: ["US"], keywordsPerApp: 4 } } as const;

/** Runs a worker in this process until `enough`, then stops it, says so, and returns how it ended. */
async function work(
  stage: Stage,
  enough: () => Promise<boolean>,
  stopped: () => void = () => undefined,
  options: RunOptions = {},
) {
  // of its own: a stage would keep the connections
  await using app = await createApp(stage.config(options), today);
  const stop = new AbortController();
  const running = runWorker(app, stop.signal);
  try {
    await Promise.race([until(enough), running]);
  } finally {
    stop.abort();
    stopped();
  }
  return await running;
}

/** True when every rank of the market is there: of four keywords of two apps, one of which has two devices. */
async function ranksAreIn(stage: Stage): Promise<boolean> {
  const [row] = await stage.query<{ count: number }>("select count(*)::int as count from core.fact_keyword_rank");
  return row?.count === 4 * 3 * 4;
}

test("plans at its start, round after round, and loads the same as a sync", async () => {
  await using stage = await openStage(middle);
  expect(await work(stage, () => ranksAreIn(stage))).toBeNull();
  const { facts, callTexts } = await calmRun(middle);
  expect(await factsOf(stage)).toEqual(facts);
  expect(stage.requested().map(callText).sort()).toEqual(callTexts);
  const [worker] = await stage.query<{ stopped: boolean }>("select stopped_at is not null as stopped from ops.worker");
  expect(worker).toEqual({ stopped: true });
  const locked = await stage.query("select from graphile_worker._private_jobs where locked_at is not null");
  expect(locked).toEqual([]);
  const connections = await stage.query(
    "select from pg_stat_activity where application_name like 'storehouse %' and application_name <> 'storehouse tests' and datname = current_database()",
  );
  expect(connections).toEqual([]);
});

test.runIf(long)("two of them share the work and request nothing twice", async () => {
  await using stage = await openStage({ ...middle, latencyMs: 5 });
  await Promise.all([work(stage, () => ranksAreIn(stage)), work(stage, () => ranksAreIn(stage))]);
  const callTexts = stage.requested().map(callText);
  expect(callTexts.length).toBe(new Set(callTexts).size);
});

test.runIf(long)("takes over what a killed sync left, at once", async () => {
  const gate = gateAfter(6);
  await using stage = await openStage({ ...middle, clock: gate.clock, latencyMs: gate.latencyMs });
  await using child = startChild(stage, syncCommand);
  await until(() => gate.held() > 0);
  child.process.kill("SIGKILL");
  await child.ended;
  gate.open();
  expect(Object.keys(await statesOf(stage))).toContain("running");
  await work(stage, () => ranksAreIn(stage));
  await until(async () => Object.keys(await statesOf(stage)).every((state) => state === "loaded"));
  const owners = await stage.query<{ kind: string }>(
    "select distinct r.kind from ops.slice as s join ops.run as r using (run_id) order by 1",
  );
  expect(owners.map(({ kind }) => kind)).toContain("schedule");
});

test("gives back what it has not finished, and the next one goes on with it", async () => {
  const gate = gateAfter(3);
  await using stage = await openWithPortfolio({ ...middle, clock: gate.clock, latencyMs: gate.latencyMs });
  await work(stage, async () => gate.held() > 0, gate.open, { settings: { api: { concurrency: 1 } } });
  const states = await statesOf(stage);
  expect(states["running"]).toBeUndefined();
  expect(states["pending"]).toBeGreaterThan(0);
  await work(stage, () => ranksAreIn(stage));
  const callTexts = stage.requested().map(callText);
  expect(callTexts.length).toBe(new Set(callTexts).size);
});

test("requests nothing more of a dataset that was switched off while its slices waited", async () => {
  const gate = gateAfter(3);
  await using stage = await openWithPortfolio({ ...middle, clock: gate.clock, latencyMs: gate.latencyMs });
  await work(stage, async () => gate.held() > 0, gate.open, { settings: { api: { concurrency: 1 } } });
  expect((await statesOf(stage))["pending"]).toBeGreaterThan(0);
  const requested = stage.requested().length;
  const off = { settings: { datasets: { keyword_rank: { on: false } } } };
  const isNothingOpen = async () => {
    const { pending, running } = await statesOf(stage);
    return pending === undefined && running === undefined;
  };
  await work(stage, isNothingOpen, undefined, off);
  expect(stage.requested().length).toBe(requested);
});

// one that refuses the check as too busy, and one whose connections are cut, are seen every day in stopped-account.test.ts
test.runIf(long)("survives a service that fails when it starts", async () => {
  await using stage = await openWithPortfolio({
    ...middle,
    faults: [{ operation: "account.remaining-credits", times: 2, kind: "status", status: 503 }],
  });
  expect(await work(stage, () => ranksAreIn(stage))).toBeNull();
});

// the later, the more there is to end
test.each([
  ...(long ? [["before it is registered", "false"] as const] : []),
  ["after its queue has started, which ends with it", "job_pool is null"] as const,
])("starts again after an error that nobody forecast, %s", async (_, holds) => {
  await using stage = await openStage({ market: small });
  await using app = await stage.open();
  await stage.query(`alter table ops.worker add constraint odd check (${holds})`);
  const stop = new AbortController();
  const states: string[] = [];
  const running = runWorker(app, stop.signal, { onState: ({ is }) => void states.push(is) });
  try {
    await until(() => states.includes("restarting"));
    await until(
      async () => (await stage.query("select from ops.finding where kind = 'worker_restarting'")).length === 1,
    );
    await stage.query("alter table ops.worker drop constraint odd");
    await Promise.race([until(() => states.includes("running")), running]);
  } finally {
    stop.abort();
  }
  expect(await running).toBeNull();
  const ends = await stage.query("select ended_as as ended from ops.worker order by worker_id");
  expect(ends.at(-1)).toEqual({ ended: "stopped" });
});

test("ends after an error if a newer version has migrated the database", async () => {
  await using stage = await openStage({ market: small });
  await using app = await stage.open();
  await stage.query("insert into ops.migration (name, ran_at) values ('9999-newer', now())");
  await stage.query("alter table ops.worker add constraint odd check (job_pool is null)");
  expect(await runWorker(app, new AbortController().signal)).toMatchObject({ code: "database_newer" });
});

test("a task of the crontab that fails at its last try is a finding until it works again", async () => {
  await using stage = await openStage({ market: small });
  await using app = await stage.open({ environment: { CLICKHOUSE_URL: "http://127.0.0.1:1" } });
  const earlier = {
    kind: "task_failed",
    subject: "export",
    accountId: "",
    facts: { task: "export", error_code: "unset" },
  };
  await raiseFinding(app.warehouse.db, earlier, { now: app.clock.now(), forMs: null });
  const stop = new AbortController();
  const running = runWorker(app, stop.signal);
  try {
    await until(async () => (await stage.query("select from ops.worker where job_pool is not null")).length === 1);
    await stage.query(
      "select graphile_worker.add_job(task, max_attempts := 1) from unnest('{publish,export}'::text[]) as task",
    );
    await until(
      async () => (await stage.query("select from graphile_worker.jobs where task_identifier = 'export'")).length === 0,
    );
  } finally {
    stop.abort();
  }
  expect(await running).toBeNull();
  expect(
    await stage.query("select subject, facts, stands_until > now() as stands from ops.finding order by subject"),
  ).toEqual([
    { subject: "export", facts: earlier.facts, stands: false },
    { subject: "publish", facts: { task: "publish", error_code: "clickhouse_unavailable" }, stands: true },
  ]);
});

test("a task of the crontab over which the process has ended at each try is a finding, before the last one may end so as well", async () => {
  // takes every request and answers none
  const silent = createServer().listen(0, "127.0.0.1");
  try {
    await once(silent, "listening");
    const { port } = silent.address() as AddressInfo;
    await using stage = await openStage({ market: small });
    await using app = await stage.open({ environment: { CLICKHOUSE_URL: `http://127.0.0.1:${port}` } });
    const stop = new AbortController();
    const running = runWorker(app, stop.signal);
    await until(async () => (await stage.query("select from ops.worker where job_pool is not null")).length === 1);
    // as a job is after two processes that were killed
    await stage.query(
      "select graphile_worker.add_job('publish', max_attempts := 3, run_at := now() + interval '1 day')",
    );
    await stage.query("update graphile_worker._private_jobs set attempts = 2, run_at = now() where max_attempts = 3");
    await Promise.race([once(silent, "request"), running]);
    const facts = await stage.query("select facts from ops.finding where kind = 'task_failed'");
    stop.abort();
    silent.closeAllConnections();
    await running;
    expect(facts).toEqual([{ facts: { task: "publish", error_code: "process_died" } }]);
  } finally {
    silent.close();
  }
});

test("ends with settings that cannot work, and the ledger says why", async () => {
  await using stage = await openStage({ market: small });
  await using app = await stage.open({ environment: { STOREHOUSE_CRONTAB: "/nowhere/crontab" } });
  expect(await runWorker(app, new AbortController().signal)).toMatchObject({ code: "bad_setting" });
  expect(await stage.query("select ended_as as ended from ops.worker")).toEqual([{ ended: "bad_setting" }]);
});

test("plans only what its crontab names, at its start and after a retry of everything", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "storehouse-crontab-"));
  const crontab = path.join(folder, "crontab");
  writeFileSync(
    crontab,
    '0 4 * * * plan_due ?id=countries {"datasets":["tracked_country"]}\n45 3 * * * retention ?id=retention\n',
  );
  try {
    await using stage = await openStage({ market: small });
    stage.sandbox.set({
      faults: [{ operation: "dashboard.number-of-keywords", times: 1, kind: "status", status: 418 }],
    });
    await stage.sync({ request: { datasets: ["tracked_app", "tracked_country"] } });
    expect(await stage.retry()).toMatchObject({ outcome: "loaded" });
    const jobs = () => stage.query("select key from graphile_worker.jobs");
    expect(await jobs()).toHaveLength(1);
    await using app = await stage.open({ environment: { STOREHOUSE_CRONTAB: crontab } });
    const stop = new AbortController();
    const running = runWorker(app, stop.signal);
    const isIdle = async () =>
      (await stage.query("select from ops.run where kind = 'schedule' and ended_at is not null")).length > 0 &&
      (await jobs()).length === 0 &&
      (await stage.query("select from ops.slice where state in ('pending', 'running')")).length === 0;
    await Promise.race([until(isIdle), running]);
    stop.abort();
    expect(await running).toBeNull();
    const loaded = await stage.query<{ dataset: string }>("select distinct dataset from ops.slice order by 1");
    expect(loaded.map(({ dataset }) => dataset)).toEqual(["tracked_app", "tracked_country"]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

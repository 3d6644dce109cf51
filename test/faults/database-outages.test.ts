import { readFile } from "node:fs/promises";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { App } from "../../src/app.ts";
import { systemClock } from "../../src/core/clock.ts";
import { createLog } from "../../src/core/log.ts";
import { syncInForeground } from "../../src/foreground.ts";
import { checkAnyDatabase } from "../../src/doctor/doctor.ts";
import type { WorkerState } from "../../src/health/worker-state.ts";
import { openWorkerApp } from "../../src/worker/waits.ts";
import { runWorker } from "../support/agreed-worker.ts";
import { besideWorker } from "../support/beside-worker.ts";
import { grant, passwords, tried, urlAs } from "../support/granted-stage.ts";
import { runCommand } from "../support/command.ts";
import { syncCommand } from "../support/ingest-child.ts";
import { gateAfter, openStage, today, until, type Stage } from "../support/ingest-stage.ts";
import { calmRun, charged, expectCalm, torn, type Calm } from "../support/ingest-witness.ts";
import { long } from "../support/long.ts";
import { ownPostgres, type OwnPostgres } from "../support/own-postgres.ts";
import { smallDisk, type SmallDisk } from "../support/small-disk.ts";

const concurrency = 2;
const settings = { api: { concurrency } };
/** One of each store in a country, with requests enough for an outage in their middle. */
const market = { apps: 2, countries: ["US"] };

let calm: Calm;
let server: OwnPostgres;
let disk: SmallDisk;

beforeAll(async () => {
  calm = await calmRun({ market });
  server = await ownPostgres();
  disk = await smallDisk(server);
});

afterAll(async () => {
  await disk[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

/** Copies a migrated database: that costs a tenth of migrating another. */
async function copied(name: string): Promise<string> {
  const url = new URL(disk.url);
  url.pathname = "/postgres";
  expect(await tried(url.href, `create database ${name} template migrated`)).toEqual([]);
  url.pathname = `/${name}`;
  return url.href;
}

/** Runs a sync, which is to end with 2 and one line that begins with `code`, with nothing requested. */
async function expectRefusal(stage: Stage, code: string): Promise<void> {
  expect(await runCommand(stage, syncCommand, { settings })).toEqual({
    code: 2,
    stdout: "",
    stderr: expect.stringMatching(new RegExp(`^${code}: .*\n$`)) as string,
  });
  expect(stage.requested()).toEqual([]);
}

type Seen = { readonly states: readonly WorkerState[]; readonly waits: readonly number[] };

/** Runs a worker, whose waits are cut short, until `steer` is done; it is called with the states that the worker was in and its waits. */
async function workThrough(app: App, steer: (seen: Seen) => Promise<void>): Promise<void> {
  const waits: number[] = [];
  const sleep = (ms: number, signal?: AbortSignal) => {
    waits.push(ms);
    return app.clock.sleep(Math.min(ms, 50), signal);
  };
  const stop = new AbortController();
  const states: WorkerState[] = [];
  const onState = (state: WorkerState) => states.push(state);
  const running = runWorker({ ...app, clock: { ...app.clock, sleep } }, stop.signal, { onState });
  try {
    await Promise.race([steer({ states, waits }), running]);
  } finally {
    stop.abort();
  }
  expect(await running).toBeNull();
}

async function isLoaded(stage: Stage): Promise<boolean> {
  const [row] = await stage.query<{ count: number }>("select count(*)::int as count from core.fact_keyword_rank");
  return row?.count === calm.facts["core.fact_keyword_rank"]?.length;
}

test("a full disk is an outage: a sync says so and requests nothing, a worker waits and loses only what was under way", async () => {
  const gate = gateAfter(9);
  await using stage = await openStage({ market, database: disk.url, clock: gate.clock, latencyMs: gate.latencyMs });
  await disk.fill();
  await expectRefusal(stage, "database_full");
  await disk.free();
  await using app = await stage.open({ settings });
  await workThrough(app, async ({ states, waits }) => {
    await until(() => gate.held() > 0);
    await disk.fill();
    gate.open();
    await until(() => states.some(({ error }) => error?.code === "database_full"));
    const requests = stage.requested().length;
    // by then it has checked several times whether there is room
    await until(() => waits.includes(4_000));
    expect(stage.requested().length).toBe(requests);
    await disk.free();
    await until(() => isLoaded(stage));
  });
  expect(await torn(stage)).toEqual([]);
  await expectCalm(stage, calm, concurrency);
});

test("answers that come while the disk is full are stored when there is room: none is requested or paid for twice", async () => {
  const database = await disk.migrated("beside");
  const gate = gateAfter(9);
  await using stage = await openStage({ market, database, clock: gate.clock, latencyMs: gate.latencyMs });
  const lines: string[] = [];
  const log = createLog({ level: "warn", secrets: [], to: { write: (line) => void lines.push(line) } });
  const patient = { api: { concurrency, retry_seconds: 0.5 } };
  const refused = async () => (await readFile(server.log, "utf8")).split("No space left on device").length;
  await besideWorker(stage, { settings: patient, log }, async () => {
    await until(() => gate.held() === concurrency);
    await disk.fill();
    const before = await refused();
    gate.open();
    // both answers, and one of them once more
    await until(async () => (await refused()) > before + concurrency);
    // it says so while it tries again
    await until(() => lines.some((line) => line.includes('"code":"database_full","problem":')));
    await disk.free();
    await until(() => isLoaded(stage));
  });
  await expectCalm(stage, calm, 0);
  const [booked] = await stage.query<{ cost: number }>("select sum(cost)::int as cost from ops.request");
  expect(booked?.cost).toBe(charged(stage.requested()));
});

test("a sync that is stopped while it waits for room ends at once, and has said what it waits for", async () => {
  const database = await disk.migrated("stopped");
  const gate = gateAfter(9);
  await using stage = await openStage({ market, database, clock: gate.clock, latencyMs: gate.latencyMs });
  const lines: string[] = [];
  const log = createLog({ level: "warn", secrets: [], to: { write: (line) => void lines.push(line) } });
  // it would wait for half an hour
  await using app = await stage.open({ settings: { api: { concurrency, retry_seconds: 60 } } });
  const stop = new AbortController();
  const run = { request: { datasets: [], bounds: {}, today }, maxCredits: null, stop: stop.signal };
  const running = syncInForeground({ ...app, log }, { ...run, progress: () => undefined }).catch(
    (error: unknown) => error,
  );
  await until(() => gate.held() === concurrency);
  await disk.fill();
  gate.open();
  await until(() =>
    /"problem":"database_full: the disk of Postgres is full; .*"database.unavailable"/.test(lines.join("")),
  );
  stop.abort();
  expect(await running).toMatchObject({ error: { code: "database_full" } });
  await disk.free();
});

test("exhausted connections are an outage: a sync says so and requests nothing, a worker waits", async () => {
  const database = await copied("granted");
  await grant(database, passwords);
  const limit = (connections: number) =>
    tried(database, `alter role storehouse_loader connection limit ${connections}`);
  await using stage = await openStage({ market, database: urlAs(database, "storehouse_loader", passwords.loader) });
  await limit(0);
  await expectRefusal(stage, "database_busy");
  const stop = new AbortController();
  const states: WorkerState[] = [];
  const opening = openWorkerApp(stage.config({ settings }), {
    stop: stop.signal,
    onState: (state) => states.push(state),
    asOf: today,
  });
  await until(() => states.some(({ error }) => error?.code === "database_busy"));
  await limit(-1);
  await using app = await opening;
  if (app === null) throw new Error("the worker did not wait");
  expect(stage.requested()).toEqual([]);
});

/** Commands that change nothing, and what they say on stderr. */
const reading = [
  { command: ["status"], says: /^$/ },
  { command: ["gaps", "--as-of", today], says: /^$/ },
  { command: ["runs"], says: /^$/ },
  { command: ["plan", "--as-of", today], says: /^$/ },
  { command: ["credits"], says: /^The balance is not known: .*database_read_only/ },
  { command: ["export", "--table", "dim_app", "--out", "tables"], says: /1 file written/ },
];

/** Runs the commands that change nothing. */
async function expectReadable(stage: Stage): Promise<void> {
  for (const { command, says } of reading) {
    const { code, stderr } = await runCommand(stage, command, { settings });
    expect([command, code]).toEqual([command, 0]);
    expect(stderr).toMatch(says);
  }
}

// another database that only reads is refused and read every day
test.runIf(long)("a standby is refused before anything is requested, and shows what it has", async () => {
  await using stage = await openStage({ market, database: await copied("standby") });
  await stage.query(`
    with process as (insert into ops.worker (kind, account, host, pid, started_at, heartbeat_at) values ('sync', '', 'here', 1, now(), now()) returning worker_id)
    insert into ops.run (kind, as_of, datasets, started_at, worker_id) select 'sync', current_date, '{}', now(), worker_id from process`);
  const outcome = "select outcome from ops.run_summary order by run_id desc limit 1";
  expect(await stage.query(outcome)).toEqual([{ outcome: "interrupted" }]);
  // a server that finds this file in its data waits for the log of a primary, and lets clients read
  writeFileSync(path.join(server.data, "standby.signal"), "");
  await server.restart("fast");
  expect(await stage.query("select pg_is_in_recovery() as standby")).toEqual([{ standby: true }]);
  // locks, by which a process is known to live, are those of the primary
  expect(await stage.query(outcome)).toEqual([{ outcome: null }]);
  await expectRefusal(stage, "database_read_only");
  await expectReadable(stage);
  const { environment } = stage.config();
  expect(await checkAnyDatabase({ environment, home: "", clock: systemClock() })).toContainEqual(
    expect.objectContaining({ check: "database", state: "fail", next: "set DATABASE_URL to the primary" }),
  );
  await stage.query("select pg_promote()");
  expect(await runCommand(stage, syncCommand, { settings })).toMatchObject({ code: 0 });
});

test("a database that only reads is refused before anything is requested, and shows what it has", async () => {
  const database = await copied("readonly");
  await using stage = await openStage({ market, database });
  await stage.query(`alter database ${new URL(database).pathname.slice(1)} set default_transaction_read_only = on`);
  await expectRefusal(stage, "database_read_only");
  await expectReadable(stage);
  const worker = await runCommand(stage, ["worker", "--yes"], { settings });
  expect(worker.code).toBe(2);
  expect(worker.stderr).toMatch(/^database_read_only: .*\n$/);
  expect(stage.requested()).toEqual([]);
});

import { once } from "node:events";
import { readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { spawn } from "node:child_process";
import { createServer, type AddressInfo } from "node:net";
import path from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createApp } from "../../src/app.ts";
import { startQueue } from "../../src/worker/queue-runner.ts";
import { canary, givenAway, tablesWithCanary, token } from "../support/canary.ts";
import { runCommand, runUntil } from "../support/command.ts";
import { everyCommand } from "../support/every-command.ts";
import { grant, urlAs } from "../support/granted-stage.ts";
import { compiledOnce, startChild, type Behind, type Child } from "../support/ingest-child.ts";
import { openStage, until, type Stage } from "../support/ingest-stage.ts";
import { long } from "../support/long.ts";
import { ownPostgres, type OwnPostgres } from "../support/own-postgres.ts";
import { folderForTests } from "../support/folder.ts";

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

/** These are processes: one that reads its input, and in the long run the one that has most to say. */
const processes = long ? ["sync", "mcp"] : ["mcp"];

/** Passwords with characters that an address writes in another way. */
const password = (role: string) => `${role}/%@:${canary}?#`;
const webhook = `https://hooks.example/services/${canary}/B0`;

/** What a worker answers to every client. */
const endpoints = ["/healthz", "/readyz", "/metrics", "/nothing-there"];

let server: OwnPostgres;
let stage: Stage;
let adminUrl: string;
const folder = folderForTests();

beforeAll(async () => {
  server = await ownPostgres();
  const url = await server.migrated();
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  await admin.query("alter system set log_statement = 'all'");
  await admin.query("alter system set log_parameter_max_length = -1");
  await admin.query("select pg_reload_conf()");
  await admin.end();
  await grant(url, { owner: password("owner"), loader: password("loader"), reader: password("reader") });
  adminUrl = url;
  stage = await openStage({
    market: { apps: 2, countries: ["US"], keywordsPerApp: 4, organicKeywords: 4 },
    database: urlAs(url, "storehouse_loader", password("loader")),
    accounts: [{ token, total: 100_000, periodHours: 24 }],
  });
  await stage.sync();
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const variables = {
  LOG_LEVEL: "trace",
  NOTIFY_URL: webhook,
  STOREHOUSE_OWNER_PASSWORD: password("owner"),
  STOREHOUSE_LOADER_PASSWORD: password("loader"),
  STOREHOUSE_READER_PASSWORD: password("reader"),
};

/** How a command ended, and what it printed. */
type Reported = { readonly ended: number | NodeJS.Signals | null; readonly stdout: string; readonly stderr: string };

/** Waits for the end of a process, and fails where its arguments or its words hold a secret. */
async function endOf(child: Child): Promise<Reported> {
  expect(givenAway(readFileSync(`/proc/${child.process.pid}/cmdline`, "utf8"))).toBe(false);
  const ended = await child.ended;
  return keptSecret({ ended, ...child.output() });
}

/** Runs a command as a process, or in this one, to its end, and fails where its words hold a secret. */
async function played(
  behind: Behind,
  typed: readonly string[],
  { isProcess = false, given = {} } = {},
): Promise<Reported> {
  const options = { variables: { ...variables, ...given } };
  if (!isProcess) {
    const { code: ended, ...words } = await runCommand(behind, typed, options);
    return keptSecret({ ended, ...words });
  }
  await using child = startChild(behind, typed, options);
  return await endOf(child);
}

function keptSecret(words: Reported): Reported {
  for (const text of [words.stdout, words.stderr]) expect(givenAway(text)).toBe(false);
  return words;
}

/** Commands that print an item as the service has it. */
const asAnswered = ["app", "find"];

/** The names of numbers in what a command prints for programs that are a time in epoch-ms: an instant is text there. */
function epochTimes(stdout: string): readonly string[] {
  const found: string[] = [];
  JSON.parse(stdout, (name, value: unknown) => {
    if (typeof value === "number" && value > 1e12 && value < 4e12) found.push(name);
    return value;
  });
  return found;
}

test("no command of the loader or the owner gives a secret away, and the server's own log has none", async () => {
  for (const { typed, ends } of await everyCommand(stage, folder, true)) {
    const line = typed.join(" ");
    const isProcess = processes.some((start) => line.startsWith(start));
    const { ended, stderr, stdout } = await played(
      typed[0] === "grants" ? { ...stage, databaseUrl: adminUrl } : stage,
      typed,
      {
        isProcess,
      },
    );
    expect([line, ended, ended === ends ? "" : stderr]).toEqual([line, ends, ""]);
    if (typed.includes("--json") && ended === 0 && !asAnswered.includes(typed[0] ?? ""))
      expect([line, epochTimes(stdout)]).toEqual([line, []]);
    // so what is searched holds the log
    if (typed[0] === "backfill") expect(stderr).toContain('{"level":');
  }
  const admin = new pg.Pool({ connectionString: adminUrl, max: 1 });
  const found = await tablesWithCanary({ query: async (text) => (await admin.query(text)).rows });
  await admin.end();
  expect(found).toMatchObject({ found: [] });
  expect(found.searched).toBeGreaterThan(500);
  const log = await readFile(server.log, "utf8");
  expect(log).toContain("alter role");
  expect(givenAway(log)).toBe(false);
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const texts = await Promise.all(
    files.filter((one) => one.isFile()).map((one) => readFile(path.join(one.parentPath, one.name), "latin1")),
  );
  expect(texts.length).toBeGreaterThan(5);
  expect(texts.filter(givenAway)).toEqual([]);
});

test("a worker reveals none, in its messages or in its pages", async () => {
  const port = await freePort();
  const begun = () => stage.query("select from ops.run where kind = 'schedule'");
  const read = async () => {
    await until(async () => (await begun()).length > 0);
    for (const endpoint of endpoints) {
      const answer = await fetch(`http://127.0.0.1:${port}${endpoint}`);
      expect([endpoint, givenAway([...answer.headers, await answer.text()])]).toEqual([endpoint, false]);
    }
  };
  const options = { variables, settings: { health: { port } } };
  const { code: ended, ...words } = await runUntil(stage, ["worker", "--yes"], read, options);
  expect(keptSecret({ ended, ...words })).toMatchObject({ ended: 0 });
});

test("wrong settings and an unavailable database are reported without them", async () => {
  const away = urlAs("postgres://x:x@127.0.0.1:1/house", "me", password("loader"));
  const wrong = urlAs(stage.databaseUrl, "storehouse_reader", password("loader"));
  const cases: readonly [Record<string, string>, number][] = [
    [{ DATABASE_URL: away }, 2],
    [{ DATABASE_URL: wrong }, 2],
    [{ DATABASE_URL: `${away}?sslmode=prefer` }, 2],
    [{ DATABASE_URL: away.replace("127.0.0.1:1", "db.example") }, 2],
    [{ DATABASE_URL: `mysql://${canary}` }, 2],
    [{ API_TOKEN: `${canary} ${canary}` }, 2],
    [{ API_BASE_URL: `https://me:${canary}@api.example` }, 2],
    [{ STOREHOUSE_LOADER_PASSWORD: `é${canary}` }, 2],
  ];
  for (const [at, [given, code]] of cases.entries()) {
    const { ended } = await played(stage, ["status"], { isProcess: long && at === 0, given });
    expect([Object.keys(given), ended]).toEqual([Object.keys(given), code]);
  }
});

test("the queue's last_error has none of what a job fails with", async () => {
  await using app = await createApp(stage.config());
  const address = `GET https://api.example/x?token=${encodeURIComponent(token)} ${app.databaseUrl} ${token}`;
  const failed = Object.assign(new Error(address), { cause: new Error(address) });
  const task = () => Promise.reject(failed);
  const runner = await startQueue(app, {
    taskList: { plan_due: task },
    schedule: [],
    onLost: () => undefined,
  });
  await runner.addJob("plan_due", {}, { jobKey: "canary", maxAttempts: 1 });
  const errors = () =>
    stage.query<{ error: string }>(
      "select last_error as error from graphile_worker._private_jobs where key = 'canary' and last_error is not null",
    );
  await until(async () => (await errors()).length > 0);
  await runner.stop();
  const [reported] = await errors();
  expect(reported?.error).toContain("[hidden]");
  expect(givenAway(reported)).toBe(false);
});

// both come to the same place in the program
test.each(long ? ["throw", "reject"] : ["reject"])(
  "an error that nobody caught is printed without them (%s)",
  async (way) => {
    const program = path.join(import.meta.dirname, "../support/crashing.ts");
    const text = `to https://api.example?token=${encodeURIComponent(token)} of ${urlAs("postgres://x@h/d", "me", password("me"))} and ${webhook}`;
    const environment = {
      PATH: process.env["PATH"],
      ...compiledOnce,
      API_TOKEN: token,
      DATABASE_URL: urlAs("postgres://x@h/d", "me", password("me")),
      NOTIFY_URL: webhook,
    };
    const child = spawn(process.execPath, [program, way, text.replaceAll(webhook, "W")], {
      env: environment,
      cwd: folder,
    });
    let stderr = "";
    child.stderr.on("data", (part) => (stderr += String(part)));
    const [code] = await once(child, "close");
    expect(code).toBe(1);
    expect(stderr).toContain("[hidden]");
    expect(givenAway(stderr)).toBe(false);
  },
);

/** A port that nobody has now. */
async function freePort(): Promise<number> {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const { port } = taken.address() as AddressInfo;
  taken.close();
  await once(taken, "close");
  return port;
}

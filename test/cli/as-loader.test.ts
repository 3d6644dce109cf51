import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { endless, everyCommand } from "../support/every-command.ts";
import { grant, openGranted, tried, type GrantedStage } from "../support/granted-stage.ts";
import { everythingOn } from "../../src/demo/shows.ts";
import { runCommand } from "../support/command.ts";
import { openStage, today, until, type Stage } from "../support/ingest-stage.ts";
import { factsOf, statesOf } from "../support/ingest-tables.ts";
import { addDays } from "../../src/core/day.ts";
import { long } from "../support/long.ts";
import { folderForTests } from "../support/folder.ts";
import { startCommand } from "../support/running-command.ts";

// two dozen commands, one after the other
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const market = { apps: 1, countries: ["US"], keywordsPerApp: 2, organicKeywords: 2 } as const;

let granted: GrantedStage;
let stage: Stage;
const folder = folderForTests();

beforeAll(async () => {
  granted = await openGranted();
  stage = await openStage({ market, database: granted.urlOf("loader") });
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await granted[Symbol.asyncDispose]();
});

test("the loader loads every dataset that there is, and in the long run the owner loads the same", async () => {
  const run = { settings: everythingOn, request: { bounds: { start: addDays(today, -8) } } };
  await stage.sync(run);
  expect(Object.keys(await statesOf(stage)).filter((state) => state !== "loaded" && state !== "empty")).toEqual([]);
  if (!long) return;
  await using owners = await openStage({ market });
  await owners.sync(run);
  expect(await factsOf(stage)).toEqual(await factsOf(owners));
});

test("the loader gets the message which commands the owner takes", async () => {
  for (const { typed, ends } of (await everyCommand(stage, folder, false)).slice(-1)) {
    const { code, stderr } = await runCommand(stage, typed);
    expect([typed, code]).toEqual([typed, ends]);
    expect(stderr).toMatch(/^roles_refused: .*storehouse grants --print/);
  }
});

test("the statements for an administrator are printed as they are, and as JSON", async () => {
  const { stdout } = await runCommand(stage, ["grants", "--print"]);
  expect(stdout).toMatch(/^-- Roles and rights/);
  const json = await runCommand(stage, ["grants", "--print", "--json"]);
  expect(JSON.parse(json.stdout)).toEqual({ sql: stdout });
});

test("the loader runs the worker: its queue, its crontab and its jobs; rights that are set anew meanwhile disturb nothing", async () => {
  await using worker = startCommand(stage, ["worker", "--yes"], { variables: { LOG_LEVEL: "warn" } });
  const alive = () => tried(granted.adminUrl, "select from ops.worker where kind = 'worker' and stopped_at is null");
  const jobs = () => tried(granted.adminUrl, "select from graphile_worker._private_known_crontabs");
  const ran = () => tried(granted.adminUrl, "select from ops.run where kind = 'schedule'");
  await until(async () => worker.hasEnded() || (await alive()).length > 0);
  await grant(granted.adminUrl);
  await until(async () => worker.hasEnded() || ((await jobs()).length > 0 && (await ran()).length > 0));
  const { code, stderr } = await worker.stop();
  expect(code).toBe(0);
  expect(stderr).not.toMatch(/permission|42501|denied/);
});

test("the reader gets the message which role a command takes", async () => {
  const ended = await runCommand({ ...stage, databaseUrl: granted.urlOf("reader") }, ["status"]);
  expect(ended.code).toBe(2);
  expect(ended.stderr).toMatch(/^rights_missing: .*storehouse_loader/);
});

test("the list of commands leaves none out", async () => {
  const ended = await runCommand(stage, ["--help"]);
  expect(ended.code).toBe(0);
  const known = [...ended.stdout.matchAll(/^ {2}(\w+)(?: |$)/gm)].map(([, name]) => name ?? "");
  const typed = (await everyCommand(stage, folder, true)).map((one) => one.typed[0] ?? "");
  const listed = known.filter((name) => !["storehouse", "help"].includes(name));
  expect([...new Set([...typed, ...endless])].sort()).toEqual(listed.sort());
});

test("the doctor reports to the reader what it may not see and which role may, and finds nothing wrong for the loader", async () => {
  const of = async (role: "reader" | "loader") => {
    const ended = await runCommand({ ...stage, databaseUrl: granted.urlOf(role) }, ["doctor", "--json"]);
    const { code } = ended;
    const { checks } = JSON.parse(ended.stdout) as {
      checks: { check: string; state: string; next: string | null }[];
    };
    return { code, failed: checks.filter(({ state }) => state === "fail") };
  };
  const reader = await of("reader");
  expect(reader.code).toBe(1);
  expect(reader.failed.map(({ check }) => check)).toEqual([
    "database",
    "rights",
    "migrations",
    "agreement",
    "incidents",
    "lost days",
    "reported figures",
  ]);
  for (const { check, next } of reader.failed.slice(1))
    expect([check, next]).toEqual([check, expect.stringContaining("storehouse_loader")]);
  expect(await of("loader")).toEqual({ code: 0, failed: [] });
});

import { mkdir, readdir, rm } from "node:fs/promises";
import path from "node:path";
import pg from "pg";
import { afterEach, beforeEach, expect, test } from "vitest";
import { raiseFinding, readFindings } from "../../src/ledger/findings.ts";
import { exportTables } from "../../src/export/export-tables.ts";
import { beginSnapshot } from "../../src/export/snapshot.ts";
import { namedRelations } from "../../src/postgres/named-relations.ts";
import { openWarehouse } from "../../src/postgres/database.ts";
import { readRelations } from "../../src/postgres/relations.ts";
import { lockFileNow } from "../../src/postgres/embedded/file-lock.ts";
import { openExportStage, sha256, type ExportStage } from "../support/export-stage.ts";
import { runCommand } from "../support/command.ts";
import { startChild, type Behind, type Child } from "../support/ingest-child.ts";
import { until } from "../support/ingest-stage.ts";

const ranks = "core.fact_keyword_rank";
let stage: ExportStage;

beforeEach(async () => {
  stage = await openExportStage();
});
afterEach(() => stage[Symbol.asyncDispose]());

const variables = { API_TOKEN: "", API_BASE_URL: "", TZ: "Asia/Kathmandu" };

function behind(): Behind {
  return { databaseUrl: stage.url, sandbox: { url: "http://127.0.0.1:1", token: "none" } };
}

function start(...options: readonly string[]): Child {
  return startChild(behind(), ["export", ...options], { variables });
}

function run(...options: readonly string[]) {
  return runCommand(behind(), ["export", ...options], { variables });
}

async function isTrue(): Promise<void> {
  const { files } = await stage.manifest(ranks);
  expect(files.length).toBeGreaterThan(0);
  for (const { path: name, sha256: sum } of files)
    expect(await sha256(path.join(stage.out, "core", "fact_keyword_rank", name))).toBe(sum);
}

test("the database checks that an export is still connected, so that the statement of one that was killed ends", async () => {
  const pool = new pg.Pool({ connectionString: stage.url });
  const client = await pool.connect();
  try {
    await beginSnapshot(client);
    const { rows } = await client.query("show client_connection_check_interval");
    expect(rows).toEqual([{ client_connection_check_interval: "10s" }]);
  } finally {
    client.release(true);
    await pool.end();
  }
});

test("an export that is killed leaves the last good state; the next one brings it up to date and clears up", async () => {
  for (const month of ["2026-04-01", "2026-05-01", "2026-06-01"]) await stage.ranks(month, 3);
  await stage.export([ranks]);
  const before = await stage.manifest(ranks);
  for (const month of ["2026-04-02", "2026-05-02", "2026-06-02"]) await stage.ranks(month, 25_000);
  await using child = start("--table", ranks, "--out", stage.out);
  const parts = async () => (await readdir(stage.out, { recursive: true })).filter((name) => name.endsWith(".part"));
  await until(async () => (await parts()).length > 0);
  child.process.kill("SIGKILL");
  expect(await child.ended).toBe("SIGKILL");
  expect(await stage.manifest(ranks)).toEqual(before);
  await isTrue();
  expect((await stage.export([ranks]))[0]).toMatchObject({ written: 3, rows: 75_009 });
  await isTrue();
  const left = (await readdir(stage.out, { recursive: true })).filter((name) => /part$|csv$|export-/.test(name));
  expect(left).toEqual([]);
});

test("one export at a time writes into a folder: another is made to wait and touches nothing", async () => {
  const lock = path.join(stage.out, ".storehouse-export.lock");
  await stage.ranks("2026-04-01", 20);
  const whileExporting: (Disposable | null)[] = [];
  await stage.export([ranks, "dim_device"], {}, () => whileExporting.push(lockFileNow(lock)));
  expect(whileExporting).toEqual([null, null]);

  await stage.ranks("2026-04-02", 20);
  const before = await stage.files();
  const held = lockFileNow(lock);
  await expect(stage.export([ranks])).rejects.toMatchObject({ code: "export_under_way" });
  held?.[Symbol.dispose]();
  expect(await stage.files()).toEqual(before);
  expect((await stage.export([ranks]))[0]).toMatchObject({ written: 1, rows: 40 });
  await isTrue();
});

test("the command prints what became of each table, for people and for programs, the same in any time zone", async () => {
  await stage.ranks("2026-04-30", 2);
  const first = await run(
    "--table",
    "fact_keyword_rank,mart.keyword_rank_daily,core.app_match",
    "--table",
    "dim_device",
    "--out",
    stage.out,
  );
  expect(first).toMatchObject({ code: 0 });
  const [headings, , ...lines] = first.stdout.trim().split("\n");
  expect(headings).toMatch(/^table +written +unchanged +removed +rows +bytes$/);
  expect(lines).toEqual([
    expect.stringMatching(/^core\.app_match +1 +0 +0 +0 +/),
    expect.stringMatching(/^core\.dim_device +1 +0 +0 +3 +/),
    expect.stringMatching(/^core\.fact_keyword_rank +1 +0 +0 +2 +/),
    expect.stringMatching(/^mart\.keyword_rank_daily +1 +0 +0 +2 +/),
    "core.app_match has no rows to export.",
  ]);
  const again = await run("--table", "core", "--from", "2027-01-01", "--out", stage.out, "--json");
  expect(JSON.parse(again.stdout)).toContainEqual(
    expect.objectContaining({ table: ranks, written: 0, unchanged: 1, rows: 2 }),
  );
  expect((await stage.export(["dim_device"]))[0]).toMatchObject({ written: 0, unchanged: 1 });
});

test("the command reports what is wrong in one line and ends with 2", async () => {
  const wrong: readonly (readonly [readonly string[], RegExp])[] = [
    [
      ["--table", "core.fact_keyword_ranks"],
      /^unknown_table: .* core\.fact_keyword_ranks, did you mean core\.fact_keyword_rank\?;/,
    ],
    [["--table", "dim_app", "--from", "2026-02-01", "--to", "2026-01-01"], /^bad_argument: .*--from is after --to/],
    [
      ["--table", "dim_app", "--out", "/proc/storehouse/out"],
      /^unwritable_file: \/proc\/storehouse\/out cannot be written: ENOENT/,
    ],
    [["--table", "dim_app", "--out", "/dev/null/out"], /^unwritable_file: \/dev\/null\/out cannot be written: ENOTDIR/],
    [["--table", "dim_app", "--out", "/dev/null"], /^unwritable_file: \/dev\/null cannot be written: EEXIST/],
  ];
  for (const [options, problem] of wrong) {
    const { code, stderr, stdout } = await run(...(options.includes("--out") ? [] : ["--out", stage.out]), ...options);
    expect({ options, code, stdout, stderr }).toEqual({
      options,
      code: 2,
      stdout: "",
      stderr: expect.stringMatching(problem),
    });
    expect(stderr.trim().split("\n")).toHaveLength(1);
  }
});

test("an empty option, as of a variable that is not set, is refused and means neither everything nor the working folder", async () => {
  for (const [option, options] of [
    ["--table", ["--table", "", "--out", "/dev/null/never"]],
    ["--table", ["--table", " , ", "--out", "/dev/null/never"]],
    ["--out", ["--table", "dim_app", "--out", ""]],
  ] as const) {
    const { code, stderr, stdout } = await run(...options);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(new RegExp(`^error: option '${option} <\\w+>' argument '[ ,]*' is invalid\\. It is empty`));
  }
});

test("a name that no table has is refused with the one that was meant", async () => {
  const relations = await readRelations(stage.db);
  for (const [name, problem] of [
    ["keyword_rank_dayly", /^unknown_table: .*, did you mean keyword_rank_daily\?;/],
    ["raw.answer", /^unknown_table: no table or view is named raw\.answer/],
    ["ops.request", /^unknown_table: /],
    ["MART", /^unknown_table: .*, did you mean mart\?;/],
    ["dim_app; drop table core.dim_app", /^unknown_table: /],
  ] as const)
    expect(() => namedRelations(relations, [name])).toThrow(problem);
});

test("a disk error is reported by its place and cause, without a request to report a bug", async () => {
  await stage.export(["dim_device"]);
  const { files } = await stage.manifest("core.dim_device");
  const file = path.join(stage.out, "core", "dim_device", files[0]?.path ?? "");
  await rm(file);
  await mkdir(file);
  await expect(stage.export(["dim_device"])).rejects.toMatchObject({
    code: "unwritable_file",
    message: expect.stringMatching(/cannot be written: EISDIR; choose another path/),
  });
});

test("a table that gives no row for longer than any other statement may take is exported all the same", async () => {
  await stage.ranks("2026-05-01", 3);
  await using impatient = await openWarehouse(stage.url, 1, { timeoutMs: 1500 });
  await using holder = await openWarehouse(stage.url, 1);
  const held = await holder.pool.connect();
  await held.query("begin; lock table core.fact_keyword_rank in access exclusive mode");
  const exported = exportTables(impatient.pool, {
    out: stage.out,
    reach: { network: {}, bucket: {} },
    relations: namedRelations(await readRelations(stage.db), [ranks]),
    within: {},
    format: "parquet",
    storehouse: "0.0.0",
    now: () => 0,
  });
  await held.query("select pg_sleep(2); rollback");
  held.release();
  expect((await exported).map(({ rows }) => rows)).toEqual([3]);
});

test("what a task of the crontab failed to do is over once the command does it, and not where that does something else", async () => {
  const settings = { export: { to: stage.out, tables: ["core.dim_device"] } };
  for (const subject of ["export", "retention"])
    await raiseFinding(
      stage.db,
      { kind: "task_failed", subject, accountId: "", facts: { task: subject, error_code: "unwritable_file" } },
      { now: Date.now() - 60_000, forMs: null },
    );
  const subjects = async () => (await readFindings(stage.db, Date.now())).map(({ subject }) => subject);
  const ended = async (...typed: readonly string[]) => {
    expect(await runCommand(behind(), typed, { variables, settings })).toMatchObject({ code: 0 });
    return subjects();
  };
  expect(await ended("export", "--table", "dim_device")).toEqual(["export", "retention"]);
  expect(await ended("retention", "--dry-run")).toEqual(["export", "retention"]);
  expect(await ended("export", "--json")).toEqual(["retention"]);
  expect(await ended("retention")).toEqual([]);
});

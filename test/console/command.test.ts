import { expect, test } from "vitest";
import { openReader, readingConnections } from "../../src/console/reader.ts";
import { actingConnections } from "../../src/console/server.ts";
import { sql } from "../../src/postgres/sql.ts";
import { openConsoleStage, operatorPassword, untilShown, withPasswords } from "../support/console-stage.ts";
import { runCommand } from "../support/command.ts";
import { startChild, type Child } from "../support/ingest-child.ts";
import { until } from "../support/ingest-stage.ts";
import { forTests } from "../support/for-tests.ts";
import { pageAt } from "../support/pages.ts";

const stage = forTests(openConsoleStage);

/** The address that a command prints. */
async function addressOf(output: Child["output"], ended: Promise<unknown>): Promise<string> {
  const all = () => `${output().stdout}${output().stderr}`;
  const printed = /The console is on (http:\S+)/;
  await Promise.race([until(() => printed.test(all())), ended]);
  return printed.exec(all())?.[1] ?? all();
}

test("storehouse console serves on loopback and prints where, until it is stopped", async () => {
  await using child = startChild(stage.stage, ["console", "--port", "0"]);
  const address = await addressOf(child.output, child.ended);
  expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
  expect(await (await fetch(address)).text()).toContain("Can the figures be trusted?");
  child.process.kill("SIGTERM");
  expect(await child.ended).toBe(0);
});

test("it refuses an address that others reach without a password, and says what to set", async () => {
  const { code, stderr } = await runCommand(stage.stage, ["console", "--host", "0.0.0.0"]);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^console_needs_password: .*STOREHOUSE_CONSOLE_PASSWORD/);
});

test("a worker serves it where console.on says so, until the worker is stopped: its process ends then", async () => {
  // its nights are none of this test
  const off = { on: false } as const;
  const datasets = { tracked_app: off, tracked_country: off, tracked_keyword: off };
  const settings = { console: { on: true, port: 0 }, datasets };
  const variables = { STOREHOUSE_CONSOLE_PASSWORD: operatorPassword };
  await using child = startChild(stage.stage, ["worker", "--yes"], { settings, variables });
  const address = await addressOf(child.output, child.ended);
  await untilShown(async () => (await fetch(new URL("/sign-in", address))).text(), /Sign in/);
  child.process.kill("SIGTERM");
  expect(await child.ended).toBe(0);
  await expect(fetch(address)).rejects.toThrow();
});

test("pages read as storehouse_reader, and nothing that they run can write or see an answer", async () => {
  await using app = await stage.stage.open(withPasswords);
  await using reader = await openReader(app, 5_000);
  const { rows } = await sql<{ role: string }>`select current_user::text as role`.execute(reader.db);
  expect(rows).toEqual([{ role: "storehouse_reader" }]);
  await expect(sql`select from raw.answer`.execute(reader.db)).rejects.toMatchObject({ code: "42501" });
  await expect(sql`select from ops.audit`.execute(reader.db)).rejects.toMatchObject({ code: "42501" });
  await expect(sql`create temporary table mine ()`.execute(reader.db)).rejects.toMatchObject({ code: "25006" });
});

test("a statement that takes too long ends", async () => {
  await using app = await stage.stage.open();
  await using reader = await openReader(app, 50);
  await expect(sql`select pg_sleep(60)`.execute(reader.db)).rejects.toMatchObject({ code: "57014" });
});

test("one slice can be named to storehouse retry", async () => {
  const slice = await stage.failedSlice();
  const { code, stdout } = await runCommand(stage.stage, ["retry", "--slice", slice, "--dry-run", "--json"]);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject([{ dataset: "keyword_rank", slices: 1, credits: 3 }]);
  const same = ["--dataset", "keyword_rank", "--slice", slice];
  const shown = await runCommand(stage.stage, ["retry", ...same, "--dry-run"]);
  expect(shown.stdout).toContain(`\`storehouse retry ${same.join(" ")}\` requests them now.`);
  const other = await runCommand(stage.stage, ["retry", "--slice", "1", "--dry-run"]);
  expect(other.stdout).toContain("Nothing to retry.");
});

test("it has as many connections beside those of its process as the page about Postgres says", () => {
  expect(pageAt("docs/postgres.md").text).toContain(`a console ${actingConnections + readingConnections} more`);
});

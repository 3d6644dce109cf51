import { expect, test } from "vitest";
import { metabaseReport } from "../../src/cli/metabase-report.ts";
import type { Change } from "../../src/metabase/remote.ts";
import { runCommand } from "../support/command.ts";
import { long } from "../support/long.ts";
import { admin, apiKey, openMetabaseStage, readerPassword, type MetabaseStage } from "../support/metabase-stage.ts";

const secrets = [admin.password, apiKey, readerPassword];

async function run(
  { databaseUrl, metabase }: MetabaseStage,
  options: readonly string[],
  variables: Record<string, string> = {},
) {
  const { code, stdout, stderr } = await runCommand(
    { databaseUrl, sandbox: { url: "http://127.0.0.1:9", token: "unused" } },
    ["metabase", ...options],
    {
      variables: {
        METABASE_URL: metabase.url,
        METABASE_API_KEY: apiKey,
        METABASE_DATABASE_HOST: "postgres",
        STOREHOUSE_READER_PASSWORD: readerPassword,
        ...variables,
      },
    },
  );
  for (const secret of secrets) expect(`${stdout}${stderr}`).not.toContain(secret);
  return { code, stdout, stderr };
}

test("a dry run, and in the long run a run", async () => {
  await using stage = await openMetabaseStage({ isSetUp: false });
  const asAdmin = { METABASE_API_KEY: "", METABASE_EMAIL: admin.email, METABASE_PASSWORD: admin.password };
  const dryRunFirst = await run(stage, ["--dry-run"], asAdmin);
  expect(dryRunFirst).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^would create administrator admin@example.com\n.*will show once/),
  });
  expect(stage.metabase.writes()).toEqual([]);

  const told = JSON.parse((await run(stage, ["--dry-run", "--json"], asAdmin)).stdout);
  expect(told).toMatchObject({ isComplete: false, dryRun: true, version: "v0.64.2.2" });
  // test/metabase/apply.test.ts and collection.test.ts do so every day without the command, which takes all dashboards
  if (!long) return;
  const first = await run(stage, ["--json"], asAdmin);
  expect(first).toMatchObject({ code: 0, stderr: expect.stringContaining("Metabase is reading the schema") });
  const { changes, isComplete, dryRun, version } = JSON.parse(first.stdout);
  expect([isComplete, dryRun, version]).toEqual([true, false, "v0.64.2.2"]);
  expect(changes[0]).toEqual({ what: "administrator", name: admin.email, action: "create", properties: [] });
});

test("the report names things, counts columns, and says what differs", () => {
  const change = (what: Change["what"], name: string, action: Change["action"], ...properties: string[]): Change => ({
    what,
    name,
    action,
    properties,
  });
  const differs = change("metric", "Average keyword rank", "leave", "description");
  const changes = [
    change("database", "Storehouse", "create"),
    change("schema", "Storehouse", "update", "core.dim_country.motto"),
    change("table", "core.dim_app", "update", "description"),
    change("column", "core.dim_app.app_key", "update", "semantic_type"),
    change("column", "core.dim_app.app_name", "update", "description"),
    differs,
    change("dashboard", "Keyword performance", "create"),
  ];
  const left = "metric Average keyword rank differs and is left unchanged; --overwrite replaces it (description)";
  const applied = { version: "v0.64.2.2", changes, isComplete: true };
  expect(metabaseReport(applied, false).split("\n")).toEqual([
    "created database Storehouse",
    "updated schema Storehouse: core.dim_country.motto",
    "created dashboard Keyword performance",
    "described 1 table and 2 columns",
    left,
  ]);
  expect(metabaseReport(applied, true).split("\n")).toEqual([
    "would create database Storehouse",
    "would update schema Storehouse: core.dim_country.motto",
    "would create dashboard Keyword performance",
    "would describe 1 table and 2 columns",
    left,
    "Dry run: nothing was changed.",
  ]);
  expect(metabaseReport({ ...applied, changes: [] }, false)).toBe(
    "Metabase v0.64.2.2 is up to date: nothing to change.",
  );
  expect(metabaseReport({ ...applied, changes: [differs] }, false)).toBe(`${left}\nNothing was changed.`);
});

test("arguments and settings that cannot work are refused before a request is sent", async () => {
  await using stage = await openMetabaseStage();
  const url = await run(stage, ["--url", "http://me:secret@127.0.0.1:3000"]);
  expect(url).toMatchObject({ code: 2, stderr: expect.stringContaining("must not contain a user or password") });
  expect(await run(stage, ["--wait", "long"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("whole number"),
  });
  const embedded = await run(stage, [], { DATABASE_URL: "" });
  expect(embedded).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^bad_setting: DATABASE_URL is not set: the embedded Postgres/),
  });
  const host = await run(stage, [], { METABASE_DATABASE_HOST: "postgres://postgres" });
  expect(host).toMatchObject({ code: 2, stderr: expect.stringContaining("METABASE_DATABASE_HOST must be a host") });
  const away = await run(stage, ["--url", "http://127.0.0.1:9", "--wait", "0"]);
  expect(away).toMatchObject({ code: 2, stderr: expect.stringMatching(/^metabase_unreachable: /) });
});

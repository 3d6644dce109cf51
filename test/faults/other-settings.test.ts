import { escapeIdentifier } from "pg";
import { expect, test } from "vitest";
import { urlAs, tried } from "../support/granted-stage.ts";
import { runCommand } from "../support/command.ts";
import { syncCommand } from "../support/ingest-child.ts";
import { openStage } from "../support/ingest-stage.ts";
import { calmRun, expectCalm } from "../support/ingest-witness.ts";
import { ownPostgres } from "../support/own-postgres.ts";
import { forTests } from "../support/for-tests.ts";
import { temporaryFolder } from "../support/folder.ts";

const market = { apps: 2, countries: ["US"] };

const server = forTests(ownPostgres);

/** What administrators set for a role in a database, against programs that forget an end. */
const settings = {
  default_transaction_isolation: "serializable",
  default_transaction_deferrable: "on",
  search_path: "nowhere",
  statement_timeout: "5s",
  lock_timeout: "1ms",
  idle_in_transaction_session_timeout: "1ms",
  timezone: "Pacific/Apia",
  datestyle: "SQL, DMY",
  array_nulls: "off",
};

test("an owner without further rights and with settings of its own migrates, fills and reads a database with an odd name", async () => {
  const name = `Läden "100%25" & Co: Größe+1`;
  const database = escapeIdentifier(name);
  const administrator = await server.database();
  await tried(administrator, "create role shop login password 'owner-of-the-shop'");
  await tried(administrator, `create database ${database} owner shop`);
  for (const [setting, value] of Object.entries(settings))
    await tried(administrator, `alter role shop in database ${database} set ${setting} = '${value}'`);
  const url = new URL(urlAs(administrator, "shop", "owner-of-the-shop"));
  // as few characters encoded as can be, and as many
  url.pathname = `/${encodeURI(name)}`;
  const variables = { DATABASE_URL: url.href.replace(url.pathname, `/${encodeURIComponent(name)}`) };
  await using stage = await openStage({ market, database: url.href });
  using made = temporaryFolder();
  const { path: folder } = made;
  for (const [command, code] of [
    [["migrate"], 0],
    [["doctor"], 0],
    [syncCommand, 0],
    [["gaps", "--as-of", "2026-08-20"], 0],
    [["export", "--table", "dim_app", "--out", folder], 0],
    [["grants"], 2],
  ] as const) {
    const ended = await runCommand(stage, command, command[0] === "doctor" ? {} : { variables });
    expect([command, ended.code, code === 0 ? "" : ended.stderr]).toEqual([
      command,
      code,
      code === 0 ? "" : (expect.stringMatching(/^roles_refused: /) as string),
    ]);
  }
  await expectCalm(stage, await calmRun({ market }), 0);
});

import pg from "pg";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import { checkAnyDatabase } from "../../src/doctor/doctor.ts";
import { databaseOutage, isLostConnection } from "../../src/postgres/database-errors.ts";
import { openWarehouse } from "../../src/postgres/database.ts";
import { runWorker } from "../support/agreed-worker.ts";
import { runCommand } from "../support/command.ts";
import { freshDatabase } from "../support/database.ts";
import { syncCommand } from "../support/ingest-child.ts";
import { openStage, until } from "../support/ingest-stage.ts";
import { calmRun, expectCalm } from "../support/ingest-witness.ts";
import { leftOut, pgbouncerPath, startPgbouncer } from "../support/pgbouncer.ts";

/** Sessions that a pooler has at hand: as many transactions at once. */
async function warm(url: string, sessions: number): Promise<void> {
  const clients = Array.from({ length: sessions }, () => new pg.Client({ connectionString: url }));
  await Promise.all(clients.map((client) => client.connect()));
  for (const statement of ["begin", "select 1", "commit"])
    await Promise.all(clients.map((client) => client.query(statement)));
  await Promise.all(clients.map((client) => client.end()));
}

const market = { apps: 2, countries: ["US"] };
const byTransaction = ["pool_mode = transaction"];

describe.skipIf(pgbouncerPath === null)(`behind PgBouncer${leftOut}`, () => {
  test("by transaction: a sync and a worker end at once, request nothing and name the port, and the doctor finds it", async () => {
    await using database = await freshDatabase();
    await using pooler = await startPgbouncer(database.url, byTransaction);
    await using stage = await openStage({ database: pooler.url });
    for (const command of [syncCommand, ["worker", "--yes"]])
      expect(await runCommand(stage, command)).toEqual({
        code: 2,
        stdout: "",
        stderr: expect.stringMatching(/^database_pooled: .*DATABASE_URL.*port 5432.*\n$/) as string,
      });
    expect(stage.requested()).toEqual([]);
    const environment = stage.config().environment;
    expect(await checkAnyDatabase({ environment, home: "", clock: systemClock() })).toMatchObject([
      { check: "database", state: "fail", next: expect.stringContaining("port 5432") as string },
    ]);
  });

  test.each([
    ["the same session to all", [], 1],
    ["the latest of several", [], 3],
    ["one after the other", ["server_round_robin = 1"], 2],
    ["one after the other of many", ["server_round_robin = 1"], 5],
    ["by statement", ["pool_mode = statement"], 1],
  ] as const)("finds a pooler that shares sessions (%s), and sets nothing in them", async (_how, lines, sessions) => {
    await using database = await freshDatabase();
    await using pooler = await startPgbouncer(database.url, [...byTransaction, ...lines]);
    await warm(pooler.url, lines[0] === "pool_mode = statement" ? 0 : sessions);
    await expect(openWarehouse(pooler.url, 2)).rejects.toMatchObject({ code: "database_pooled" });
    const client = new pg.Client({ connectionString: pooler.url });
    await client.connect();
    const { rows } = await client.query(
      "select count(*)::int as count from pg_settings where source = 'session' and name = 'bytea_output'",
    );
    await client.end();
    expect(rows).toEqual([{ count: 0 }]);
  });

  test("by session: a worker loads what it loads without a pooler", async () => {
    const calm = await calmRun({ market });
    await using database = await freshDatabase();
    await using pooler = await startPgbouncer(database.url, ["pool_mode = session", "default_pool_size = 30"]);
    await using stage = await openStage({ market, database: pooler.url });
    await using app = await stage.open();
    const stop = new AbortController();
    const running = runWorker(app, stop.signal);
    const count = async () =>
      (await stage.query<{ count: number }>("select count(*)::int as count from core.fact_keyword_rank"))[0]?.count;
    await Promise.race([running, until(async () => (await count()) === calm.facts["core.fact_keyword_rank"]?.length)]);
    stop.abort();
    expect(await running).toBeNull();
    await expectCalm(stage, calm, 0);
  });

  test.each(["max_client_conn = 1", "default_pool_size = 1"])(
    "says so where no connection is left (%s)",
    async (line) => {
      await using database = await freshDatabase();
      await using pooler = await startPgbouncer(database.url, ["pool_mode = session", line]);
      await expect(openWarehouse(pooler.url, 1, { timeoutMs: 500 })).rejects.toMatchObject({ code: "database_busy" });
    },
  );

  test("says so where all its sessions are in use, whether it lets them wait or gives them up, also to a pool at work", async () => {
    await using database = await freshDatabase();
    const lines = ["pool_mode = session", "default_pool_size = 2", "query_wait_timeout = 2"];
    await using pooler = await startPgbouncer(database.url, lines);
    await using warehouse = await openWarehouse(pooler.url, 2, { timeoutMs: 1_000 });
    const client = new pg.Client({ connectionString: pooler.url });
    client.on("error", () => undefined);
    await client.connect();
    await client.query("select 1");
    const first = await warehouse.pool.connect();
    const lost: unknown = await warehouse.pool.query("select 1").catch((error: unknown) => error);
    first.release();
    expect([isLostConnection(lost), databaseOutage(lost).code]).toEqual([true, "database_busy"]);
    for (const options of [{ timeoutMs: 1_000 }, {}])
      await expect(openWarehouse(pooler.url, 1, options)).rejects.toMatchObject({ code: "database_busy" });
    await client.end();
  });

  test("names the options of the address that it refuses, and not a server that does not respond", async () => {
    await using database = await freshDatabase();
    await using pooler = await startPgbouncer(database.url, ["pool_mode = session"]);
    const opening = openWarehouse(`${pooler.url}&options=${encodeURIComponent("-c work_mem=64MB")}`, 1);
    await expect(opening).rejects.toMatchObject({
      code: "database_options",
      message: expect.stringContaining("options") as string,
    });
  });
});

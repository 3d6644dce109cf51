import { expect, test } from "vitest";
import { runStatement } from "../../src/mcp/run-statement.ts";
import { openWarehouse, type Warehouse } from "../../src/postgres/database.ts";
import { tried } from "../support/granted-stage.ts";
import { until } from "../support/ingest-stage.ts";
import { freshDatabase } from "../support/database.ts";

const limits = { rows: 1_000, ms: 1_000, bytes: 1_000_000 };

const answerTo = ({ pool }: Warehouse, statement: string) =>
  runStatement(pool, statement, limits, new AbortController().signal);

test("a statement that lifts its time limit while it is read in parts meets it again at the next part", async () => {
  await using database = await freshDatabase();
  await using warehouse = await openWarehouse(database.url, 1);
  const lifts = `select set_config('statement_timeout', '0', true), case when n > 150 then pg_sleep(600)::text end
                 from   generate_series(1, 300) as n`;
  await expect(answerTo(warehouse, lifts)).rejects.toMatchObject({ code: "statement_refused" });
  expect((await answerTo(warehouse, "select 1 as n")).rows).toEqual([[1]]);
});

test("each statement has the settings of the pool, even if the server has others and an earlier statement set some", async () => {
  await using database = await freshDatabase();
  const { pathname } = new URL(database.url);
  const own = { timezone: "'Asia/Tokyo'", datestyle: "'German'", search_path: "pg_catalog" };
  for (const [name, value] of Object.entries(own))
    await tried(database.url, `alter database "${pathname.slice(1)}" set ${name} to ${value}`);
  await using warehouse = await openWarehouse(database.url, 1, { session: { "storehouse.today": "2026-08-20" } });
  const shown = `select ${[...Object.keys(own), "storehouse.today"].map((name) => `current_setting('${name}')`).join(", ")}`;
  const [first] = (await answerTo(warehouse, shown)).rows;
  expect(first).toEqual(["UTC", "ISO, YMD", "public", "2026-08-20"]);
  const sets = "select set_config('timezone', 'Asia/Tokyo', false), pg_advisory_lock_shared(7)";
  await answerTo(warehouse, sets);
  expect((await answerTo(warehouse, shown)).rows).toEqual([first]);
  const locks = "select count(*)::int from pg_locks where locktype = 'advisory' and objid = 7";
  // the server ends a session after its answer is here
  await until(async () => (await answerTo(warehouse, locks)).rows[0]?.[0] === 0);
});

test("a statement for which nobody waits any longer ends in the database too, also one that waits for a connection", async () => {
  await using database = await freshDatabase();
  await using warehouse = await openWarehouse(database.url, 1);
  await using other = await openWarehouse(database.url, 1);
  const running = async () =>
    (await other.pool.query("select from pg_stat_activity where state = 'active' and query like 'fetch %'")).rowCount;
  const leaving = new AbortController();
  const slow = { ...limits, ms: 600_000 };
  const answers = [1, 2].map(() => runStatement(warehouse.pool, "select pg_sleep(600)", slow, leaving.signal));
  await until(async () => (await running()) === 1);
  leaving.abort();
  for (const { status } of await Promise.allSettled(answers)) expect(status).toBe("rejected");
  await until(async () => (await running()) === 0);
  expect((await answerTo(warehouse, "select 1 as n")).rows).toEqual([[1]]);
});

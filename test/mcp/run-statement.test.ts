import { expect, test } from "vitest";
import { runStatement } from "../../src/mcp/run-statement.ts";
import { openWarehouse } from "../../src/postgres/database.ts";
import { freshDatabase } from "../support/database.ts";

test("a statement that lifts its time limit while it is read in parts meets it again at the next part", async () => {
  await using database = await freshDatabase();
  await using warehouse = await openWarehouse(database.url, 1);
  const limits = { rows: 1_000, ms: 1_000, bytes: 1_000_000 };
  const lifts = `select set_config('statement_timeout', '0', true), case when n > 150 then pg_sleep(600)::text end
                 from   generate_series(1, 300) as n`;
  await expect(runStatement(warehouse.pool, lifts, limits)).rejects.toMatchObject({ code: "statement_refused" });
  expect((await runStatement(warehouse.pool, "select 1 as n", limits)).rows).toEqual([[1]]);
});

import { expect, test } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import { openWarehouse } from "../../src/postgres/database.ts";
import { migrationTransaction } from "../../src/postgres/migration-transaction.ts";
import { sql } from "../../src/postgres/sql.ts";
import { freshDatabase } from "../support/database.ts";

test("of sessions that have locked something, the one is named whose lock is waited for", async () => {
  await using database = await freshDatabase();
  const opened = (program: string) => openWarehouse(database.url, 3, { session: { application_name: program } });
  await using elder = await opened("storehouse worker");
  await using other = await opened("a report");
  await using warehouse = await opened("storehouse migrate");
  await using stack = new AsyncDisposableStack();
  const begun = async ({ pool }: typeof elder, table: string) => {
    const client = await pool.connect();
    stack.defer(() => client.release(true));
    await client.query(`begin; select from ${table}`);
    return (await client.query<{ pid: number }>("select pg_backend_pid() as pid")).rows[0]?.pid;
  };
  await begun(elder, "core.dim_device");
  const pid = await begun(other, "core.dim_app");
  const holders: unknown[] = [];
  let tries = 0;
  const work = async (transaction: typeof warehouse.db) => {
    tries += 1;
    if (tries === 1) await sql`alter table core.dim_app add column later integer`.execute(transaction);
  };
  await migrationTransaction(warehouse.db, work, {
    clock: systemClock(),
    onLocked: (holder) => void holders.push(holder),
  });
  expect(holders).toMatchObject([{ table: "core.dim_app", held_by: pid, program: "a report" }]);
});

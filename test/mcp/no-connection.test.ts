import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import pg from "pg";
import { expect, test } from "vitest";
import { Settings } from "../../src/config/settings.ts";
import { systemClock } from "../../src/core/clock.ts";
import { createMcpServer } from "../../src/mcp/server.ts";
import { openWarehouse, type Warehouse } from "../../src/postgres/database.ts";
import { freshDatabase } from "../support/database.ts";

/** What a client is answered to a statement that runs on a connection of this pool. */
async function answered(db: Warehouse["db"], reader: pg.Pool): Promise<unknown> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const parts = { db, reader, settings: Settings.parse({}), clock: systemClock(), version: "1" };
  const server = createMcpServer({ ...parts, hide: (text) => text });
  await server.connect(theirs);
  const client = new Client({ name: "test", version: "1" });
  await client.connect(ours);
  const { content } = await client.callTool({ name: "query", arguments: { sql: "select 1" } });
  await client.close();
  return content;
}

/** The answer to a call for which no connection became free. It names no cause, because the pool knows none. */
const noneFree = [
  {
    type: "text",
    text: expect.stringMatching(/^mcp_busy: no connection to the database was free in time; send it again .*responds$/),
  },
];

test("a call for which no connection is free in time, and one while the database is unavailable, say what to do next", async () => {
  await using database = await freshDatabase();
  await using warehouse = await openWarehouse(database.url, 1);
  await using reader = await openWarehouse(database.url, 1, { timeoutMs: 300 });
  const other = await reader.pool.connect();
  const busy = await answered(warehouse.db, reader.pool);
  other.release();
  expect(busy).toEqual(noneFree);
  const away = new pg.Pool({ connectionString: "postgres://reader:secret@127.0.0.1:1/storehouse" });
  expect(await answered(warehouse.db, away)).toEqual([
    { type: "text", text: expect.stringMatching(/^database_unreachable: .*; check DATABASE_URL/) },
  ]);
});

test("a call whose statement ran and whose coverage got no connection does not say that it did not start", async () => {
  await using database = await freshDatabase();
  await using warehouse = await openWarehouse(database.url, 1, { timeoutMs: 300 });
  await using reader = await openWarehouse(database.url, 1);
  const other = await warehouse.pool.connect();
  const busy = await answered(warehouse.db, reader.pool);
  other.release();
  expect(busy).toEqual(noneFree);
});

test("a call to a database that does not respond does not say that others use its connections", async () => {
  await using database = await freshDatabase();
  await using warehouse = await openWarehouse(database.url, 1);
  const silent = createServer();
  await once(silent.listen(0, "127.0.0.1"), "listening");
  const { port } = silent.address() as AddressInfo;
  const away = new pg.Pool({ host: "127.0.0.1", port, max: 1, connectionTimeoutMillis: 300 });
  const [first, second] = await Promise.all([answered(warehouse.db, away), answered(warehouse.db, away)]);
  silent.close();
  expect(first).toEqual([{ type: "text", text: expect.stringMatching(/^database_unreachable: /) }]);
  expect(second).toEqual(noneFree);
});

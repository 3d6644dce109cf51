import { sql } from "../../src/postgres/sql.ts";
import pg from "pg";
import { describe, expect, test } from "vitest";
import { connectionProblem, databaseOutage, isLostConnection, isPassing } from "../../src/postgres/database-errors.ts";
import { liftReplyLimit, openWarehouse } from "../../src/postgres/database.ts";
import { withAdvisoryLock } from "../../src/postgres/advisory-lock.ts";
import { freshDatabase } from "../support/database.ts";

function databaseError(code: string): Error {
  const error = new pg.DatabaseError("some words", 10, "error");
  error.code = code;
  return error;
}

describe("an error of the database", () => {
  test.each(["08006", "08P01", "57P01", "57P03", "53300", "53100", "25006", "25P03", "25P04"])(
    "%s means that nothing was decided",
    (code) => {
      expect(isLostConnection(databaseError(code))).toBe(true);
    },
  );

  test.each(["23505", "22P02", "42P01", "53200", "57014"])("%s is an answer", (code) => {
    expect(isLostConnection(databaseError(code))).toBe(false);
  });

  test.each([
    ["23505", true],
    ["40001", true],
    ["40P01", true],
    ["53200", true],
    ["57014", true],
    ["23514", false],
    ["57P01", false],
  ])("%s is worth another try: %s", (code, worth) => {
    expect(isPassing(databaseError(code))).toBe(worth);
  });

  test.each([
    ["no more connections allowed (max_client_conn)", "database_busy"],
    ["MaxClientsInSessionMode: max clients reached", "database_busy"],
    ["could not write init file", "database_full"],
  ])(
    "of a pooler without a connection left, or of a full disk that keeps a login out, means the same: %s",
    (message, code) => {
      const error = new pg.DatabaseError(message, 10, "error");
      error.code = "XX000";
      expect(isLostConnection(error)).toBe(true);
      expect(databaseOutage(error)).toMatchObject({ code });
      expect(connectionProblem(error)).toMatchObject({ code });
    },
  );

  test("a fault of ours is neither", () => {
    for (const error of [new Error("no key"), new TypeError("undefined"), "text", null]) {
      expect([isLostConnection(error), isPassing(error)]).toEqual([false, false]);
    }
  });

  test("a connection that the server ended in an idle transaction, as over a machine that slept, is lost", async () => {
    await using database = await freshDatabase();
    await using warehouse = await openWarehouse(database.url, 1);
    const client = await warehouse.pool.connect();
    const ended = new Promise<unknown>((resolve) => client.once("error", resolve));
    await client.query("set idle_in_transaction_session_timeout = 1; begin");
    const error = await ended;
    client.release(true);
    expect(error).toMatchObject({ code: "25P03" });
    expect(isLostConnection(error)).toBe(true);
  });

  test("a connection that the server ends under a query is lost", async () => {
    await using database = await freshDatabase();
    await using warehouse = await openWarehouse(database.url, 1);
    const error = await warehouse.pool
      .query("select pg_terminate_backend(pg_backend_pid())")
      .catch((cause: unknown) => cause);
    expect(isLostConnection(error)).toBe(true);
    expect((await warehouse.pool.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
  });

  test("a statement without a reply is given up with the setting that limits it, unless the limit is lifted", async () => {
    await using database = await freshDatabase();
    await using warehouse = await openWarehouse(database.url, 1, { timeoutMs: 1500 });
    const client = await warehouse.pool.connect();
    client.on("error", () => undefined);
    const restore = liftReplyLimit(client);
    expect((await client.query("select pg_sleep(2), 1 as one")).rows).toMatchObject([{ one: 1 }]);
    restore();
    const error = await client.query("select pg_sleep(60)").catch((cause: unknown) => cause);
    client.release();
    expect(isLostConnection(error)).toBe(true);
    expect(databaseOutage(error).message).toContain(
      "a statement had no reply for 1.5 s, the limit of database.timeout_seconds",
    );
  });

  test("a connection on which a transaction broke is lost for every later query", async () => {
    await using database = await freshDatabase();
    await using warehouse = await openWarehouse(database.url, 2);
    const error = await withAdvisoryLock(warehouse.db, "keywords", (locked) =>
      locked
        .transaction()
        .execute((transaction) => sql`select pg_terminate_backend(pg_backend_pid())`.execute(transaction)),
    ).catch((cause: unknown) => cause);
    expect(isLostConnection(error)).toBe(true);
  });

  test("a server that nobody reaches is lost", async () => {
    const client = new pg.Client({ connectionString: "postgres://storehouse@127.0.0.1:1/storehouse" });
    const error = await client.connect().catch((cause: unknown) => cause);
    expect(isLostConnection(error)).toBe(true);
  });
});

import { inspect } from "node:util";
import { randomBytes } from "node:crypto";
import { describe, expect, test, vi } from "vitest";
import { UsageError } from "../../src/core/errors.ts";
import { type Database, openWarehouse } from "../../src/postgres/database.ts";
import { sql } from "../../src/postgres/sql.ts";
import { freshDatabase } from "../support/database.ts";
import { emptyDatabase } from "../support/warehouse-empty.ts";
import { serverOfVersion } from "../support/warehouse-old-server.ts";

/** What opening ends with: everything that a log or a screen could show of it, too. */
async function refusal(url: string) {
  const error: unknown = await openWarehouse(url, 1).then(
    () => null,
    (cause: unknown) => cause,
  );
  if (!(error instanceof UsageError))
    throw new Error("the database was opened, or the error is none of ours", { cause: error });
  return { error, shown: `${inspect(error, { depth: 9, showHidden: true })} ${JSON.stringify(error)}` };
}

describe("a database that cannot be used", () => {
  test("nobody listens: the error names DATABASE_URL and keeps the password to itself", async () => {
    const { error, shown } = await refusal("postgres://somebody:s3cret-word@127.0.0.1:1/any");
    expect(error).toMatchObject({ code: "database_unreachable", context: { code: "ECONNREFUSED" } });
    expect(error.message).toContain("DATABASE_URL");
    expect(shown).not.toContain("s3cret-word");
  });

  test("the name of the server leads nowhere", async () => {
    const { error, shown } = await refusal("postgres://somebody:s3cret-word@no-such-host.invalid/any");
    expect(error.message).toContain("DATABASE_URL");
    expect(shown).not.toContain("s3cret-word");
  });

  test("the address cannot be read", async () => {
    const { error, shown } = await refusal("postgres://somebody:s3cret-word@127.0.0.1:notaport/any");
    expect(error.message).toContain("DATABASE_URL");
    expect(shown).not.toContain("s3cret-word");
  });

  test.each([
    ["is wrong", "s3cret-word", "28P01"],
    ["is missing", "", "no password that it accepts"],
  ])("the password %s", async (_, password, code) => {
    vi.stubEnv("PGPASSFILE", "/no/such/file");
    await using database = await freshDatabase();
    await using warehouse = await openWarehouse(database.url, 1);
    const role = `storehouse_test_${randomBytes(6).toString("hex")}`;
    const url = new URL(database.url);
    [url.username, url.password] = [role, password];
    await warehouse.pool.query(`create role ${role} login password 'another'`);
    try {
      const { error, shown } = await refusal(url.href);
      expect(error).toMatchObject({ code: "database_refused", context: { code } });
      expect(error.message).toContain("DATABASE_URL");
      expect(shown).not.toContain("s3cret-word");
    } finally {
      await warehouse.pool.query(`drop role ${role}`);
    }
  });

  test("its encoding cannot hold every character", async () => {
    await using database = await emptyDatabase("LATIN1");
    const { error } = await refusal(database.url);
    expect(error.message).toBe(
      "database_encoding: the encoding of the database is LATIN1, which cannot hold every character; use a database with encoding UTF8: `create database storehouse encoding 'UTF8' template template0`",
    );
  });

  test("no connection is left", async () => {
    await using database = await freshDatabase();
    await using warehouse = await openWarehouse(database.url, 1);
    const role = `storehouse_test_${randomBytes(6).toString("hex")}`;
    const url = new URL(database.url);
    [url.username, url.password] = [role, "s3cret-word"];
    await warehouse.pool.query(`create role ${role} login password 's3cret-word' connection limit 0`);
    try {
      const { error, shown } = await refusal(url.href);
      expect(error.code).toBe("database_busy");
      expect(shown).not.toContain("s3cret-word");
    } finally {
      await warehouse.pool.query(`drop role ${role}`);
    }
  });

  test("the server is older than Postgres 15", async () => {
    await using server = await serverOfVersion(140_011);
    const { error, shown } = await refusal(server.url);
    expect(error.message).toMatch(/DATABASE_URL/);
    expect(error.message).toMatch(/Postgres 15/);
    expect(shown).not.toContain("s3cret-word");
    await using new15 = await serverOfVersion(150_000);
    await (await openWarehouse(new15.url, 1))[Symbol.asyncDispose]();
  });
});

describe("an open database", () => {
  test.each(["Pacific/Apia", "America/Los_Angeles", "UTC"])(
    "gives days and zoneless times as text in %s",
    async (zone) => {
      vi.stubEnv("TZ", zone);
      await using database = await freshDatabase();
      await using warehouse = await openWarehouse(database.url, 1);
      const { rows } = await warehouse.pool.query(`
      select date '2026-03-29' as day, timestamp '2026-03-29 02:30:00' as time, null::date as none,
             array[date '2026-03-29', null] as days, array[timestamp '2026-03-29 02:30:00'] as times,
             timestamptz '2026-03-29 02:30:00+00' as instant, current_setting('TimeZone') as zone`);
      expect(rows).toEqual([
        {
          day: "2026-03-29",
          time: "2026-03-29 02:30:00",
          none: null,
          days: ["2026-03-29", null],
          times: ["2026-03-29 02:30:00"],
          instant: new Date("2026-03-29T02:30:00Z"),
          zone: "UTC",
        },
      ]);
    },
  );

  test("sets what it relies on, also where database and role have other settings for other programs", async () => {
    await using database = await freshDatabase();
    await using before = await openWarehouse(database.url, 1);
    const name = new URL(database.url).pathname.slice(1);
    const foreign = {
      DateStyle: "SQL, DMY",
      TimeZone: "Pacific/Apia",
      IntervalStyle: "sql_standard",
      bytea_output: "escape",
      extra_float_digits: "-15",
      default_transaction_isolation: "serializable",
      jit: "on",
      array_nulls: "off",
      lock_timeout: "1min",
      // longer than the question for the server takes, which is put before anything is set
      statement_timeout: "1min",
      search_path: "pg_temp, pg_catalog",
    };
    for (const [setting, value] of Object.entries(foreign))
      await before.pool.query(
        `alter database ${name} set ${setting} = ${setting === "search_path" ? value : `'${value}'`}`,
      );
    await using warehouse = await openWarehouse(database.url, 1);
    const { rows } = await warehouse.pool.query(`
      select date '2026-03-29' as day, array[timestamp '2026-03-29 02:30:00'] as times, interval '1 day 2 hours'::text as duration,
             timestamptz '2026-03-29 02:30:00+00' as instant, '2026-03-29 02:30:00+00'::timestamptz::date as "dayOf",
             '\\x00ff'::bytea as bytes, '{1,NULL}'::int[] as numbers, 0.1::float8 + 0.2::float8 as number, current_setting('transaction_isolation') as isolation,
             current_setting('lock_timeout') as "lockTimeout", current_setting('statement_timeout') as "statementTimeout",
             current_setting('jit') as jit, current_setting('search_path') as path`);
    expect(rows).toEqual([
      {
        day: "2026-03-29",
        times: ["2026-03-29 02:30:00"],
        duration: "1 day 02:00:00",
        instant: new Date("2026-03-29T02:30:00Z"),
        dayOf: "2026-03-29",
        bytes: Buffer.from([0, 255]),
        numbers: [1, null],
        number: 0.1 + 0.2,
        isolation: "read committed",
        lockTimeout: "0",
        statementTimeout: "0",
        jit: "off",
        path: "public",
      },
    ]);
  });

  test("has the settings that it relies on also where the address has options of its own, and names those that it cannot have", async () => {
    await using database = await freshDatabase();
    const withOptions = (options: string) => `${database.url}?options=${encodeURIComponent(options)}`;
    await using warehouse = await openWarehouse(withOptions("-c timezone=Pacific/Apia -c work_mem=65MB"), 1);
    const { rows } = await warehouse.pool.query(
      "select current_setting('timezone') as zone, current_setting('work_mem') as memory",
    );
    expect(rows).toEqual([{ zone: "UTC", memory: "65MB" }]);
    expect((await refusal(withOptions("-c no_such_setting=1"))).error.code).toBe("database_options");
    expect((await refusal(withOptions("-c work_mem=much"))).error.code).toBe("database_options");
  });

  test("keeps a connection over the pauses of a worker with nothing due", async () => {
    await using database = await freshDatabase();
    await using warehouse = await openWarehouse(database.url, 1);
    const session = async () =>
      (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(warehouse.db)).rows[0]?.pid;
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const first = await session();
      vi.advanceTimersByTime(60_000);
      expect(await session()).toBe(first);
    } finally {
      vi.useRealTimers();
    }
  });

  test.each(["db", "connection"] as const)("refuses a transaction inside another one (%s)", async (on) => {
    await using database = await freshDatabase();
    await using warehouse = await openWarehouse(database.url, 1);
    await warehouse.pool.query("create table public.entry (one integer)");
    const outer = (db: Database) =>
      db.transaction().execute(async (transaction) => {
        await sql`insert into public.entry values (1)`.execute(transaction);
        await transaction.transaction().execute((inner) => sql`insert into public.entry values (2)`.execute(inner));
      });
    const work = on === "db" ? outer(warehouse.db) : warehouse.db.connection().execute(outer);
    await expect(work).rejects.toThrow("a transaction is under way on this connection");
    // neither of them is committed, and the next one on the connection is
    await warehouse.db
      .transaction()
      .execute((transaction) => sql`insert into public.entry values (3)`.execute(transaction));
    expect((await warehouse.pool.query("select one from public.entry")).rows).toEqual([{ one: 3 }]);
  });
});

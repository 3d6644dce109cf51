import { fork } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { sql } from "../../src/postgres/sql.ts";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import { UsageError } from "../../src/core/errors.ts";
import { checkMigrations } from "../../src/doctor/database-checks.ts";
import { openWarehouse } from "../../src/postgres/database.ts";
import { databaseOutage } from "../../src/postgres/database-errors.ts";
import { migrate, migrateWarehouse } from "../../src/postgres/migrate.ts";
import { isUpToDate } from "../../src/postgres/pending-migrations.ts";
import { freshDatabase } from "../support/database.ts";
import { emptyDatabase } from "../support/warehouse-empty.ts";

const root = path.join(import.meta.dirname, "../..");

describe("migrate", () => {
  test.each(["core.dim_app", "ops.migration", "graphile_worker.jobs"])(
    "refuses a database with %s of another program, and changes nothing",
    async (thing) => {
      await using database = await emptyDatabase();
      await using warehouse = await openWarehouse(database.url, 1);
      await warehouse.pool.query(
        `create schema ${thing.split(".")[0]}; create table ${thing} (id integer, title text)`,
      );
      await expect(migrate(database.url)).rejects.toMatchObject({
        code: "database_taken",
        message: expect.stringContaining(`the database already has ${thing} of another program`) as string,
      });
      const { rows } = await warehouse.pool.query("select to_regclass('ops.slice') as made");
      expect(rows).toEqual([{ made: null }]);
    },
  );

  test("names the migration that Postgres refuses and the object in its way, and changes nothing", async () => {
    await using database = await emptyDatabase();
    await using warehouse = await openWarehouse(database.url, 2);
    await warehouse.pool.query("create schema ops; create function ops.today() returns text return ''");
    const problem = await migrate(database.url).catch((error: unknown) => error);
    expect(problem).toBeInstanceOf(UsageError);
    expect(problem).toMatchObject({
      code: "migration_failed",
      message: expect.stringMatching(/0002-conventions failed.*: function "today" already exists.*; rename/) as string,
    });
    expect((await warehouse.pool.query("select to_regclass('ops.migration') as made")).rows).toEqual([{ made: null }]);
    expect(await checkMigrations(warehouse.db)).toMatchObject({
      state: "fail",
      found: expect.stringContaining('function "today" already exists') as string,
    });
  });

  test("says of a connection that broke meanwhile why it did, and names no file", async () => {
    await using database = await emptyDatabase();
    await using other = await openWarehouse(database.url, 1);
    await using warehouse = await openWarehouse(database.url, 3, { timeoutMs: 1000 });
    await other.pool.query("begin; create schema raw");
    const error: unknown = await migrateWarehouse(warehouse).catch((cause: unknown) => cause);
    await other.pool.query("rollback");
    expect(databaseOutage(error).message).toContain("a statement had no reply for 1 s");
  });

  test("waits for what another session has locked, reports that session, and lets those who read get through between its tries", async () => {
    await using database = await emptyDatabase();
    await using other = await openWarehouse(database.url, 1, { session: { application_name: "a report" } });
    await using warehouse = await openWarehouse(database.url, 3);
    await other.pool.query(
      "create schema ops; create table ops.migration (name text primary key, ran_at timestamptz not null)",
    );
    await other.pool.query("begin; lock table ops.migration in share mode");
    const { rows } = await other.pool.query<{ pid: number }>("select pg_backend_pid() as pid");
    const holders: unknown[] = [];
    const first = Promise.withResolvers<void>();
    const migrating = migrateWarehouse(warehouse, {
      clock: systemClock(),
      onLocked: (holder) => (holders.push(holder), first.resolve()),
    });
    await Promise.race([first.promise, migrating]);
    expect(holders).toMatchObject([{ table: "ops.migration", held_by: rows[0]?.pid, program: "a report" }]);
    const waiting = await other.pool.query(
      "select from pg_locks where not granted and relation = 'ops.migration'::regclass",
    );
    expect(waiting.rows).toEqual([]);
    await other.pool.query("commit");
    expect((await migrating).length).toBeGreaterThan(50);
  });

  test("leaves nothing to do, which the next start sees without loading the queue", async () => {
    await using database = await freshDatabase();
    await using warehouse = await openWarehouse(database.url, 1);
    expect(await isUpToDate(warehouse.db)).toBe(true);
    await warehouse.pool.query("insert into ops.migration (name, ran_at) values ('9999-newer', now())");
    expect(await isUpToDate(warehouse.db)).toBe(false);
    await warehouse.pool.query("delete from ops.migration where name >= '9' or name < '0001-z'");
    expect(await isUpToDate(warehouse.db)).toBe(false);
  });

  test("brings the queue's own tables along", async () => {
    await using database = await freshDatabase();
    await using warehouse = await openWarehouse(database.url, 1);
    const { rows } = await warehouse.pool.query("select count(*)::int as jobs from graphile_worker.jobs");
    expect(rows).toEqual([{ jobs: 0 }]);
  });

  test("runs every numbered file of migrations/ in order of its name, once when processes start at the same moment, and all of them go on", async () => {
    await using database = await emptyDatabase();
    const program = new URL("../support/warehouse-migrator.ts", import.meta.url);
    const children = [1, 2].map(() => fork(program, [database.url]));
    await Promise.all(children.map((child) => once(child, "message")));
    const reported = children.map((child) => once(child, "message"));
    const ended = children.map((child) => once(child, "exit"));
    for (const child of children) child.send("go");
    const ran = (await Promise.all(reported)).map(([names]) => names as string[]);
    const files = (await readdir(path.join(root, "migrations")))
      .filter((file) => file !== "schema.sql")
      .map((file) => file.replace(/\.sql$/, ""))
      .sort();
    expect(ran.filter((names) => names.length > 0)).toEqual([files]);
    expect(await migrate(database.url)).toEqual([]);
    expect((await Promise.all(ended)).map(([code]) => code as number)).toEqual([0, 0]);
  });

  test("explains every table, view and column that it makes", async () => {
    await using database = await freshDatabase();
    await using warehouse = await openWarehouse(database.url, 1);
    const { rows } = await sql<{ name: string }>`
      select concat_ws('.', n.nspname, c.relname, a.attname) as name
      from   pg_class as c
      join   pg_namespace as n on n.oid = c.relnamespace
      left   join lateral (
        select null::name as attname, 0 as attnum
        union all select attname, attnum from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped) as a on true
      where  n.nspname in ('core', 'ops', 'raw', 'mart') and c.relkind in ('r', 'p', 'v', 'm')
      and    coalesce(case a.attnum when 0 then obj_description(c.oid, 'pg_class') else col_description(c.oid, a.attnum) end, '') = ''
      order  by 1`.execute(warehouse.db);
    expect(rows.map(({ name }) => name)).toEqual([]);
  });

  test("refers from every key of a table to its dimension", async () => {
    await using database = await freshDatabase();
    await using warehouse = await openWarehouse(database.url, 1);
    const { rows } = await sql<{ name: string }>`
      select concat_ws('.', c.relname, a.attname) as name
      from   pg_class as c
      join   pg_attribute as a on a.attrelid = c.oid and a.attname ~ '((app|country|keyword|device)_key|date_day|period_(start|end))$'
      where  c.relnamespace = 'core'::regnamespace and c.relkind in ('r', 'p') and not starts_with(c.relname, 'dim_')
      -- its rows are the user's, of any day
      and    c.relname <> 'reporting_rate'
      and    not exists (select from pg_constraint as k where k.conrelid = c.oid and k.contype = 'f' and k.conkey = array[a.attnum])`.execute(
      warehouse.db,
    );
    expect(rows).toEqual([]);
  });
});

import { beforeAll, describe, expect, test } from "vitest";
import { openExportStage } from "../support/export-stage.ts";
import { forTests } from "../support/for-tests.ts";

const stage = forTests(openExportStage);

/** A table of every type, with the values that go wrong most easily. */
const oddities = `
  create table mart.oddity (
    id integer primary key, small smallint, big bigint, price numeric(12,4), wide numeric(38,0), free numeric, half double precision,
    is_so boolean, date_at date, instant timestamptz, reading timestamp, words text, "odd "" name" text, extra jsonb, tags text[], days date[]
  );
  insert into mart.oddity values
    (1, -32768, 9223372036854775807, 12345678.9012, 99999999999999999999999999999999999999, 0.1, 1e300, true, '2026-02-28', '2026-03-29 01:30:00.123456+02', '2026-03-29 02:30:00.5',
     'plain', 'x', '{"b": [1, null], "a": "é\\n"}', '{a,"b,c","d\\"e",NULL,""}', '{2026-01-01,NULL}'),
    (2, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null),
    (3, 0, -9223372036854775808, -0.0001, 0, 123456789012345678, -0.0, false, '0001-01-01', '1999-12-31 23:59:59.999999Z', '9999-12-31 23:59:59.999999',
     '', E'\\\\N', '"\\\\N"', '{}', '{}'),
    (4, 1, 1, 1, 1, 'NaN', 'Infinity', true, 'infinity', '-infinity', 'infinity',
     E'👩‍👩‍👧 𐍈 السلام עברית ไทย\\r\\n"quoted", tab\\t and \\\\N and \\u00a0', E'line one\\nline two', 'null', '{NULL}', null),
    (5, 1, 1, 1, 1, 1e-30, 1, true, '2026-01-01', '2026-01-01', '2026-01-01', repeat('長い', 1000000), ' lead and trail ', '{}', '{"{}"}', '{2026-12-31}')`;

describe("what DuckDB reads back", () => {
  beforeAll(async () => {
    await stage.pool.query(oddities);
    await stage.export(["mart.oddity"]);
  });

  test("has each type as it was, the column's name included", async () => {
    const types = await stage.read(
      "select column_name, column_type from (describe select * from 'OUT/mart/oddity/*.parquet')",
    );
    expect(Object.fromEntries(types)).toEqual({
      id: "INTEGER",
      small: "SMALLINT",
      big: "BIGINT",
      price: "DECIMAL(12,4)",
      wide: "DECIMAL(38,0)",
      free: "DOUBLE",
      half: "DOUBLE",
      is_so: "BOOLEAN",
      date_at: "DATE",
      instant: "TIMESTAMP WITH TIME ZONE",
      reading: "TIMESTAMP",
      words: "VARCHAR",
      'odd " name': "VARCHAR",
      extra: "VARCHAR",
      tags: "VARCHAR[]",
      days: "DATE[]",
    });
  });

  test.each([
    ["small", "small::text"],
    ["big", "big::text"],
    ["price", "price::text"],
    ["wide", "wide::text"],
    ["is_so", "is_so::text"],
    ["date_at", "date_at::text"],
    [
      "strftime(reading, '%Y-%m-%d %H:%M:%S.%f')",
      "to_char(reading, 'YYYY-MM-DD HH24:MI:SS.US')",
      "reading <> 'infinity'",
    ],
    [
      "strftime(instant, '%Y-%m-%d %H:%M:%S.%f')",
      "to_char(instant at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US')",
      "instant <> '-infinity'",
    ],
    ["isinf(instant)", "(not isfinite(instant))::text"],
    ["isinf(reading)", "(not isfinite(reading))::text"],
    ["words", "words"],
    ['"odd "" name"', '"odd "" name"'],
    ["extra", "extra::text"],
    ["len(tags)", "cardinality(tags)::text"],
    ["tags[4]", "tags[4]"],
    ["tags[3]", "tags[3]"],
    ["days[1]", "days[1]::text"],
  ])("has every value of %s as Postgres has it", async (there, here, where = "true") => {
    const { rows } = await stage.pool.query<{ id: number; value: string | null }>(
      `select id, ${here} as value from mart.oddity where ${where} order by id`,
    );
    const ids = rows.map(({ id }) => id);
    const read = await stage.read(
      `select cast(${there} as varchar) from 'OUT/mart/oddity/*.parquet' where id in (${ids.join(", ")}) order by id`,
    );
    expect(read.map(([value]) => value)).toEqual(rows.map(({ value }) => value));
  });

  test("has numbers without a fixed count of digits as the nearest double", async () => {
    const { rows } = await stage.pool.query("select free::float8 as free, half from mart.oddity order by id");
    const read = await stage.read(
      "select cast(free as varchar), cast(half as varchar) from 'OUT/mart/oddity/*.parquet' order by id",
    );
    const number = (text: string | null | undefined) => (text == null ? null : Number(text.replace("inf", "Infinity")));
    expect(read.map(([free, half]) => ({ free: number(free), half: number(half) }))).toEqual(rows);
  });
});

test("every table and view of the warehouse can be exported and read back with its own columns", async () => {
  const { rows } = await stage.pool.query<{ name: string }>(`
    select n.nspname || '.' || c.relname as name from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
    where (n.nspname in ('core', 'mart') or n.nspname = 'ops' and c.relkind = 'v') and c.relkind in ('r', 'p', 'v') and not c.relispartition`);
  const done = await stage.export(["core", "mart", "ops"]);
  expect(done.map(({ table }) => table).sort()).toEqual(rows.map(({ name }) => name).sort());
  const whole = done.filter(({ written }) => written > 0);
  expect(whole.map(({ table }) => table)).toContain("core.dim_date");
  for (const { table } of whole) {
    const manifest = await stage.manifest(table);
    const read = await stage.read(
      `select column_name from (describe select * from 'OUT/${table.replace(".", "/")}/*.parquet')`,
    );
    expect(read.map(([name]) => name)).toEqual(manifest.columns.map(({ name }) => name));
  }
});

test("rows of no day, of a view, have a folder of their own", async () => {
  await stage.pool.query(
    "create view mart.dayless as select * from (values (date '2026-01-31', 1), (null, 2)) as v (date_day, n)",
  );
  await stage.export(["dayless"]);
  const read = await stage.read(
    "select n, date_month from read_parquet('OUT/mart/dayless/**/*.parquet', hive_partitioning = true) order by n",
  );
  expect(read).toEqual([
    [1, "2026-01"],
    [2, null],
  ]);
  expect((await stage.manifest("mart.dayless")).files.map(({ window }) => window)).toEqual([
    { from: "2026-01-01", to: "2026-01-31" },
    null,
  ]);
});

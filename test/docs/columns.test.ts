import pg from "pg";
import { describe, expect, test } from "vitest";
import { columnTables } from "../../src/docs/column-tables.ts";
import { migratedTables, tablesOf } from "../../src/docs/migrated-tables.ts";
import { freshDatabase } from "../support/database.ts";

/** Every relation of ours with its columns as the database has them, types by their short names. */
const asTheDatabaseHasThem = `
  select n.nspname || '.' || c.relname as name, c.relkind = 'v' as "isView", coalesce(obj_description(c.oid, 'pg_class'), '') as comment,
         (select jsonb_agg(jsonb_build_object('name', a.attname, 'comment', coalesce(col_description(c.oid, a.attnum), ''),
                   'type', case when c.relkind = 'v' then '' else
                             replace(replace(format_type(a.atttypid, a.atttypmod), 'timestamp with time zone', 'timestamptz'),
                                     'timestamp without time zone', 'timestamp') end) order by a.attname)
          from   pg_attribute as a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns
  from   pg_class as c
  join   pg_namespace as n on n.oid = c.relnamespace
  where  n.nspname in ('core', 'mart', 'ops', 'raw') and c.relkind in ('r', 'p', 'v') and c.relname not like 'migration%'
  order  by 1`;

describe("the tables that the migrations make", () => {
  test("are read from their text as a database has them: names, types, columns and comments", async () => {
    await using database = await freshDatabase();
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const { rows } = await client.query(asTheDatabaseHasThem);
    await client.end();
    const read = migratedTables().map((table) => ({
      ...table,
      columns: [...table.columns].sort((a, b) => (a.name < b.name ? -1 : 1)),
    }));
    expect(read.sort((a, b) => (a.name < b.name ? -1 : 1))).toEqual(rows);
  });

  test("are told with what later migrations changed of them", () => {
    const [table, ...others] = tablesOf(`
create table core.a (
  one   integer not null references core.b (c),
  two   text[],
  three double precision,
  primary key (one)
) partition by range (one);
comment on table  core.a     is 'It''s one; see below.';
comment on column core.a.one is 'First.';
create view mart.gone as select 1;
drop view mart.gone;
alter table core.a rename column two to second;
alter table core.a add column four numeric(10, 2) not null, drop column three;
comment on column core.a.one is 'The first.';
`);
    expect(others).toEqual([]);
    expect(table).toEqual({
      name: "core.a",
      isView: false,
      comment: "It's one; see below.",
      columns: [
        { name: "one", type: "integer", comment: "The first." },
        { name: "second", type: "text[]", comment: "" },
        { name: "four", type: "numeric(10, 2)", comment: "" },
      ],
    });
  });
});

test("README's tables of columns name every table and view of core and mart, and explain every column", () => {
  const text = columnTables();
  const shown = migratedTables().filter(({ name }) => /^(core|mart)\./.test(name));
  for (const { name, columns } of shown) {
    expect(text).toContain(`<code>${name}</code>`);
    expect(columns.length).toBeGreaterThan(0);
  }
  expect(text).not.toMatch(/\| +\|$/m);
});

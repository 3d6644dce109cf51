import { describe, expect, test } from "vitest";
import { createApp } from "../../src/app.ts";
import { Settings } from "../../src/config/settings.ts";
import { systemClock } from "../../src/core/clock.ts";
import { day } from "../../src/core/day.ts";
import { openWarehouse } from "../../src/postgres/database.ts";
import { migrate } from "../../src/postgres/migrate.ts";
import { retire } from "../../src/runs/retention.ts";
import { grant, openGranted, tried, triedEach } from "../support/granted-stage.ts";
import { forTests } from "../support/for-tests.ts";

const stage = forTests(openGranted);

/** Tables and views by schema, as the superuser sees them. */
async function things(): Promise<readonly { schema: string; name: string; isView: boolean }[]> {
  return (await tried(
    stage.adminUrl,
    `select n.nspname as schema, format('%I.%I', n.nspname, c.relname) as name, c.relkind in ('v', 'm') as "isView"
     from   pg_class as c join pg_namespace as n on n.oid = c.relnamespace
     where  n.nspname !~ '^pg_|information_schema|public' and c.relkind in ('r', 'p', 'v', 'm') order by 2`,
  )) as never;
}

describe("the reader", () => {
  test("sees every table and view of mart and core and every view of ops, and nothing else", async () => {
    await tried(stage.adminUrl, "select ops.make_partition('core.fact_keyword_rank', '2026-03-01')");
    const [seen, unseen]: [string[], string[]] = [[], []];
    const all = await things();
    const answers = await triedEach(
      stage.urlOf("reader"),
      all.map(({ name }) => `select * from ${name} limit 1`),
    );
    for (const [place, { schema, name, isView }] of all.entries()) {
      const answer = answers[place];
      const may = schema === "core" || schema === "mart" || (schema === "ops" && isView);
      if (Array.isArray(answer) !== may) unseen.push(`${name} ${String(answer)}`);
      if (Array.isArray(answer)) seen.push(schema);
    }
    expect(unseen).toEqual([]);
    expect([...new Set(seen)].sort()).toEqual(["core", "mart", "ops"]);
    expect(seen.length).toBeGreaterThan(50);
  });

  test("changes nothing, not even where its session requests it", async () => {
    const all = (await things()).filter(({ isView }) => !isView);
    const reader = stage.urlOf("reader");
    const writable = "set default_transaction_read_only = off";
    const statements = [
      ...all.flatMap(({ name }) => [`delete from ${name}`, `truncate ${name}`, `insert into ${name} default values`]),
      "create schema mine",
      "create table mart.mine (a int)",
      "create table public.mine (a int)",
      "select ops.make_partition('core.fact_keyword_rank', '2026-04-01')",
      "select graphile_worker.add_job('plan_due')",
      "alter role storehouse_reader superuser",
      "set role storehouse_loader",
      "copy (select 1) to program 'true'",
    ];
    const ends = await triedEach(reader, statements, writable);
    expect(statements.map((statement, place) => [statement, ends[place]])).toEqual(
      statements.map((statement) => [statement, "42501"]),
    );
    expect(await tried(reader, "insert into core.dim_keyword (keyword) values ('x')")).toBe("25006");
  });

  test("has sessions that only read and end automatically, unless a setting says otherwise", async () => {
    const shown = async () => [
      await tried(stage.urlOf("reader"), "show default_transaction_read_only"),
      await tried(stage.urlOf("reader"), "show statement_timeout"),
      await tried(stage.urlOf("reader"), "show jit"),
    ];
    expect(await shown()).toEqual([
      [{ default_transaction_read_only: "on" }],
      [{ statement_timeout: "5min" }],
      [{ jit: "off" }],
    ]);
    await tried(stage.adminUrl, "alter role storehouse_reader in database stage_1 set statement_timeout = '9s'");
    await grant(stage.adminUrl);
    expect((await shown())[1]).toEqual([{ statement_timeout: "9s" }]);
  });

  test("finds primary and foreign keys in information_schema", async () => {
    const keys = await tried(
      stage.urlOf("reader"),
      `select constraint_type as type, count(*)::int as count from information_schema.table_constraints as t
       join information_schema.key_column_usage as k using (constraint_schema, constraint_name) group by 1 order by 1`,
    );
    const all = await tried(
      stage.adminUrl,
      `select case contype when 'f' then 'FOREIGN KEY' when 'p' then 'PRIMARY KEY' else 'UNIQUE' end as type, sum(cardinality(conkey))::int as count
       from pg_constraint where connamespace = 'core'::regnamespace and contype in ('p', 'f', 'u') group by 1 order by 1`,
    );
    expect(keys).toEqual(all);
  });
});

describe("the loader", () => {
  test("makes partitions of facts and nothing else", async () => {
    const loader = stage.urlOf("loader");
    const make = (fact: string, month: string) =>
      tried(loader, `select is_new as made from ops.make_partition(${fact}, ${month})`);
    expect(await make("'core.fact_keyword_rank'", "'2026-05-01'")).toEqual([{ made: true }]);
    expect(await make("'core.fact_keyword_rank'", "'2026-05-01'")).toEqual([{ made: false }]);
    for (const fact of [
      "'core.dim_app'",
      "'ops.slice'",
      "'pg_catalog.pg_class'",
      "'mart.keyword_rank_daily'",
      "'parts.fact_keyword_rank_2026_05'",
      "null",
    ])
      expect([fact, await make(fact, "'2026-05-01'")]).toEqual([fact, fact.startsWith("'parts") ? "42501" : "22023"]);
    for (const month of ["null", "'infinity'", "'-infinity'", "'0044-03-01 BC'", "'9999-01-01'"])
      expect([month, await make("'core.fact_keyword_rank'", month)]).toEqual([month, "22023"]);
    // tables of its own by the same names stand in the way of nothing
    const shadowed = await tried(
      loader,
      "create temp table pg_class (oid oid, relname text, relnamespace oid)",
      "create function pg_temp.hashtext(text) returns int language sql as 'select 1 / 0'",
      "set search_path = pg_temp, pg_catalog",
      "select is_new as made from ops.make_partition('core.fact_keyword_rank', '2026-06-01')",
    );
    expect(shadowed).toEqual([{ made: true }]);
  });

  test("takes out months that are noted as going, and no others", async () => {
    const loader = stage.urlOf("loader");
    const remove = (fact: string, month: string, toArchive = false) =>
      tried(loader, `select ops.remove_month(${fact}, ${month}, ${toArchive}) as gone`);
    const note = (month: string) =>
      tried(
        loader,
        `insert into ops.dropped_month values ('keyword_rank', 'core.fact_keyword_rank', '${month}', 'drop', 0, 0, current_user, now(), false)`,
      );
    const leaves = () =>
      tried(
        stage.adminUrl,
        `select n.nspname || '.' || c.relname as leaf from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
         where  c.relname ~ '^fact_keyword_rank_2027' and c.relkind = 'r' order by 1`,
      );
    for (const month of ["2027-01-01", "2027-02-01"])
      await tried(loader, `select ops.make_partition('core.fact_keyword_rank', '${month}')`);
    expect(await remove("'core.fact_keyword_rank'", "'2027-01-01'")).toBe("22023");
    await note("2027-01-01");
    await note("2027-02-01");
    for (const fact of ["'core.dim_app'", "'ops.slice'", "null"])
      expect([fact, await remove(fact, "'2027-01-01'")]).toEqual([fact, "22023"]);
    expect(await remove("'core.fact_keyword_rank'", "'2027-01-02'")).toBe("22023");
    expect(await remove("'core.fact_keyword_rank'", "null")).toBe("22023");
    expect(await remove("'core.fact_keyword_rank'", "'2027-01-01'")).toEqual([{ gone: true }]);
    expect(await remove("'core.fact_keyword_rank'", "'2027-01-01'")).toEqual([{ gone: false }]);
    expect(await remove("'core.fact_keyword_rank'", "'2027-02-01'", true)).toEqual([{ gone: true }]);
    expect(await leaves()).toEqual([{ leaf: "archive.fact_keyword_rank_2027_02" }]);
    expect(await tried(loader, "select from archive.fact_keyword_rank_2027_02")).toBe("42501");
    expect(
      await tried(stage.urlOf("reader"), "select ops.remove_month('core.fact_keyword_rank', '2027-02-01', true)"),
    ).toBe("42501");
  });

  test("makes months of requests and drops one with its sums, which a reader may not", async () => {
    const loader = stage.urlOf("loader");
    const settings = Settings.parse({});
    const clock = { ...systemClock(), today: () => day("2027-01-15") };
    await tried(
      loader,
      "insert into ops.request (account_id, attempt, page, class, operation, params, cost, duration_ms, byte_count, received_at) values ('a', 1, 0, 'person', 'o', '{}', 1, 1, 1, '2025-11-30Z')",
    );
    {
      await using warehouse = await openWarehouse(loader, 2);
      const gone = await retire(warehouse.db, { settings, clock, action: "detach" });
      expect(gone.map(({ table, month, outcome }) => [table, month, outcome])).toEqual([
        ["ops.request", "2025-11-01", "gone"],
      ]);
    }
    expect(await tried(loader, "select sum(cost)::int as cost from ops.past_spend_daily")).toEqual([{ cost: 1 }]);
    for (const call of ["ops.make_request_months('{2027-01-15}')", "ops.hold_request_month('2027-01-01')"])
      expect([call, await tried(stage.urlOf("reader"), `select ${call}`)]).toEqual([call, "42501"]);
  });

  test("makes, changes and empties no table, and becomes nobody else", async () => {
    const statements = [
      "create table core.mine (a int)",
      "create schema mine",
      "create table public.mine (a int)",
      "drop table core.fact_keyword_rank",
      "alter table core.dim_app add column mine int",
      "truncate core.fact_keyword_rank",
      "truncate raw.answer",
      "drop table parts.fact_keyword_rank_2026_05",
      "update ops.migration set name = name",
      "insert into ops.migration values ('9999', now())",
      "delete from ops.run",
      "delete from ops.request",
      "delete from ops.credit_account",
      "delete from core.dim_date",
      "create role mine",
      "set role storehouse_owner",
      "alter role storehouse_loader superuser",
      "create or replace function ops.make_partition(fact regclass, day date, by_day boolean, out held daterange, out is_new boolean) language sql as 'select null, true'",
    ];
    const ends = await triedEach(stage.urlOf("loader"), statements);
    expect(statements.map((statement, place) => [statement, ends[place]])).toEqual(
      statements.map((statement) => [statement, "42501"]),
    );
  });

  test("opens a database that is up to date, and says who brings one up to date that is not", async () => {
    expect(await migrate(stage.urlOf("loader"))).toEqual([]);
    const behind = await stage.server.migrated();
    await grant(behind);
    await tried(behind, "delete from ops.migration where name = (select max(name) from ops.migration)");
    const environment = { DATABASE_URL: stage.urlOf("loader", behind), LOG_LEVEL: "silent" } as const;
    const opening = createApp({ environment, settings: Settings.parse({}), home: "" });
    await expect(opening).rejects.toMatchObject({
      code: "migrations_pending",
      message: expect.stringContaining("storehouse migrate"),
    });
    await tried(behind, "insert into ops.migration select '9999-of-tomorrow', now()");
    await expect(migrate(stage.urlOf("loader", behind))).rejects.toMatchObject({ code: "database_newer" });
  });

  test("gets the message who migrates when the queue's own tables are behind", async () => {
    const behind = await stage.server.migrated();
    await grant(behind);
    await tried(
      behind,
      "delete from graphile_worker.migrations where id = (select max(id) from graphile_worker.migrations)",
    );
    await expect(migrate(stage.urlOf("loader", behind))).rejects.toMatchObject({ code: "migrations_pending" });
  });
});

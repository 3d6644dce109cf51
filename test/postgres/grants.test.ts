import { describe, expect, test } from "vitest";
import { openWarehouse } from "../../src/postgres/database.ts";
import { migrate } from "../../src/postgres/migrate.ts";
import { printedStatements } from "../../src/postgres/role-statements.ts";
import { long } from "../support/long.ts";
import { grant, openGranted, passwords, tried, urlAs } from "../support/granted-stage.ts";
import { ownPostgres } from "../support/own-postgres.ts";
import { forTests } from "../support/for-tests.ts";

const stage = forTests(openGranted);

describe("the owner", () => {
  test("owns everything, also what another role makes later", async () => {
    const strangers = `
      select c.oid::regclass::text from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
      where n.nspname in ('raw', 'core', 'mart', 'ops', 'parts', 'graphile_worker') and c.relowner <> 'storehouse_owner'::regrole
      union all select p.oid::regprocedure::text from pg_proc as p join pg_namespace as n on n.oid = p.pronamespace
      where n.nspname in ('ops', 'graphile_worker') and p.proowner <> 'storehouse_owner'::regrole`;
    expect(await tried(stage.adminUrl, strangers)).toEqual([]);
    await tried(stage.adminUrl, "create table mart.new_mart (a int primary key)", "create table core.new_fact (a int)");
    expect(await tried(stage.urlOf("reader"), "select from mart.new_mart")).toBe("42501");
    await grant(stage.adminUrl);
    expect(await tried(stage.adminUrl, strangers)).toEqual([]);
    expect(await tried(stage.urlOf("reader"), "select from mart.new_mart")).toEqual([]);
    expect(await tried(stage.urlOf("loader"), "insert into core.new_fact values (1)")).toEqual([]);
    await tried(stage.adminUrl, "drop table mart.new_mart", "drop table core.new_fact");
  });

  test("migrates an empty database itself, and what a migration makes later is granted at once", async () => {
    const url = await stage.server.database();
    await tried(stage.adminUrl, `grant create on database ${new URL(url).pathname.slice(1)} to storehouse_owner`);
    const owner = stage.urlOf("owner", url);
    expect((await migrate(owner)).length).toBeGreaterThan(50);
    // the roles are there: the owner who made the schemas has set the rights by migrating
    expect(await tried(stage.urlOf("reader", url), "select from mart.keyword_rank_daily")).toEqual([]);
    expect(await migrate(stage.urlOf("loader", url))).toEqual([]);
    expect(await tried(stage.urlOf("reader", url), "select from raw.answer")).toBe("42501");
  });

  test("has a login that is one of its members hand over what it migrated", async () => {
    const url = await stage.server.database();
    const name = new URL(url).pathname.slice(1);
    await tried(stage.adminUrl, "create role deployer login password 'deployer-of-the-house' in role storehouse_owner");
    await tried(stage.adminUrl, `grant create on database ${name} to storehouse_owner`);
    const deployer = urlAs(url, "deployer", "deployer-of-the-house");
    // as an upgrade finds it: the books are the owner's, and what is migrated is the deployer's until it is handed over
    await tried(url, "create schema ops authorization storehouse_owner");
    expect((await migrate(deployer)).length).toBeGreaterThan(0);
    expect(
      await tried(
        url,
        "select from pg_class where relname = 'keyword_rank_movers' and relowner = 'storehouse_owner'::regrole",
      ),
    ).toHaveLength(1);
    expect(await tried(stage.urlOf("reader", url), "select from mart.keyword_rank_movers")).toEqual([]);
  });
});

describe("grants", () => {
  test("stores passwords as verifiers that the server itself would have made, and takes new ones", async () => {
    expect(stage.roles.map(({ name, canLogin, hasAdminRights }) => [name, canLogin, hasAdminRights])).toEqual([
      ["storehouse_owner", true, false],
      ["storehouse_loader", true, false],
      ["storehouse_reader", true, false],
    ]);
    await grant(stage.adminUrl, { reader: "another-of-the-house" });
    expect(await tried(stage.urlOf("reader"), "select 1")).toBe("28P01");
    await grant(stage.adminUrl, { reader: passwords.reader });
    expect(await tried(stage.urlOf("reader"), "select 1 as one")).toEqual([{ one: 1 }]);
  });

  test("serves two warehouses of one server", async () => {
    const second = await stage.server.migrated();
    await Promise.all([grant(second), grant(stage.adminUrl)]);
    for (const url of [second, stage.adminUrl]) {
      expect(await migrate(stage.urlOf("loader", url))).toEqual([]);
      expect(await tried(stage.urlOf("reader", url), "select from mart.keyword_rank_daily")).toEqual([]);
      expect(await tried(stage.urlOf("reader", url), "select from raw.answer")).toBe("42501");
    }
  });

  test("takes back what the reader was given beside its rights", async () => {
    await tried(
      stage.adminUrl,
      "grant usage on schema raw to storehouse_reader",
      "grant select on raw.answer to storehouse_reader",
    );
    expect(await tried(stage.urlOf("reader"), "select from raw.answer")).toEqual([]);
    await grant(stage.adminUrl);
    expect(await tried(stage.urlOf("reader"), "select from raw.answer")).toBe("42501");
  });

  test("says what to do where the connected role may not make roles or hand tables over", async () => {
    await expect(grant(stage.urlOf("loader"))).rejects.toMatchObject({
      code: "roles_refused",
      message: expect.stringContaining("storehouse grants --print"),
    });
    // the owner may run it again after an upgrade
    await expect(grant(stage.urlOf("owner"))).resolves.toHaveLength(3);
  });

  test("prints statements that do the same when run alone", async () => {
    const url = await stage.server.migrated();
    const statements = printedStatements().split(/(?<=^\$\$;)\n/m);
    expect(statements.length).toBeGreaterThan(3);
    expect(await tried(url, ...statements)).toEqual([]);
    expect(await tried(stage.urlOf("reader", url), "select from mart.keyword_rank_daily")).toEqual([]);
    expect(await tried(stage.urlOf("reader", url), "select from raw.answer")).toBe("42501");
    expect(await migrate(stage.urlOf("loader", url))).toEqual([]);
  });

  test("leaves a role that has migrated, for which an administrator runs the statements, able to migrate and to load", async () => {
    const url = await stage.server.database();
    await tried(
      stage.adminUrl,
      "create role tenant login password 'tenant-of-the-house'",
      `alter database ${new URL(url).pathname.slice(1)} owner to tenant`,
    );
    const tenant = urlAs(url, "tenant", "tenant-of-the-house");
    await migrate(tenant);
    await expect(grant(tenant)).rejects.toMatchObject({ code: "roles_refused" });
    expect(await tried(url, ...printedStatements().split(/(?<=^\$\$;)\n/m))).toEqual([]);
    // as an upgrade makes one
    expect(await tried(tenant, "create table mart.made_later (a int)")).toEqual([]);
    await expect(grant(tenant)).resolves.toHaveLength(3);
    expect(await tried(stage.urlOf("reader", url), "select from mart.made_later")).toEqual([]);
    expect(await tried(tenant, "delete from ops.slice")).toEqual([]);
  });

  // test/postgres/rights.test.ts sees every day what the loader may not
  test.runIf(long)("does not let the loader act as the owner, also where it is the one who has migrated", async () => {
    const url = await stage.server.database();
    await tried(stage.adminUrl, `alter database ${new URL(url).pathname.slice(1)} owner to storehouse_loader`);
    await migrate(stage.urlOf("loader", url));
    await grant(url);
    expect(await tried(stage.urlOf("loader", url), "drop table ops.slice")).toBe("42501");
    expect(await tried(stage.urlOf("loader", url), "delete from ops.slice")).toEqual([]);
  });

  test("works for a role that owns the database and may make roles, without being a superuser", async () => {
    await using server = await ownPostgres();
    const url = await server.database();
    const name = new URL(url).pathname.slice(1);
    await tried(
      url,
      "create role dba login createrole password 'dba-of-the-house'",
      `alter database ${name} owner to dba`,
    );
    const dba = urlAs(url, "dba", "dba-of-the-house");
    await migrate(dba);
    await grant(dba, passwords);
    await grant(dba, passwords);
    expect(await migrate(urlAs(url, "storehouse_loader", passwords.loader))).toEqual([]);
    expect(await tried(urlAs(url, "storehouse_reader", passwords.reader), "select from raw.answer")).toBe("42501");
    await using warehouse = await openWarehouse(urlAs(url, "storehouse_owner", passwords.owner), 1);
    expect((await warehouse.pool.query("select current_user as me")).rows).toEqual([{ me: "storehouse_owner" }]);
  });
});

import { writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectionOf } from "../../src/metabase/database-entry.ts";
import { long } from "../support/long.ts";
import { readerPassword, sharedMetabaseStage, type MetabaseStage } from "../support/metabase-stage.ts";
import { folderForTests } from "../support/folder.ts";

const shared = sharedMetabaseStage({ dashboards: [] });
afterAll(() => shared[Symbol.asyncDispose]());

/** A stage whose Metabase has no entry. The next one gets the number of the one before, under which the tables are known already. */
async function withoutEntry(): Promise<MetabaseStage> {
  const stage = await shared.fresh();
  const { state } = stage.metabase;
  const [id = 1] = state.databases.keys();
  state.databases.clear();
  state.lastId = id - 1;
  return stage;
}

test.each([
  ["postgres://me:x@db.example:6543/shop?sslmode=verify-full", undefined, ["db.example", 6543, "shop", "verify-full"]],
  ["postgres://me:x@127.0.0.1:5433/storehouse", "postgres", ["postgres", 5433, "storehouse", "disable"]],
  ["postgres://me:x@127.0.0.1:5433/storehouse", "postgres:5432", ["postgres", 5432, "storehouse", "disable"]],
  ["postgresql://me@[::1]/a%20b?sslmode=require", undefined, ["::1", 5432, "a b", "require"]],
  ["postgres://db/storehouse?sslmode=prefer", "[fd00::5]:5433", ["fd00::5", 5433, "storehouse", "require"]],
  ["postgres:///storehouse?host=/run/postgresql", "postgres", ["postgres", 5432, "storehouse", "disable"]],
] as const)("%s, seen as %s", (url, seenAs, expected) => {
  const { host, port, dbname, sslMode } = connectionOf(url, seenAs, undefined);
  expect([host, port, dbname, sslMode]).toEqual(expected);
});

describe("a server whose certificate is checked", () => {
  const pem = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
  const folder = folderForTests();
  let root = "";
  beforeAll(async () => {
    root = path.join(folder, "root.crt");
    await writeFile(root, pem);
  });
  const secured = (query: string) => connectionOf(`postgres://me@db/shop?${query}`, "postgres:5432", readerPassword);

  test("is known by its authority: that of a file, or those that the machine trusts", () => {
    const modeOf = (query: string) => {
      const { sslMode, rootCertificate } = secured(query);
      return [sslMode, rootCertificate];
    };
    expect(modeOf(`sslmode=verify-full&sslrootcert=${root}`)).toEqual(["verify-full", pem]);
    expect(modeOf(`sslmode=verify-ca&sslrootcert=${root}`)).toEqual(["verify-ca", pem]);
    expect(modeOf(`sslmode=require&sslrootcert=${root}`)).toEqual(["verify-ca", pem]);
    expect(modeOf("sslmode=verify-full&sslrootcert=system")).toEqual(["verify-full", undefined]);
    expect(modeOf("sslmode=require")).toEqual(["require", undefined]);
    expect(() => secured(`sslmode=verify-full&sslrootcert=${root}.gone`)).toThrow(/sslrootcert that does not exist/);
  });

  test("is reached by Metabase with the certificate itself, which is sent once", async () => {
    const stage = await withoutEntry();
    const connection = { ...secured(`sslmode=verify-full&sslrootcert=${root}`), dbname: "storehouse" };
    await stage.apply({ connection });
    const [entry] = stage.metabase.state.databases.values();
    expect(entry?.details).toMatchObject({
      ssl: true,
      "ssl-mode": "verify-full",
      "ssl-use-client-auth": false,
      "ssl-root-cert-options": "uploaded",
      "ssl-root-cert-value": pem,
    });
    expect((await stage.apply({ connection })).changes).toEqual([]);
  });

  test.each(long ? ["verify-full", "verify-ca"] : ["verify-full"])(
    "of a public authority (%s) is reached by what Java trusts, beside the options that people have set",
    async (mode) => {
      const stage = await withoutEntry();
      const connection = secured(`sslmode=${mode}`);
      await stage.apply({ connection });
      const [entry] = stage.metabase.state.databases.values();
      const trust = "sslfactory=org.postgresql.ssl.DefaultJavaSSLFactory";
      expect(entry?.details["additional-options"]).toBe(trust);
      Object.assign(entry!.details, { "additional-options": "ApplicationName=metabase" });
      expect((await stage.apply({ connection })).changes).toMatchObject([{ what: "database", action: "update" }]);
      expect(entry?.details["additional-options"]).toBe(`ApplicationName=metabase&${trust}`);
      expect((await stage.apply({ connection })).changes).toEqual([]);
    },
  );
});

test("the entry reads as storehouse_reader, from three schemas, without unfolding JSON", async () => {
  const stage = await shared.fresh();
  expect([...stage.metabase.state.databases.values()]).toMatchObject([
    {
      name: "Storehouse",
      engine: "postgres",
      details: {
        host: "postgres",
        port: 5432,
        user: "storehouse_reader",
        ssl: false,
        "schema-filters-type": "inclusion",
        "schema-filters-patterns": "mart, core, ops",
        "json-unfolding": false,
      },
    },
  ]);
  expect(new Set(stage.metabase.state.tables.map(({ schema }) => schema))).toEqual(new Set(["mart", "core", "ops"]));
});

test("changed properties of the connection are updated; properties that people added stay", async () => {
  const stage = await shared.fresh();
  const [entry] = stage.metabase.state.databases.values();
  Object.assign(entry!.details, { dbname: "older", "additional-options": "ApplicationName=metabase" });
  stage.metabase.forgetWrites();
  const { changes } = await stage.apply();
  expect(changes).toEqual([{ what: "database", name: "Storehouse", action: "update", properties: ["dbname"] }]);
  expect(entry!.details).toMatchObject({ password: readerPassword, "additional-options": "ApplicationName=metabase" });
  expect(entry!.details.dbname).not.toBe("older");
  expect(stage.metabase.writes()).toHaveLength(1);
});

test("a password that was changed is noticed because Metabase cannot connect, and is set anew", async () => {
  const stage = await shared.fresh();
  const [entry] = stage.metabase.state.databases.values();
  entry!.details.password = "the one of last year";
  const { changes } = await stage.apply();
  expect(changes).toMatchObject([{ what: "database", action: "update", properties: ["password"] }]);
  expect(entry!.details.password).toBe(readerPassword);
});

test("a version that cannot say whether it connects is left with the password that it has", async () => {
  const stage = await shared.fresh();
  stage.metabase.state.version = "v0.53.10";
  await stage.apply();
  expect((await stage.apply()).changes).toEqual([]);
});

test("a host that Metabase cannot resolve is an error that names the setting to change", async () => {
  const stage = await withoutEntry();
  const refused = stage.apply({ connection: connectionOf(stage.databaseUrl, undefined, readerPassword) });
  await expect(refused).rejects.toThrow(
    /^metabase_database: .*couldn't find the host.*storehouse grants.*METABASE_DATABASE_HOST/,
  );
  expect(stage.metabase.state.databases.size).toBe(0);
});

test("the reader's password is required only where it has to be sent", async () => {
  const stage = await withoutEntry();
  const connection = connectionOf(stage.databaseUrl, "postgres:5432", undefined);
  await expect(stage.apply({ connection })).rejects.toThrow("STOREHOUSE_READER_PASSWORD is not set");
  await stage.apply();
  expect((await stage.apply({ connection })).changes).toEqual([]);
});

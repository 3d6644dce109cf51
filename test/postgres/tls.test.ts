import { writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { connectionString } from "../../src/postgres/connection.ts";
import { openWarehouse } from "../../src/postgres/database.ts";
import { ownAuthority, type Authority } from "../support/own-authority.ts";
import { speakTls } from "../support/own-postgres-tls.ts";
import { ownPostgres } from "../support/own-postgres.ts";
import { forTests } from "../support/for-tests.ts";
import { folderForTests } from "../support/folder.ts";

const folder = folderForTests();
const ours: Authority | null = await ownAuthority(folder, "ours");

/** How a connection that was opened is secured: the version of TLS, or that it is not. */
async function opened(url: string): Promise<string> {
  try {
    await using warehouse = await openWarehouse(url, 1);
    const { rows } = await warehouse.pool.query<{ version: string }>(
      "select coalesce(version, 'plain') as version from pg_stat_ssl where pid = pg_backend_pid()",
    );
    return rows[0]?.version ?? "none";
  } catch (error) {
    expect(String(error)).not.toMatch(/s3cret|postgres:\/\//);
    return `${(error as { code: string }).code} ${(error as { context: { problem?: string } }).context.problem ?? ""}`.trim();
  }
}

describe.skipIf(ours === null)(
  "a server that speaks TLS, with a certificate for 127.0.0.1 of an authority of our own",
  () => {
    const server = forTests(ownPostgres);
    let url: string;
    let others: Authority | null;

    beforeAll(async () => {
      url = await server.database();
      others = await ownAuthority(folder, "others");
      if (ours !== null) await speakTls(server, await ours.sign("127.0.0.1"));
    });

    const from = (query: string, host = "127.0.0.1") => opened(`${url.replace("127.0.0.1", host)}?${query}`);

    test("is spoken to as each mode means it to libpq", async () => {
      const root = `sslrootcert=${ours?.rootFile}`;
      const other = `sslrootcert=${others?.rootFile}`;
      expect(await from("sslmode=disable")).toBe("plain");
      expect(await from("sslmode=require")).toBe("TLSv1.3");
      expect(await from(`sslmode=require&${root}`)).toBe("TLSv1.3");
      expect(await from(`sslmode=verify-ca&${root}`)).toBe("TLSv1.3");
      expect(await from(`sslmode=verify-full&${root}`)).toBe("TLSv1.3");
      // an authority that is not named is not trusted; require with one checks it
      expect(await from(`sslmode=require&${other}`)).toMatch(/^database_tls/);
      expect(await from(`sslmode=verify-ca&${other}`)).toMatch(/^database_tls/);
      expect(await from(`sslmode=verify-full&${other}`)).toMatch(/^database_tls/);
      expect(await from("sslmode=verify-full")).toMatch(/^database_tls/);
      expect(await from("sslmode=verify-full&sslrootcert=system")).toMatch(/^database_tls/);
      // the name in the address is not the one in the certificate
      expect(await from(`sslmode=verify-full&${root}`, "localhost")).toMatch(
        /^database_tls ERR_TLS_CERT_ALTNAME_INVALID/,
      );
      expect(await from(`sslmode=verify-ca&${root}`, "localhost")).toBe("TLSv1.3");
    });
  },
);

test("a mode that requires TLS refuses a server without it", async () => {
  await using server = await ownPostgres();
  expect(await opened(`${await server.database()}?sslmode=require`)).toBe("database_tls the server does not speak TLS");
});

describe("an address", () => {
  const modeOf = (url: string) => {
    try {
      return new URLSearchParams(connectionString(url).split("?")[1]).get("sslmode");
    } catch (error) {
      expect(String(error)).not.toContain("s3cret");
      return (error as { context: { problem: string } }).context.problem;
    }
  };

  test.each([
    "postgres://me:s3cret@localhost/house",
    "postgres://me:s3cret@LOCALHOST:5433/house",
    "postgres://me:s3cret@127.0.0.1/house",
    "postgres://me:s3cret@127.9.9.9/house",
    "postgres://me:s3cret@[::1]:5432/house",
    "postgres://me:s3cret@/house?host=/var/run/postgresql",
    "postgres://me:s3cret@%2Fvar%2Frun%2Fpostgresql/house",
    "postgres:///house",
  ])("of this machine needs no sslmode: %s", (url) => expect(modeOf(url)).toBe("disable"));

  test.each([
    "postgres://me:s3cret@db.example/house",
    "postgres://me:s3cret@10.0.0.1:5432/house",
    "postgres://me:s3cret@127.0.0.1.example/house",
    "postgres://me:s3cret@localhost.example/house",
    "postgres://me:s3cret@localhost/house?host=db.example",
    "postgres://me:s3cret@postgres:5432/house?application_name=x",
  ])("of another machine is refused without sslmode, with what to add: %s", (url) => {
    expect(modeOf(url)).toMatch(
      /names another machine .*sslmode=verify-full.*sslmode=disable in a network that you trust/,
    );
    expect(modeOf(`${url}${url.includes("?") ? "&" : "?"}sslmode=disable`)).toBe("disable");
  });

  test.each([
    ["sslmode=prefer", /one of disable, require, verify-ca, verify-full/],
    ["sslmode=allow", /unknown sslmode/],
    ["sslmode=no-verify", /unknown sslmode/],
    ["sslmode=", /unknown sslmode/],
    ["sslmode=disable&sslmode=require", /more than one/],
    ["sslmode=verify-ca", /requires sslrootcert/],
    ["sslmode=require&sslrootcert=system", /requires sslmode=verify-full/],
    ["sslmode=verify-full&sslrootcert=/no/such/file", /cannot be read \(ENOENT\)/],
    ["sslrootcert=/no/such/file", /without sslmode/],
    ["ssl=true", /only with sslmode/],
    ["uselibpqcompat=false&sslmode=require", /only with sslmode/],
  ])("with %s is refused", (query, problem) => {
    expect(modeOf(`postgres://me:s3cret@db.example/house?${query}`)).toMatch(problem);
  });

  test.each([
    "postgres://me:s3cret@host:port/house",
    "postgres://me:s3cret@a:1,b:2/house",
    "postgres://me:pass@s3cret/word@localhost:5432/house",
    "postgres://me:12/s3cret@db.example/house",
    "postgres://me:pass#s3cret@db.example/house",
    "postgres://me:pass?s3cret@db.example/house",
    "postgres://me:p@s3cret/w:rd?#%1@postgres:5432/house?sslmode=disable",
    "postgres://me:p@s3cret?word@db.example/house",
    "postgres://me:p@s3cret/word@db.example",
    "postgres://me:p@s3cret#word@db.example",
  ])("that cannot be read is refused without being repeated, with how to write a password: %s", (url) =>
    expect(modeOf(url)).toMatch(/^is not a readable address.* \/ as %2F/),
  );

  test("whose machine comes from PGHOST is held to the same", () => {
    vi.stubEnv("PGHOST", "db.example");
    expect(modeOf("postgres:///house")).toMatch(/names another machine \(db.example\)/);
  });

  test("whose certificate is no certificate is refused", async () => {
    const file = path.join(folder, "nonsense.crt");
    await writeFile(file, "nonsense");
    const found = await opened(`postgres://me:s3cret@127.0.0.1:1/house?sslmode=verify-full&sslrootcert=${file}`);
    expect(found).toMatch(/^database_(tls|unreachable)/);
  });
});

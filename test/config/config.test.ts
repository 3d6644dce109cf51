import { existsSync } from "node:fs";
import path from "node:path";
import pg from "pg";
import { expect, test } from "vitest";
import { accountIdOf, apiAccess, databaseUrlOf, projectRoot } from "../../src/config/config.ts";

const token = "T0ken-0f-the-account";

test("the way to the API is its address, its token and a name for the account", () => {
  expect(apiAccess({ API_BASE_URL: "https://api.example", API_TOKEN: token, LOG_LEVEL: "warn" })).toEqual({
    baseUrl: "https://api.example",
    token,
    accountId: accountIdOf(token),
  });
});

test("without both, as in a new folder, the next step is init", () => {
  expect(() => apiAccess({ LOG_LEVEL: "warn" })).toThrow(
    "api_unset: API_BASE_URL and API_TOKEN are not set; run `storehouse init`, or set both in .env",
  );
});

test.each([
  ["API_BASE_URL", { API_TOKEN: token }],
  ["API_TOKEN", { API_BASE_URL: "https://api.example" }],
])("without %s there is none, and the variable is named", (variable, given) => {
  expect(() => apiAccess({ ...given, LOG_LEVEL: "warn" })).toThrow(
    expect.objectContaining({
      name: "UsageError",
      code: "bad_setting",
      message: expect.stringContaining(`${variable} is not set`) as string,
    }),
  );
});

test("PGPASSWORD is the password of an address without one, with any characters", () => {
  const of = (url: string | undefined, password: string | undefined) =>
    databaseUrlOf({ DATABASE_URL: url, PGPASSWORD: password, LOG_LEVEL: "warn" });
  const odd = "p@ss/w:rd?#%1 +&=";
  for (const url of ["postgres://me@host/house", "postgres://me@host/house?sslmode=disable"]) {
    const { host, searchParams } = new URL(of(url, odd) ?? "");
    expect([host, searchParams.get("password")]).toEqual(["host", odd]);
    expect(of(url, undefined)).toBe(url);
  }
  // as the driver reads them
  for (const url of ["postgres://me@/house?host=/socket", "postgres://me@host/my house"]) {
    const { password, database } = new pg.Client({ connectionString: of(url, odd) });
    expect([password, database]).toEqual([odd, new pg.Client({ connectionString: url }).database]);
  }
  for (const url of [
    "postgres://me:own@host/house",
    "postgres://me@host/house?password=own",
    "postgres://:::",
    undefined,
  ])
    expect(of(url, odd)).toBe(url);
});

test("the name of an account is the same in every version, another for another token, and gives nothing away", () => {
  // ledgers have it: another one would be another account
  expect(accountIdOf(token)).toBe("78878c7bb327f1da");
  const tokens = Array.from({ length: 100 }, (_, index) => `${token}${index}`);
  expect(new Set(tokens.map(accountIdOf)).size).toBe(100);
  // a plain hash could be found in a list of hashes
  expect(accountIdOf("")).not.toBe("e3b0c44298fc1c14");
});

test("the project's root is where package.json is", () => {
  expect(existsSync(path.join(projectRoot, "package.json"))).toBe(true);
});

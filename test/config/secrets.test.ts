import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { Environment, readEnvironment, secretNames } from "../../src/config/env.ts";
import { secretsOf } from "../../src/config/secrets.ts";
import { hiderOf } from "../../src/core/secret.ts";
import { folderForTests } from "../support/folder.ts";

const folder = folderForTests();

async function fileWith(text: string | Buffer, name = "secret"): Promise<string> {
  const file = path.join(folder, name);
  await writeFile(file, text);
  return file;
}

/** The context of the error that reading ends with. */
function refusal(variables: Record<string, string>, file?: string): { variable?: string; problem?: string } {
  try {
    readEnvironment(variables, file);
  } catch (error) {
    expect(String(error)).not.toContain("x1y2");
    return (error as { context: object }).context;
  }
  throw new Error("it was read");
}

describe("a secret in a file", () => {
  test.each(secretNames)("may be %s", async (name) => {
    const value = name === "DATABASE_URL" ? "postgres://localhost/x1y2" : "https://hooks.example/x1y2x1y2x1y2";
    const file = await fileWith(`${value}\n`);
    expect(readEnvironment({ [`${name}_FILE`]: file })).toMatchObject({ [name]: value });
  });

  test.each(["x1y2", "x1y2\n", "x1y2\r\n", "\uFEFFx1y2\r\n"])("ends with its line: %j", async (text) => {
    expect(readEnvironment({ API_TOKEN_FILE: await fileWith(text) }).API_TOKEN).toBe("x1y2");
  });

  test("keeps every character before that, and is held to the same rules under the name of its variable", async () => {
    expect(refusal({ API_TOKEN_FILE: await fileWith("x1y2\n\n") })).toMatchObject({ variable: "API_TOKEN_FILE" });
    expect(refusal({ API_TOKEN_FILE: await fileWith(" x1y2") })).toMatchObject({ variable: "API_TOKEN_FILE" });
    expect(refusal({ STOREHOUSE_LOADER_PASSWORD_FILE: await fileWith("x1y2") })).toMatchObject({
      variable: "STOREHOUSE_LOADER_PASSWORD_FILE",
      problem: expect.stringContaining("12"),
    });
  });

  test("is refused where it is missing, empty, a folder or far too large", async () => {
    const at = async (file: string) => refusal({ API_TOKEN_FILE: file });
    expect(await at(path.join(folder, "none"))).toMatchObject({
      problem: "cannot be read (ENOENT)",
      file: path.join(folder, "none"),
    });
    expect(await at(folder)).toMatchObject({ problem: expect.stringContaining("EISDIR") });
    expect(await at(await fileWith(""))).toMatchObject({ problem: "is empty" });
    expect(await at(await fileWith("\n"))).toMatchObject({ problem: "is empty" });
    expect(await at("/dev/zero")).toMatchObject({ problem: expect.stringContaining("too large") });
  });

  test("is not read where no command requires it", async () => {
    expect(readEnvironment({ LOG_LEVEL_FILE: "/no/such/file", API_TOKEN_FILE: "" })).toEqual({ LOG_LEVEL: "warn" });
  });

  test("and in a variable at once is refused, but the environment wins over .env in either form", async () => {
    const file = await fileWith("from-file");
    expect(refusal({ API_TOKEN: "x1y2", API_TOKEN_FILE: file })).toMatchObject({
      variable: "API_TOKEN and API_TOKEN_FILE",
    });
    const dotenv = await fileWith(`API_TOKEN=x1y2\n`, ".env");
    expect(readEnvironment({ API_TOKEN_FILE: file }, dotenv).API_TOKEN).toBe("from-file");
    const other = await fileWith(`API_TOKEN_FILE=${file}\n`, ".env");
    expect(readEnvironment({ API_TOKEN: "x1y2" }, other).API_TOKEN).toBe("x1y2");
    expect(readEnvironment({}, other).API_TOKEN).toBe("from-file");
  });
});

describe("what counts as a secret", () => {
  test("is every variable whose name says so", () => {
    const suspects = Object.keys(Environment.shape).filter((name) =>
      /TOKEN|PASSWORD|SECRET|KEY|_URL$|^HTTPS?_PROXY$/.test(name),
    );
    const plain = ["API_BASE_URL", "METABASE_URL", "CLICKHOUSE_URL"];
    expect(suspects.filter((name) => !plain.includes(name))).toEqual(secretNames);
  });

  test("is the value, and of an address what is secret in it, as it is written and as it is", () => {
    expect(secretsOf({ API_TOKEN: "a-token", LOG_LEVEL: "debug" })).toEqual(["a-token"]);
    expect(secretsOf({ DATABASE_URL: "postgres://me:p%40ss@host/house" })).toEqual(["p%40ss", "p@ss"]);
    expect(secretsOf({ DATABASE_URL: "postgres://me@host/house?password=pass-word" })).toEqual(["pass-word"]);
    expect(secretsOf({ DATABASE_URL: "postgres://me@host/house" })).toEqual([]);
    expect(secretsOf({ PGPASSWORD: "p@ss:word" })).toEqual(["p@ss:word", "p%40ss%3Aword"]);
    expect(secretsOf({ PGPASSWORD: "word" })).toEqual([":word@", "password=word"]);
    expect(secretsOf({})).toEqual([]);
    expect(secretsOf({ DATABASE_URL: " ", API_TOKEN: "\t" })).toEqual([]);
  });

  test("leave commands that a message names as they are where the password of the database is such a word", () => {
    const url = "postgres://storehouse:storehouse@host/storehouse";
    const hide = hiderOf(secretsOf({ DATABASE_URL: url }));
    expect(hide("start one with `storehouse worker`")).toBe("start one with `storehouse worker`");
    expect(hide(`${url}?password=storehouse`)).toBe("postgres://storehouse[hidden]host/storehouse?[hidden]");
  });
});

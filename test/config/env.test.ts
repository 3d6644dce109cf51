import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, test, vi } from "vitest";
import { Environment, processEnvironment, readEnvironment } from "../../src/config/env.ts";
import { Settings } from "../../src/config/settings.ts";
import { reachOf } from "../../src/export/reach.ts";
import { createS3Client } from "../../src/export/s3-client.ts";

/** A folder with a `.env` in it. */
async function fileWith(text: string): Promise<AsyncDisposable & { file: string; folder: string }> {
  const folder = await mkdtemp(path.join(tmpdir(), "storehouse-env-"));
  const file = path.join(folder, ".env");
  await writeFile(file, text);
  return { file, folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

const all = {
  API_BASE_URL: "https://api.example/prefix/",
  API_TOKEN: "t0k=en+/",
  DATABASE_URL: "postgresql://me:secret@localhost:5432/storehouse",
  LOG_LEVEL: "debug",
  STOREHOUSE_CONFIG: "/etc/storehouse.yaml",
  STOREHOUSE_HOME: "/var/lib/storehouse",
};

test("what is set is taken, what is not ours is left alone", () => {
  expect(readEnvironment({ ...all, HOME: "/root", API_BASE_URLS: "x" })).toEqual(all);
});

test("nothing has to be set", () => {
  expect(readEnvironment({})).toEqual({ LOG_LEVEL: "warn" });
});

test("an empty variable counts as unset", () => {
  const empty = Object.fromEntries(Object.keys(all).map((name) => [name, ""]));
  expect(readEnvironment(empty)).toEqual({ LOG_LEVEL: "warn" });
});

describe("a wrong variable is reported in one line that names it, without its value", () => {
  test.each([
    ["API_BASE_URL", "nonsense"],
    ["API_BASE_URL", "https://"],
    ["API_BASE_URL", "api.example/path"],
    ["API_BASE_URL", "ftp://api.example"],
    ["API_BASE_URL", "file:///etc/passwd"],
    ["API_BASE_URL", "https://api.example/?key=x1y2"],
    ["API_BASE_URL", "https://api.example/?"],
    ["API_BASE_URL", "https://api.example/#x1y2"],
    ["API_BASE_URL", "https://x1y2@api.example/"],
    ["API_BASE_URL", "https://me:x1y2@api.example/"],
    ["API_TOKEN", "x1y2 x1y2"],
    ["API_TOKEN", " x1y2"],
    ["API_TOKEN", "x1y2\n"],
    ["DATABASE_URL", "mysql://me:x1y2@localhost/db"],
    ["DATABASE_URL", "postgres://"],
    ["DATABASE_URL", "localhost:5432"],
    ["LOG_LEVEL", "x1y2"],
    ["LOG_LEVEL", "WARN"],
  ])("%s=%s", (variable, value) => {
    const read = () => readEnvironment({ ...all, [variable]: value });
    expect(read).toThrow(
      expect.objectContaining({
        name: "UsageError",
        code: "bad_setting",
        context: expect.objectContaining({ variable }),
      }),
    );
    expect(read).toThrow(expect.objectContaining({ message: expect.not.stringMatching(/x1y2|\n/) as string }));
    expect(read).toThrow(expect.objectContaining({ message: expect.stringContaining(variable) as string }));
  });
});

describe("the file .env", () => {
  test("is read, with quotes and comments as dotenv has them", async () => {
    await using made = await fileWith(
      `# the API\nAPI_BASE_URL="http://127.0.0.1:1"\nAPI_TOKEN='a#b' # mine\nLOG_LEVEL=\n`,
    );
    expect(readEnvironment({}, made.file)).toEqual({
      API_BASE_URL: "http://127.0.0.1:1",
      API_TOKEN: "a#b",
      LOG_LEVEL: "warn",
    });
  });

  test("may begin with the mark that some editors put before UTF-8", async () => {
    await using made = await fileWith("\uFEFFAPI_TOKEN=from-file\r\n");
    expect(readEnvironment({}, made.file)).toMatchObject({ API_TOKEN: "from-file" });
  });

  test("loses to the environment, unless that is empty", async () => {
    await using made = await fileWith("API_TOKEN=from-file\nLOG_LEVEL=error\n");
    expect(readEnvironment({ API_TOKEN: "from-environment", LOG_LEVEL: "" }, made.file)).toEqual({
      API_TOKEN: "from-environment",
      LOG_LEVEL: "error",
    });
  });

  test("may be missing", async () => {
    await using made = await fileWith("");
    expect(readEnvironment({}, path.join(made.folder, "none"))).toEqual({ LOG_LEVEL: "warn" });
  });

  test("is held to the same rules", async () => {
    await using made = await fileWith("DATABASE_URL=sqlite://x\n");
    expect(() => readEnvironment({}, made.file)).toThrow(
      expect.objectContaining({ code: "bad_setting", context: expect.objectContaining({ variable: "DATABASE_URL" }) }),
    );
  });

  test("that is a folder is reported by name: a container makes one of a file that is not there", async () => {
    await using made = await fileWith("");
    expect(() => readEnvironment({}, made.folder)).toThrow(
      expect.objectContaining({ code: "unreadable_file", context: { file: made.folder, cause: "EISDIR" } }),
    );
  });
});

test("the process's own environment is what is read", () => {
  expect(processEnvironment()["PATH"]).toBe(process.env["PATH"]);
});

test("the library of S3 finds key and region of a profile beside variables that are empty", async () => {
  await using made = await fileWith(
    "[default]\nregion = eu-west-3\naws_access_key_id = k3y\naws_secret_access_key = s\n",
  );
  for (const name of Object.keys(Environment.shape).filter((one) => one.startsWith("AWS_"))) vi.stubEnv(name, "");
  for (const name of ["AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"]) vi.stubEnv(name, made.file);
  const { environment, settings } = {
    environment: readEnvironment(processEnvironment()),
    settings: Settings.parse({}),
  };
  const { bucket, network } = reachOf({ environment, settings, home: made.folder });
  using s3 = createS3Client(bucket, network);
  const { accessKeyId } = await s3.client.config.credentials();
  expect([await s3.client.config.region(), accessKeyId]).toEqual(["eu-west-3", "k3y"]);
});

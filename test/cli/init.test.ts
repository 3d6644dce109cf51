import { spawn } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseEnv } from "node:util";
import { beforeEach, expect, test } from "vitest";
import { projectRoot } from "../../src/config/config.ts";
import { callOf } from "../../src/cli/setup.ts";
import { readSettings } from "../../src/config/read-yaml.ts";
import { startSandbox } from "../../src/sandbox/sandbox.ts";
import { runCommand } from "../support/command.ts";
import { compiledOnce } from "../support/ingest-child.ts";
import { hasTerminal, openTerminal } from "../support/terminal.ts";
import { forTests } from "../support/for-tests.ts";

const shipped = readFileSync(path.join(projectRoot, "config", "storehouse.yaml"), "utf8");
const secret = "a-token-of-22-letters";
const databasePassword = "pass-of-the-database";

let folder: string;
const sandbox = forTests(() =>
  startSandbox({
    market: { apps: 1 },
    accounts: [{ token: secret, total: 1_000, periodHours: 24 }],
  }),
);

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "storehouse-init-"));
  writeFileSync(path.join(folder, "s.yaml"), shipped);
  sandbox.clearLog();
  return () => rm(folder, { recursive: true });
});

/** Never the `.env` of the project. */
const init = ["init", "--write", ".env"];
const variables = { STOREHOUSE_CONFIG: "s.yaml", STOREHOUSE_HOME: "home" };
const written = () => parseEnv(readFileSync(path.join(folder, ".env"), "utf8"));
const settings = () => readSettings(path.join(folder, "s.yaml"));

/** Waits until a condition holds; a process starts slowly on a busy machine. */
function shown(holds: () => boolean): Promise<void> {
  return expect.poll(holds, { timeout: 50_000, interval: 10 }).toBe(true);
}

/** Runs it in this process: nothing is read from standard input or from an `.env`. */
function run(options: readonly string[], more: Record<string, string> = {}) {
  const places = { STOREHOUSE_CONFIG: path.join(folder, "s.yaml"), STOREHOUSE_HOME: path.join(folder, "home") };
  const nobody = { databaseUrl: "", sandbox: { url: "", token: "" } };
  const file = options.includes("--write") ? [] : ["--write", path.join(folder, ".env")];
  const typed = ["init", ...file, ...options];
  return runCommand(nobody, typed, { variables: { ...places, ...more } });
}

/** Runs it as a program of its own, in the folder. */
async function start(options: readonly string[], input = "") {
  const program = path.join(projectRoot, "src", "cli.ts");
  const child = spawn(process.execPath, [program, ...init, ...options], {
    cwd: folder,
    env: { PATH: process.env["PATH"], ...compiledOnce, ...variables },
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (part) => (stdout += String(part)));
  child.stderr.on("data", (part) => (stderr += String(part)));
  child.stdin.end(input);
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, stdout, stderr };
}

test("without a terminal it takes options, the environment and the token from standard input, and writes all or nothing", async () => {
  expect(await run([])).toMatchObject({ code: 2, stderr: expect.stringContaining("add --yes") });
  expect((await run(["--yes"])).stderr).toMatch(/^bad_setting: API_BASE_URL is not set: name it by --api; /);
  const refused = await run(["--yes", "--api", sandbox.url], { API_TOKEN: "another-token" });
  expect(refused).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("API_BASE_URL or API_TOKEN does not work"),
  });
  expect(existsSync(path.join(folder, ".env"))).toBe(false);

  const options = [
    "--source",
    "both",
    "--app",
    "1459023318",
    "--country",
    "us,JP",
    "--keyword",
    "a, b",
    "--datasets",
    "+organic_keyword -review",
  ];
  const done = await start(["--yes", "--api", sandbox.url, "--token-stdin", ...options], `${secret}\n`);
  expect(done).toMatchObject({ code: 0, stderr: "" });
  expect(done.stdout).toMatch(
    /The first sync costs about [\d,]+ credits\. Each connected search-ads account adds about [\d,]+\.\nA night then costs about [\d,]+ credits, 30 nights about/,
  );
  // npx would offer another package there
  const program = path.join(projectRoot, "bin", "storehouse.js");
  expect(done.stdout).toContain(`\nNext: ${program} sync\n`);
  expect(done.stdout).toContain(`storehouse stands for ${program}, called in ${folder}.`);
  expect(callOf(path.join(projectRoot, ".env"))).toBe("npx storehouse");
  expect(done.stdout).not.toContain(secret);
  expect(written()).toMatchObject({ API_BASE_URL: sandbox.url, API_TOKEN: secret, LOG_LEVEL: "warn" });
  expect(statSync(path.join(folder, ".env")).mode & 0o777).toBe(0o600);
  expect(settings()).toMatchObject({
    portfolio: { source: "both", apps: [{ id: "1459023318", countries: ["US", "JP"], keywords: ["a, b"] }] },
    datasets: { organic_keyword: { on: true }, review: { on: false } },
  });
  expect(sandbox.log().reduce((sum, { charged }) => sum + charged, 0)).toBe(0);

  // run again: what is not named stays
  writeFileSync(path.join(folder, ".env"), `${readFileSync(path.join(folder, ".env"), "utf8")}# mine\nOTHER=1\n`);
  const known = { API_BASE_URL: sandbox.url, API_TOKEN: secret };
  expect(await run(["--yes", "--datasets", "+review"], known)).toMatchObject({ code: 0 });
  expect(written()).toMatchObject({ API_TOKEN: secret, OTHER: "1" });
  expect(readFileSync(path.join(folder, ".env"), "utf8")).toContain("# mine\n");
  expect(settings()).toMatchObject({ portfolio: { source: "both" }, datasets: { review: { on: true } } });
  expect((await run(["--yes", "--datasets", "+review"], known)).stdout).toMatch(/^Nothing changed: /);
});

test("a portfolio of the configuration that lists no app is pointed out, and the next step is to list one", async () => {
  const known = { API_BASE_URL: sandbox.url, API_TOKEN: secret };
  const { code, stdout } = await run(["--yes", "--source", "config"], known);
  expect(code).toBe(0);
  expect(stdout).toContain("\nNo app is listed, so nothing about apps is requested: ");
  expect(stdout).not.toContain("Next:");
  const listed = await run(["--yes", "--app", "1459023318", "--country", "US"], known);
  expect(listed.stdout).toContain("\nNext: ");
  expect(listed.stdout).not.toContain("No app is listed");
});

test("run again it leaves what .env has already: comments behind a value, and a token in a file of its own", async () => {
  writeFileSync(path.join(folder, "token"), secret);
  const before = `API_BASE_URL="${sandbox.url}" # of the office\r\nAPI_TOKEN_FILE=${path.join(folder, "token")}\n`;
  writeFileSync(path.join(folder, ".env"), before);
  expect(await start(["--yes", "--datasets", "+review"])).toMatchObject({ code: 0, stderr: "" });
  expect(readFileSync(path.join(folder, ".env"), "utf8")).toBe(before);
  expect(await start(["--yes", "--token-stdin", "--no-check"], "another-token")).toMatchObject({ code: 0 });
  expect(written()).toEqual({ API_BASE_URL: sandbox.url, API_TOKEN: "another-token" });
});

test("a configuration file that STOREHOUSE_CONFIG names and that is not there is made, in a folder that is", async () => {
  const named = path.join(folder, "new.yaml");
  const options = ["--yes", "--no-check", "--api", sandbox.url];
  expect(await run(options, { API_TOKEN: secret, STOREHOUSE_CONFIG: named })).toMatchObject({ code: 0, stderr: "" });
  expect(readSettings(named)).toMatchObject({ portfolio: { source: "account" } });
  expect(
    await run([...options, "--datasets", "-review"], { API_TOKEN: secret, STOREHOUSE_CONFIG: named }),
  ).toMatchObject({
    code: 0,
  });
  expect(readSettings(named)).toMatchObject({ datasets: { review: { on: false } } });
  const nowhere = { API_TOKEN: secret, STOREHOUSE_CONFIG: path.join(folder, "none", "new.yaml") };
  expect(await run(options, nowhere)).toMatchObject({ code: 2, stderr: expect.stringContaining("unwritable_file") });
});

test("with STOREHOUSE_ACCOUNT it is refused, and the account of API_TOKEN keeps its token", async () => {
  writeFileSync(path.join(folder, "s.yaml"), "accounts:\n  acme:\n");
  const env = "API_TOKEN=that-of-the-first\nAPI_TOKEN_ACME=that-of-acme\n";
  writeFileSync(path.join(folder, ".env"), env);
  const tokens = { API_TOKEN: "that-of-the-first", API_TOKEN_ACME: "that-of-acme", STOREHOUSE_ACCOUNT: "acme" };
  const refused = await run(["--yes", "--no-check", "--api", sandbox.url], tokens);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("unset STOREHOUSE_ACCOUNT") });
  expect(readFileSync(path.join(folder, ".env"), "utf8")).toBe(env);
});

test("where .env cannot be written, the configuration stays as it was", async () => {
  const options = [
    "--no-check",
    "--api",
    sandbox.url,
    "--datasets",
    "-review",
    "--write",
    path.join(folder, "nowhere", ".env"),
  ];
  const refused = await run(["--yes", ...options], { API_TOKEN: secret });
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("unwritable_file") });
  expect(readFileSync(path.join(folder, "s.yaml"), "utf8")).toBe(shipped);
});

test("files that are links stay links, and what they lead to is written", async () => {
  mkdirSync(path.join(folder, "kept"));
  writeFileSync(path.join(folder, "kept", "s.yaml"), shipped);
  writeFileSync(path.join(folder, "kept", "env"), "OTHER=1\n");
  rmSync(path.join(folder, "s.yaml"));
  symlinkSync(path.join("kept", "s.yaml"), path.join(folder, "s.yaml"));
  symlinkSync(path.join("kept", "env"), path.join(folder, ".env"));
  const options = ["--no-check", "--api", sandbox.url, "--datasets", "-review"];
  expect(await run(["--yes", ...options], { API_TOKEN: secret })).toMatchObject({ code: 0 });
  for (const name of ["s.yaml", ".env"]) expect(lstatSync(path.join(folder, name)).isSymbolicLink()).toBe(true);
  expect(written()).toMatchObject({ OTHER: "1", API_TOKEN: secret });
  expect(settings()).toMatchObject({ datasets: { review: { on: false } } });
});

test.each(["", " ", ".."])("a keyword of %j is refused as one, and not as a line of a file", async (keyword) => {
  const options = ["--api", "http://127.0.0.1:9", "--source", "both", "--app", "7", "--country", "US"];
  const { code, stderr } = await run(["--yes", ...options, "--keyword", keyword], { API_TOKEN: secret });
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("It cannot be requested: a keyword ") });
});

test.each([
  [["--api", "nonsense"], "API_BASE_URL is not an http or https address"],
  [["--api", "http://127.0.0.1:9", "--datasets", "organic_keyword"], "organic_keyword"],
  [["--api", "http://127.0.0.1:9", "--size", "many"], "--size is three numbers"],
  [["--api", "http://127.0.0.1:9", "--datasets", "-review,organic_keyword"], "Type +organic_keyword to switch it on"],
  [["--api", "http://127.0.0.1:9", "--datasets", "+reviews"], "No dataset is named reviews, did you mean review?; see"],
  [["--api", "http://127.0.0.1:9", "--app", "7"], "--app needs a --country"],
  [["--api", "http://127.0.0.1:9", "--country", "US"], "none is given"],
  [["--api", "http://127.0.0.1:9", "--keyword", "notes"], "none is given"],
  [["--api", "http://127.0.0.1:9", "--app", "7", "--country", "US"], "add --source both"],
  [["--api", "http://127.0.0.1:9"], "does not work"],
])("%j is refused in one line, and nothing is written", async (options, problem) => {
  const { code, stderr } = await run(["--yes", ...options], { API_TOKEN: secret });
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(problem) });
  expect(stderr.trim().split("\n")).toHaveLength(1);
  expect(existsSync(path.join(folder, ".env"))).toBe(false);
  expect(readFileSync(path.join(folder, "s.yaml"), "utf8")).toBe(shipped);
});

test.skipIf(!hasTerminal)(
  "at a terminal it repeats each question until the answer fits, shows no token, and writes nothing after Ctrl-C",
  async () => {
    await using terminal = openTerminal(folder, init, variables);
    const requested = (question: string) => terminal.output().split(question).length - 1;
    const answer = async (question: string, text: string, times = 1) => {
      await shown(() => requested(question) >= times);
      terminal.type(`${text}\r`);
    };
    const [address, token, database] = ["Address of the API", "Token of your account", "Database (empty"];
    await answer(address, "");
    await answer(address, "nonsense", 2);
    await answer(address, sandbox.url, 3);
    await answer(token, "");
    await answer(token, "not-the-token", 2);
    await answer("Keep it anyway?", "n");
    await answer(address, "", 4);
    await answer(token, secret, 3);
    await answer(database, `postgres://me:${databasePassword}@127.0.0.1:1/house`);
    await answer("Keep it anyway?", "", 2);
    await answer(database, "", 2);
    await answer("account, config or both", "config");
    await answer("App, by number", "12x");
    await answer("App, by number", "com.example.app", 2);
    await answer("Its countries", "usa");
    await answer("Its countries", "us", 2);
    await answer("Its keywords", "notes, ..");
    await answer("Its keywords", "notes, to do list", 2);
    await answer("(empty: no more)", "");
    await answer("Switch datasets", "-reviews");
    await answer("did you mean review?", "review");
    await answer("Type +review", "");
    expect(await terminal.ended).toBe(0);
    const output = terminal.output();
    expect(output).toContain("the API accepts it; 1,000 of 1,000 credits");
    expect(output).toContain("For the apps that are listed:");
    for (const hidden of [secret, "not-the-token"]) expect(output).not.toContain(hidden);
    expect(written()).toMatchObject({ API_BASE_URL: sandbox.url, API_TOKEN: secret, DATABASE_URL: "" });
    expect(settings().portfolio).toMatchObject({
      source: "config",
      apps: [{ id: "com.example.app", countries: ["US"], keywords: ["notes", "to do list"] }],
    });
    expect(sandbox.log().reduce((sum, { charged }) => sum + charged, 0)).toBe(0);

    const before = readFileSync(path.join(folder, ".env"), "utf8");
    await using stopped = openTerminal(folder, init, variables);
    await shown(() => stopped.output().includes(`${address} [${sandbox.url}]`));
    stopped.type("http://elsewhere.example\r");
    await shown(() => stopped.output().includes("[Enter keeps it]"));
    stopped.type("\u0003");
    expect(await stopped.ended).toBe(130);
    expect(stopped.output()).toContain("nothing was written");
    expect(readFileSync(path.join(folder, ".env"), "utf8")).toBe(before);
  },
);

test.skipIf(!hasTerminal)(
  "a token at the terminal is shown neither where it is pasted with the address before it nor by the arrow that brings back answers",
  async () => {
    await using terminal = openTerminal(folder, init, variables);
    await shown(() => terminal.output().includes("Address of the API"));
    terminal.type(`${sandbox.url}\r${secret}`);
    await shown(() => terminal.output().includes("Token of your account"));
    terminal.type("\r");
    await shown(() => terminal.output().includes("the API accepts it"));
    await shown(() => terminal.output().includes("Database (empty"));
    terminal.type("\u001B[A\r");
    await shown(() => terminal.output().includes("account, config or both"));
    terminal.type("\u0003");
    expect(await terminal.ended).toBe(130);
    expect(terminal.output()).not.toContain(secret);
  },
);

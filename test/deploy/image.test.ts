import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { projectRoot } from "../../src/config/config.ts";
import { long } from "../support/long.ts";

test("the image is made from pinned parts, runs as nobody special and starts with what the repository has", () => {
  const dockerfile = readFileSync(path.join(projectRoot, "Dockerfile"), "utf8");
  expect(dockerfile).toMatch(/^FROM node:24\.\d+\.\d+-\w+-slim AS build$/m);
  expect(dockerfile).toMatch(/^USER node$/m);
  expect(dockerfile).toMatch(/&& npm ci --omit=dev --ignore-scripts /);
  // without a shell in it, what starts the program has to be a program
  expect(dockerfile).toMatch(/^ENTRYPOINT \["node", "--max-semi-space-size=\d+", "\/app\/bin\/storehouse\.js"\]$/m);
  expect(dockerfile).not.toMatch(/^(ENV|ARG).*(TOKEN|PASSWORD|DATABASE_URL)/m);
  const ignored = readFileSync(path.join(projectRoot, ".dockerignore"), "utf8");
  // everything but what is named, so that no .env goes into an image
  expect(ignored.split("\n")[0]).toBe("*");
  const named = [...ignored.matchAll(/^!(.+)$/gm)].map(([, name = ""]) => name);
  expect(named).toContain("src");
  expect(named.filter((name) => !existsSync(path.join(projectRoot, name)))).toEqual([]);
});

test("the image is built with every file of the program compiled, since it may be read-only when it runs", () => {
  const dockerfile = readFileSync(path.join(projectRoot, "Dockerfile"), "utf8");
  const compiles = /^RUN bin\/storehouse\.js --compile-all && bin\/storehouse\.js --help/m.exec(dockerfile)?.index;
  // Node keeps what it compiles apart for each user
  const users = (lines: string) => [...lines.matchAll(/^USER (\w+)$/gm)].map(([, name]) => name);
  expect(users(dockerfile.slice(0, compiles)).at(-1)).toBe(users(dockerfile).at(-1));
  expect(dockerfile.slice(0, compiles)).toContain("install --directory --owner=node node_modules/.cache\n");
  // every file anew takes longer than most files of tests
  if (!long) return;
  const cache = mkdtempSync(path.join(tmpdir(), "storehouse-compiled-"));
  const run = (args: readonly string[], more: NodeJS.ProcessEnv = {}) =>
    spawnSync(path.join(projectRoot, "bin", "storehouse.js"), args, {
      encoding: "utf8",
      env: { PATH: process.env["PATH"], NODE_COMPILE_CACHE: cache, ...more },
    });
  try {
    for (const args of [["--compile-all"], ["--help"]]) expect(run(args)).toMatchObject({ status: 0, stderr: "" });
    for (const command of ["worker", "plan", "export"]) {
      const { stderr } = run([command, "--help"], { NODE_DEBUG_NATIVE: "COMPILE_CACHE" });
      const lines = stderr.split("\n").filter((line) => line.includes(`${projectRoot}/`));
      expect(lines.length).toBeGreaterThan(20);
      expect(lines.filter((line) => /rejected|not found|failed|writing/.test(line))).toEqual([]);
    }
  } finally {
    rmSync(cache, { recursive: true });
  }
});

import { execFileSync, fork, spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { projectRoot } from "../../src/config/config.ts";
import { gateAfter, openStage, quick, today, until } from "../support/ingest-stage.ts";
import { environmentBehind } from "../support/ingest-child.ts";
import { long } from "../support/long.ts";

const program = path.join(projectRoot, "bin", "storehouse.js");
const concurrency = 2;

/** A Node on the path that is too old for the program, with which the launcher hands over to the one that npm installed; null where there is none. */
const oldNode = (process.env["PATH"] ?? "")
  .split(path.delimiter)
  .map((folder) => path.join(folder, "node"))
  .find((file) => existsSync(file) && /^v(1\d|2[0-3])\./.test(execFileSync(file, ["--version"], { encoding: "utf8" })));

/** True while a process runs; one that has ended and waits for its parent counts as ended. */
function lives(pid: number): boolean {
  try {
    return !/^State:\s*Z/m.test(
      execFileSync("cat", [`/proc/${pid}/status`], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }),
    );
  } catch {
    return false;
  }
}

/**
 * Starts a sync whose requests are held after a while, ends its launcher, lets the requests go, and waits for the end of the program.
 * Returns its process id and how many requests it sent after that.
 */
async function endLauncher(
  start: (folder: string, variables: NodeJS.ProcessEnv) => ChildProcess,
  end: (launcher: ChildProcess) => void,
) {
  const gate = gateAfter(3);
  await using stage = await openStage({
    clock: gate.clock,
    latencyMs: gate.latencyMs,
    market: { apps: 2, countries: ["US"] },
  });
  const folder = mkdtempSync(path.join(tmpdir(), "storehouse-launcher-"));
  const config = path.join(folder, "storehouse.yaml");
  writeFileSync(config, JSON.stringify(quick({ api: { concurrency } })));
  const launcher = start(folder, environmentBehind(stage, config));
  try {
    await until(() => gate.held() > 0);
    const [row] = await stage.query<{ pid: number }>("select pid from ops.worker");
    const requests = stage.requested().length + gate.held();
    end(launcher);
    gate.open();
    await until(() => !lives(row?.pid ?? 0));
    return { pid: row?.pid, sentLater: stage.requested().length - requests };
  } finally {
    launcher.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  }
}

test("installed as a package of another project it is refused in a line, and still says its version", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "storehouse-package-"));
  const installed = path.join(folder, "node_modules", "storehouse");
  for (const part of ["bin/storehouse.js", "package.json", "src/cli.ts"])
    cpSync(path.join(projectRoot, part), path.join(installed, part), { recursive: true });
  const call = (option: string) =>
    spawnSync(process.execPath, [path.join(installed, "bin", "storehouse.js"), option], { encoding: "utf8" });
  expect(call("--help")).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(/^storehouse works in a folder of its own, not in node_modules: .*\n$/),
  });
  expect(call("--version")).toMatchObject({
    status: 0,
    stderr: "",
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
  });
  rmSync(folder, { recursive: true });
});

const command = ["sync", "--as-of", today, "--yes"];

test.runIf(long && oldNode !== undefined)(
  "a launcher under an old Node that is killed leaves no program behind that spends",
  async () => {
    const { pid, sentLater } = await endLauncher(
      (cwd, env) => spawn(oldNode ?? "", [program, ...command], { cwd, env, stdio: "ignore" }),
      (launcher) => launcher.kill("SIGKILL"),
    );
    expect(pid).toBeGreaterThan(0);
    expect(sentLater).toBeLessThanOrEqual(concurrency);
  },
);

test("a program whose launcher is gone stops as after SIGTERM", async () => {
  const { pid, sentLater } = await endLauncher(
    (cwd, env) => fork(program, command, { cwd, env: { ...env, STOREHOUSE_LAUNCHED: "1" }, stdio: "ignore" }),
    (launcher) => launcher.disconnect(),
  );
  expect(pid).toBeGreaterThan(0);
  expect(sentLater).toBeLessThanOrEqual(concurrency);
});

test("a program whose launcher was gone before it began stops at once", async () => {
  const child = spawn(process.execPath, [program, "datasets"], {
    env: { PATH: process.env["PATH"], STOREHOUSE_LAUNCHED: "1" },
    stdio: "ignore",
  });
  expect(await once(child, "exit")).toEqual([null, "SIGTERM"]);
});

test("answers have a young generation that grows, up to the same bound wherever the program is started", () => {
  const boundsIn = (file: string) =>
    [...readFileSync(path.join(projectRoot, file), "utf8").matchAll(/--max-semi-space-size=(\d+)/g)].map(
      ([, size]) => size,
    );
  const bounds = ["bin/storehouse.js", "Dockerfile", "bench/child.ts"].map(boundsIn);
  expect(bounds.map(({ length }) => length)).toEqual([2, 1, 1]);
  expect(new Set(bounds.flat()).size).toBe(1);
  const report = `import v8 from "node:v8"; process.on("exit", () => console.error(v8.getHeapSpaceStatistics()[1].space_size))`;
  const { stderr } = spawnSync(program, ["operations"], {
    encoding: "utf8",
    env: { PATH: process.env["PATH"], NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(report)}` },
  });
  const sizes = stderr.trim().split("\n").map(Number);
  // both halves of it
  expect(Math.max(...sizes)).toBeGreaterThan(2 * 2 ** 20);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(2 * Number(bounds[0]?.[0]) * 2 ** 20);
});

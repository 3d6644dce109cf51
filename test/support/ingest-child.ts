import { spawn, type ChildProcess } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { projectRoot } from "../../src/config/config.ts";
import type { Day } from "../../src/core/day.ts";
import type { CrashPoint } from "../../src/ingest/crash-point.ts";
import { quick, today, type RunOptions, type Stage } from "./ingest-stage.ts";

/** The variable by which types are stripped once for all children, as the command line has it. */
export const compiledOnce = { NODE_COMPILE_CACHE: path.join(projectRoot, "node_modules", ".cache", "storehouse") };

/** A `storehouse` command as a process of its own. Disposing kills it if it still runs. */
export type Child = AsyncDisposable & {
  readonly process: ChildProcess;
  /** Resolves with the exit code, or the signal that ended it, once all output is in. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
  readonly output: () => { readonly stdout: string; readonly stderr: string };
};

/** Where a child finds its database and its API. */
export type Behind = Pick<Stage, "databaseUrl"> & {
  readonly sandbox: { readonly url: string; readonly token: string };
};

/** Settings and variables beside the usual ones. */
export type ChildOptions = Pick<RunOptions, "settings"> & {
  readonly variables?: Record<string, string>;
  /** A file or device that stderr goes to, instead of into `output`. */
  readonly stderrTo?: string;
};

/** Starts `node src/cli.ts ...` against a stage, with the quick settings, as on the stage's day. */
export function startChild(stage: Behind, command: readonly string[], options: ChildOptions = {}): Child {
  return startProgram(stage, [path.join(projectRoot, "src", "cli.ts"), ...command], options);
}

/** Places at which a doomed child can end: those that the story of a slice names, and the moment at which a request is on the wire. */
export type Place = CrashPoint | "after send";

/** Starts a sync, a retry or a worker, on the stage's day unless said otherwise, that kills itself the n-th time it comes to a place, or never when none is named. */
export function startDoomed(
  stage: Behind,
  command: "sync" | "retry" | "worker",
  {
    place,
    times = 1,
    on = today,
    ...options
  }: ChildOptions & { readonly place?: Place; readonly times?: number; readonly on?: Day } = {},
): Child {
  const program = path.join(projectRoot, "test", "support", "ingest-doomed.ts");
  return startProgram(stage, [program, command, on, place ?? "", String(times)], options);
}

function startProgram(
  stage: Behind,
  command: readonly string[],
  { settings = {}, variables = {}, stderrTo }: ChildOptions,
): Child {
  const stderrFile = stderrTo === undefined ? undefined : openSync(stderrTo, "w");
  const folder = mkdtempSync(path.join(tmpdir(), "storehouse-test-"));
  const config = path.join(folder, "storehouse.yaml");
  // JSON is YAML
  writeFileSync(config, JSON.stringify(quick(settings)));
  const child = spawn(process.execPath, command, {
    cwd: folder,
    env: {
      ...environmentBehind(stage, config),
      ...compiledOnce,
      ...variables,
    },
    stdio: ["ignore", "pipe", stderrFile ?? "pipe"],
  });
  if (stderrFile !== undefined) closeSync(stderrFile);
  let [stdout, stderr] = ["", ""];
  child.stdout?.on("data", (part) => (stdout += String(part)));
  child.stderr?.on("data", (part) => (stderr += String(part)));
  const ended = new Promise<number | NodeJS.Signals | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve(code ?? signal));
  });
  return {
    process: child,
    ended,
    output: () => ({ stdout, stderr }),
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await ended.catch(() => undefined);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The variables of a command: nothing of this machine's but PATH. */
export function environmentBehind(stage: Behind, config: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env["PATH"],
    API_BASE_URL: stage.sandbox.url,
    API_TOKEN: stage.sandbox.token,
    DATABASE_URL: stage.databaseUrl,
    STOREHOUSE_CONFIG: config,
    LOG_LEVEL: "silent",
  };
}

/** The arguments of a sync on the stage's day. */
export const syncCommand = ["sync", "--as-of", today, "--yes"] as const;

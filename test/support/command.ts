import fs, { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { reportFailure } from "../../src/cli/report-failure.ts";
import { runTyped } from "../../src/cli/program.ts";
import { setScreen } from "../../src/cli/screen.ts";
import { environmentBehind, type Behind, type ChildOptions } from "./ingest-child.ts";
import { quick } from "./ingest-stage.ts";

/** How a command ended, and what it printed. */
export type Ended = { readonly code: number; readonly stdout: string; readonly stderr: string };

/** What a command has printed so far; `shown`: on both streams, in order. */
export type Output = () => { readonly stdout: string; readonly stderr: string; readonly shown: string };

let isAtWork = false;

/**
 * Runs a command to its end as `startChild` would, in this process: the same arguments, variables, working folder, output and exit code,
 * without half a second for loading the program again. For one command at a time. A test that sends a signal or is about the process
 * itself starts a child.
 */
export async function runCommand(
  behind: Behind,
  typed: readonly string[],
  { settings = {}, variables = {} }: ChildOptions = {},
  begin: (output: Output) => void = () => undefined,
): Promise<Ended> {
  if (isAtWork) throw new Error("a command is at work in this process: start a child for two at a time");
  isAtWork = true;
  const folder = mkdtempSync(path.join(tmpdir(), "storehouse-test-"));
  const config = path.join(folder, "storehouse.yaml");
  // JSON is YAML
  writeFileSync(config, JSON.stringify(quick(settings)));
  const [home, usual] = [process.cwd(), { ...process.env }];
  const both: Buffer[] = [];
  const [stdout, stderr] = [captured(process.stdout, both), captured(process.stderr, both)];
  setEnvironment({ ...environmentBehind(behind, config), ...variables });
  process.chdir(folder);
  process.exitCode = undefined;
  begin(() => ({ stdout: stdout.text(), stderr: stderr.text(), shown: textOf(both) }));
  try {
    const code = await codeOf(typed);
    return { code, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    process.exitCode = undefined;
    process.chdir(home);
    setEnvironment(usual);
    // what it said about zone and columns holds for no test after it
    setScreen({ color: false, utc: false });
    for (const one of [stderr, stdout]) one.restore();
    rmSync(folder, { recursive: true, force: true });
    isAtWork = false;
  }
}

/** Runs a command that goes on until it is stopped, and stops it as SIGTERM does when `work` is done. */
export async function runUntil(
  behind: Behind,
  typed: readonly string[],
  work: (output: Output) => Promise<void>,
  options: ChildOptions = {},
): Promise<Ended> {
  let isOver = false;
  const begun = Promise.withResolvers<Output>();
  const running = runCommand(behind, typed, options, begun.resolve).finally(() => (isOver = true));
  const early = running.then(({ code, stderr }) => Promise.reject(new Error(`it ended with ${code}: ${stderr}`)));
  try {
    await Promise.race([begun.promise.then(work), early]);
  } finally {
    if (!isOver) process.emit("SIGTERM", "SIGTERM");
    await running;
    early.catch(() => undefined);
  }
  return running;
}

/** As src/cli.ts does it. */
async function codeOf(typed: readonly string[]): Promise<number> {
  try {
    await runTyped(typed);
    return Number(process.exitCode ?? 0);
  } catch (error) {
    return reportFailure(error);
  }
}

/** The variables of the process itself, since a zone in TZ counts only there. */
function setEnvironment(variables: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (!(name in variables)) delete process.env[name];
  for (const [name, value] of Object.entries(variables)) if (process.env[name] !== value) process.env[name] = value;
}

function textOf(parts: readonly Buffer[]): string {
  return Buffer.concat(parts).toString("utf8");
}

/**
 * Keeps what is written to a stream instead of writing it, and what the log writes past the stream to the same file; `both` gets the parts
 * as well.
 */
function captured(
  stream: NodeJS.WriteStream & { readonly fd: number },
  both: Buffer[],
): {
  readonly text: () => string;
  readonly restore: () => void;
} {
  const parts: Buffer[] = [];
  const usual = stream.write.bind(stream);
  const { writeSync } = fs;
  const keep = (part: Buffer) => {
    parts.push(part);
    both.push(part);
    return part.length;
  };
  fs.writeSync = ((file: number, part: string | Uint8Array, ...rest: readonly []) => {
    if (file !== stream.fd) return writeSync(file, part as string, ...rest);
    return keep(Buffer.from(part as string));
  }) as typeof writeSync;
  stream.write = (part: string | Uint8Array, ...rest: readonly unknown[]) => {
    keep(Buffer.from(part as string));
    const done = rest.at(-1);
    if (typeof done === "function") done();
    return true;
  };
  const restore = () => {
    stream.write = usual;
    fs.writeSync = writeSync;
  };
  return { text: () => textOf(parts), restore };
}

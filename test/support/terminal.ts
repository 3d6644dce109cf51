import { spawn, spawnSync } from "node:child_process";
import path from "node:path";
import { projectRoot } from "../../src/config/config.ts";
import { compiledOnce } from "./ingest-child.ts";

/** True where the program is there that gives a command a terminal. */
export const hasTerminal =
  spawnSync("script", ["--version"], { encoding: "utf8" }).stdout?.includes("util-linux") ?? false;

/** A command under a terminal of its own, 80 columns wide. */
export type Terminal = AsyncDisposable & {
  /** Everything that was shown, without carriage returns. */
  readonly output: () => string;
  readonly type: (text: string) => void;
  readonly ended: Promise<number | null>;
};

/** Starts `storehouse ...` in a folder, with these variables and no others. */
export function openTerminal(folder: string, command: readonly string[], variables: Record<string, string>): Terminal {
  const words = [process.execPath, path.join(projectRoot, "src", "cli.ts"), ...command];
  // the folder of the project may have a space or a quote in its name
  const typed = words.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(" ");
  const child = spawn("script", ["-qefc", `stty cols 80; exec ${typed}`, "/dev/null"], {
    cwd: folder,
    env: { PATH: process.env["PATH"], LOG_LEVEL: "silent", TERM: "xterm", ...compiledOnce, ...variables },
  });
  let output = "";
  child.stdout.on("data", (part) => (output += String(part)));
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  return {
    output: () => output.replaceAll("\r", ""),
    type: (text) => void child.stdin.write(text),
    ended,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

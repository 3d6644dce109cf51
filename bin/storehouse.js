#!/usr/bin/env -S node --max-semi-space-size=16
/*
 * Starts src/cli.ts under a Node that can run it. Plain JavaScript, because it must also start under Node 20:
 * there it hands over to the Node 24 that npm installed as a dependency.
 */
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import module from "node:module";
import { constants as os } from "node:os";
import { join, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import v8 from "node:v8";

const project = fileURLToPath(new URL("..", import.meta.url));
const cli = join(project, "src", "cli.ts");
const bundled = join(project, "node_modules", "node", "bin", process.platform === "win32" ? "node.exe" : "node");
// stripping types takes a second and 200 MB at each start; what was stripped once is kept
const cache = process.env.NODE_COMPILE_CACHE ?? join(project, "node_modules", ".cache", "storehouse");
// answers come and go: a young generation of the usual size would hold 100 MB of those that went, and an old one that may grow to three
// times what is alive another 50 MB. What holds answers is not allocated in the old one at once: everything it refers to would follow
const smallHeap = ["--max-semi-space-size=16", "--heap-growing-percent=100", "--no-allocation-site-pretenuring"];
// V8 takes the bound of the young generation at its start alone: the first line of this file names it, the image, or a launcher
const isBounded = [...process.execArgv, process.env.NODE_OPTIONS ?? ""].some((flags) =>
  /--max[-_]semi[-_]space[-_]size/.test(flags),
);
const [major, minor] = process.versions.node.split(".").map(Number);
// set where this file runs as the child of a launcher
const launched = process.env.STOREHOUSE_LAUNCHED !== undefined;
delete process.env.STOREHOUSE_LAUNCHED;

// a program that only wants to know the version gets it from any Node, without a line of the program
const isVersionWanted = process.argv.length === 3 && ["--version", "-V"].includes(process.argv[2]);

// the image is built with everything compiled; under the flags of every other start, since V8 refuses what it compiled under others
const isCompileWanted = process.argv.length === 3 && process.argv[2] === "--compile-all";

// 24.15 is the first that strips types and opens node:sqlite without a warning
if (isVersionWanted) {
  process.stdout.write(`${JSON.parse(readFileSync(join(project, "package.json"), "utf8")).version}\n`);
} else if (project.split(sep).includes("node_modules")) {
  // Node strips no types there
  process.stderr.write(
    "storehouse works in a folder of its own, not in node_modules: clone the project, and run npm ci and npx storehouse there\n",
  );
  process.exit(2);
} else if (major > 24 || (major === 24 && minor >= 15)) {
  module.enableCompileCache(cache);
  for (const flag of smallHeap) v8.setFlagsFromString(flag);
  // without a bound it stays as small as it begins, which takes a tenth more processor time of a large load
  if (!isBounded) v8.setFlagsFromString("--semi-space-growth-factor=1");
  process.argv[1] = cli;
  if (launched) stopWithLauncher();
  await import(isCompileWanted ? "./compile-all.js" : pathToFileURL(cli).href);
} else if (existsSync(bundled) && !launched) {
  handOver(bundled);
} else {
  process.stderr.write(`storehouse needs Node 24.15 or newer, and ${bundled} is missing: run npm ci\n`);
  process.exit(2);
}

function handOver(node) {
  const self = fileURLToPath(import.meta.url);
  const child = spawn(node, [...process.execArgv, ...smallHeap, self, ...process.argv.slice(2)], {
    // the channel is for its end alone: see stopWithLauncher
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    env: { ...process.env, NODE_COMPILE_CACHE: cache, STOREHOUSE_LAUNCHED: "1" },
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    // a terminal sends Ctrl-C to the child as well, and a second SIGINT would end it at once
    process.on(signal, () => (signal === "SIGINT" && process.stdin.isTTY ? undefined : child.kill(signal)));
  }
  child.on("error", (error) => {
    process.stderr.write(`storehouse: ${node} did not start: ${error.message}\n`);
    process.exit(2);
  });
  child.on("exit", (code, signal) => process.exit(code ?? 128 + os.signals[signal]));
}

/** A launcher that is killed passes no signal on: the channel to it closes, and the program stops as after SIGTERM, before it spends more. */
function stopWithLauncher() {
  const stop = () => process.kill(process.pid, "SIGTERM");
  if (!process.connected) stop();
  process.once("disconnect", stop);
  process.channel?.unref();
}

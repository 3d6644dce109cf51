import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { print, remark } from "../src/cli/output.ts";
import { projectRoot } from "../src/config/config.ts";
import { startSandbox } from "../src/sandbox/sandbox.ts";
import { bounded } from "./child.ts";
import { machineOf } from "./machine.ts";
import { openBenchPostgres } from "./postgres.ts";
import { spreadOf } from "./statistics.ts";
import { plain } from "./table.ts";

/*
 * npm run bench:start [-- --rounds N] [-- --beside FOLDER]
 *
 * What a start costs, as ratios to `node -e 0` under the same Node, including bin/storehouse.js. A round runs each command once, so that
 * all see the same machine. It prints medians. `--beside` measures another checkout in the same rounds.
 */

type Usage = { readonly cpuMs: number; readonly wallMs: number; readonly peakMb: number };
type Measured = { readonly name: string; readonly arguments: readonly string[]; readonly variables: NodeJS.ProcessEnv };

const commands = [["--version"], ["--help"], ["sync", "--help"], ["status"], ["runs"], ["credits"], ["gaps"]] as const;
/** In its own folder, so that no `.env` is read. */
const usageFile = "usage";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "9" }, beside: { type: "string", multiple: true, default: [] } },
});
await using postgres = await openBenchPostgres();
await using sandbox = await startSandbox();
const bare: Measured = { name: "node -e 0", arguments: ["-e", "0"], variables: {} };
const measured = [bare];
for (const [index, folder] of [projectRoot, ...values.beside].entries()) {
  const variables = await filledWarehouse(folder, `start_${index}`);
  for (const command of commands)
    measured.push({
      name: [...(index === 0 ? [] : [folder]), ...command].join(" "),
      arguments: [...bounded, path.join(folder, "bin", "storehouse.js"), ...command],
      variables,
    });
}
const usages = new Map<Measured, Usage[]>(measured.map((one) => [one, []]));
for (let round = 0; round < Number(values.rounds); round += 1)
  for (const one of measured) usages.get(one)?.push(await run(one));

const medians = measured.map((one) => ({ name: one.name, ...medianOf(usages.get(one) ?? []) }));
const base = medians[0] ?? { cpuMs: 1, wallMs: 1, peakMb: 1 };
print(
  [
    machineOf(postgres.version),
    "",
    plain({
      title: `Starts under Node ${process.versions.node}, medians of ${values.rounds}`,
      head: ["command", "CPU ms", "CPU ratio", "wall ms", "wall ratio", "peak MB"],
      rows: medians.map(({ name, cpuMs, wallMs, peakMb }) => [
        name,
        cpuMs.toFixed(0),
        (cpuMs / base.cpuMs).toFixed(1),
        wallMs.toFixed(0),
        (wallMs / base.wallMs).toFixed(1),
        peakMb.toFixed(0),
      ]),
    }),
  ].join("\n"),
);

/** Makes a separate database for a checkout, migrated and with one dataset loaded. Returns the environment variables for it. */
async function filledWarehouse(folder: string, database: string): Promise<NodeJS.ProcessEnv> {
  remark(`preparing ${folder}`);
  await postgres.client.query(`create database ${database}`);
  const url = new URL(postgres.url);
  url.pathname = `/${database}`;
  const variables = { DATABASE_URL: url.href, API_BASE_URL: sandbox.url, API_TOKEN: sandbox.token };
  const launcher = path.join(folder, "bin", "storehouse.js");
  for (const command of [["migrate"], ["sync", "--dataset", "tracked_app", "--yes"]])
    await run({ name: command.join(" "), arguments: [launcher, ...command], variables });
  return variables;
}

async function run({ name, arguments: given, variables }: Measured): Promise<Usage> {
  const usage = path.join(postgres.folder, usageFile);
  rmSync(usage, { force: true });
  const from = performance.now();
  const child = spawn(process.execPath, given, {
    cwd: postgres.folder,
    env: {
      ...variables,
      NODE_OPTIONS: `--require=${path.join(import.meta.dirname, "report-usage.cjs")}`,
      STOREHOUSE_BENCH_USAGE: usage,
    },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [code] = (await once(child, "exit")) as [number | null];
  const wallMs = performance.now() - from;
  if (code !== 0) throw new Error(`${name} ended with ${code}`);
  // a launcher that starts another Node leaves two lines
  const lines = readFileSync(usage, "utf8").trim().split("\n");
  const figures = lines.map((line) => line.split(" ").map(Number));
  return {
    cpuMs: figures.reduce((sum, [cpu = 0]) => sum + cpu, 0),
    wallMs,
    peakMb: Math.max(...figures.map(([, peak = 0]) => peak)),
  };
}

function medianOf(all: readonly Usage[]): Usage {
  const median = (of: (one: Usage) => number) => spreadOf(all.map(of)).median;
  return {
    cpuMs: median((one) => one.cpuMs),
    wallMs: median((one) => one.wallMs),
    peakMb: median((one) => one.peakMb),
  };
}

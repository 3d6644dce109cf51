import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { print, remark } from "../src/cli/output.ts";
import { measureArchive } from "./archive.ts";
import { sizes, type Bench, type Size } from "./bench.ts";
import { machineOf } from "./machine.ts";
import { measureMixed } from "./mixed.ts";
import { measurePace } from "./pace.ts";
import type { PlannerFigures } from "./planner.ts";
import { openBenchPostgres } from "./postgres.ts";
import { archiveTable, loadTables, mixedTable, plannerTable, requestTable, stepTable, workerTable } from "./report.ts";
import { measureRounds, measureSteps, order, warmUp } from "./rounds.ts";
import { startService } from "./service.ts";
import { markdown, plain, type Table } from "./table.ts";
import { measureTransport } from "./transport.ts";
import { measureWorkers } from "./workers.ts";

/*
 * npm run bench [-- --quick] [-- --only load,steps] [-- --markdown FILE]
 *
 * Everything in one run on one machine, against a separate Postgres and service, which are removed afterwards. Each table is printed once
 * it is measured.
 */

/** The work and the rows for COPY, which all parts share. */
type Measured = { readonly bench: Bench; readonly size: Size; readonly text: readonly Buffer[] };

const parts: Readonly<Record<string, (measured: Measured) => Promise<readonly Table[]>>> = {
  load: async ({ bench, size, text }) => loadTables(size, await measureRounds(bench, size, text)),
  steps: async ({ bench, size }) => [stepTable(size, await measureSteps(bench, size))],
  archive: async ({ bench, size, text }) => [archiveTable(size, await measureArchive(bench, size, text))],
  mixed: async ({ bench, size }) => [mixedTable(await measureMixed(bench, size))],
  pace: async ({ bench, size }) => [requestTable(await measureTransport(bench), await measurePace(bench, size))],
  workers: async ({ bench, size }) => [workerTable(await measureWorkers(bench, size))],
  planner: async ({ bench, size }) => {
    remark("the planner");
    const planned = await order<readonly PlannerFigures[]>(bench, { kind: "plan", scale: size.planned });
    return [plannerTable(size, planned)];
  },
};

async function main(stop: AbortSignal): Promise<void> {
  const { values } = parseArgs({
    options: { quick: { type: "boolean" }, only: { type: "string" }, markdown: { type: "string" } },
  });
  const chosen = values.only?.split(",") ?? Object.keys(parts);
  const unknown = chosen.filter((name) => parts[name] === undefined);
  if (unknown.length > 0)
    throw new Error(`--only ${unknown.join(",")} names no part; parts are ${Object.keys(parts).join(", ")}`);
  const size = sizes[values.quick === true ? "quick" : "full"];
  await using postgres = await openBenchPostgres();
  await using service = await startService(stop);
  const bench: Bench = { postgres, service, stop, say: remark };
  const text = await warmUp(bench, size);
  const machine = machineOf(postgres.version);
  const tables: Table[] = [];
  print(`${machine}\n`);
  for (const name of chosen) {
    const found = (await parts[name]?.({ bench, size, text })) ?? [];
    print(found.map(plain).join("\n"));
    tables.push(...found);
    if (values.markdown !== undefined)
      await writeFile(values.markdown, [`Measured on ${machine}.`, "", ...tables.map(markdown)].join("\n"));
  }
}

const stop = new AbortController();
const interrupt = () => stop.abort(new Error("interrupted"));
process.once("SIGINT", interrupt);
process.once("SIGTERM", interrupt);
try {
  await main(stop.signal);
} catch (error) {
  if (!stop.signal.aborted) throw error;
  remark("Interrupted; nothing is left behind.");
  process.exitCode = 130;
}

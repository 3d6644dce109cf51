import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { print, remark } from "../src/cli/output.ts";
import { measureArchive } from "./archive.ts";
import { sizes, type Bench } from "./bench.ts";
import { machineOf } from "./machine.ts";
import { measureMixed } from "./mixed.ts";
import { measurePace } from "./pace.ts";
import type { PlannerFigures } from "./planner.ts";
import { openBenchPostgres } from "./postgres.ts";
import { tablesOf } from "./report.ts";
import { measureRounds, measureSteps, order } from "./rounds.ts";
import { startService } from "./service.ts";
import { markdown, plain } from "./table.ts";
import { measureTransport } from "./transport.ts";
import { measureWorkers } from "./workers.ts";

/*
 * npm run bench [-- --quick] [-- --markdown FILE]
 *
 * Everything in one run on one machine, against a Postgres of its own and a service of its own, both gone afterwards.
 */

async function bench(stop: AbortSignal): Promise<void> {
  const { values } = parseArgs({ options: { quick: { type: "boolean" }, markdown: { type: "string" } } });
  const size = sizes[values.quick === true ? "quick" : "full"];
  await using postgres = await openBenchPostgres();
  await using service = await startService(stop);
  const parts: Bench = { postgres, service, stop, say: remark };
  const { rounds, text } = await measureRounds(parts, size);
  const steps = await measureSteps(parts, size);
  const archive = await measureArchive(parts, size, text);
  const mixed = await measureMixed(parts, size);
  const transport = await measureTransport(parts);
  const paced = await measurePace(parts, size);
  const shared = await measureWorkers(parts, size);
  remark("the planner");
  const planned = await order<readonly PlannerFigures[]>(parts, { kind: "plan", scale: size.planned });
  const tables = tablesOf({ size, rounds, steps, archive, mixed, transport, paced, shared, planned });
  const machine = machineOf(postgres.version);
  print([machine, "", ...tables.map(plain)].join("\n"));
  if (values.markdown !== undefined)
    await writeFile(values.markdown, [`Measured on ${machine}.`, "", ...tables.map(markdown)].join("\n"));
}

const stop = new AbortController();
const interrupt = () => stop.abort(new Error("interrupted"));
process.once("SIGINT", interrupt);
process.once("SIGTERM", interrupt);
try {
  await bench(stop.signal);
} catch (error) {
  if (!stop.signal.aborted) throw error;
  remark("Interrupted; nothing is left behind.");
  process.exitCode = 130;
}

import { subscribe } from "node:diagnostics_channel";
import { createApp } from "../../src/app.ts";
import { jumpingClock } from "./clock-jumps.ts";
import { loadConfig } from "../../src/cli/with-app.ts";
import { stopSignal } from "../../src/cli/stop-signal.ts";
import { day } from "../../src/core/day.ts";
import type { Slice } from "../../src/core/slice.ts";
import type { Intervals } from "../../src/runs/heartbeat.ts";
import { retryInForeground, syncInForeground } from "../../src/foreground.ts";
import { openWorkerApp } from "../../src/worker/waits.ts";
import { runWorker } from "./agreed-worker.ts";

/**
 * A program for child processes: a sync, a retry or a worker on the given day, put together as by the command line, that kills itself the
 * `times`-th time it comes to a place, or stops there where TEST_SIGNAL says so. Arguments: the command, the day, the place, times; no place, no kill.
 */
const [command = "", today = "", place = "", times = "1"] = process.argv.slice(2);

let left = Number(times);

/** What the text of a slice holds that kills, as a list in JSON; any slice when left out. */
const poison = JSON.parse(process.env["TEST_POISON"] ?? "[]") as string[];
const retryFailed: typeof syncInForeground = (parts, run) => retryInForeground(parts, { ...run, which: {} });
/** How often the process says that it lives, as JSON. */
const intervals =
  process.env["TEST_INTERVALS"] === undefined ? undefined : (JSON.parse(process.env["TEST_INTERVALS"]) as Intervals);

function at(here: string, slice?: Slice): void {
  const text = JSON.stringify(slice ?? null);
  if (here !== place || !poison.every((part) => text.includes(part)) || --left > 0) return;
  process.kill(process.pid, process.env["TEST_SIGNAL"] ?? "SIGKILL");
  // not one step further, should the signal take a moment
  for (;;);
}

// the client reports when a request is on the wire; the balance check does not count
subscribe("undici:request:bodySent", (message) => {
  const { path } = (message as { request: { path: string } }).request;
  if (!path.startsWith("/api-key")) at("after send");
});

const stop = stopSignal();
const asOf = day(today);
// first: a signal that moves the clock would end a process that does not expect it yet
const clock = jumpingClock(asOf);
// a worker waits for a database that is not up yet, as by the command line
await using opened =
  command === "worker"
    ? await openWorkerApp(loadConfig(), { stop: stop.signal, asOf })
    : await createApp(loadConfig(), asOf);
if (opened === null) process.exit(0);
const app = { ...opened, clock };
if (command === "worker") {
  const error = await runWorker({ ...app, crashPoint: at, intervals }, stop.signal);
  process.exitCode = error === null ? 0 : 2;
} else {
  const run = { request: { datasets: [], bounds: {}, today: asOf }, maxCredits: null, stop: stop.signal };
  const inForeground = command === "retry" ? retryFailed : syncInForeground;
  const { outcome } = await inForeground({ ...app, crashPoint: at, intervals }, { ...run, progress: () => undefined });
  process.exitCode = outcome === "loaded" ? 0 : outcome === "aborted" ? 2 : 1;
}
stop[Symbol.dispose]();

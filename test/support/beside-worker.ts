import { expect } from "vitest";
import type { Log } from "../../src/core/log.ts";
import type { Intervals } from "../../src/runs/heartbeat.ts";
import { runWorker } from "./agreed-worker.ts";
import type { RunOptions, Stage } from "./ingest-stage.ts";

/** Runs a worker in this process while `work` goes on, and stops it. */
export async function besideWorker(
  stage: Stage,
  { intervals, log, ...options }: RunOptions & { readonly intervals?: Intervals; readonly log?: Log },
  work: () => Promise<void>,
): Promise<void> {
  await using app = await stage.open(options);
  const stop = new AbortController();
  const running = runWorker({ ...app, log: log ?? app.log, intervals }, stop.signal);
  try {
    await Promise.race([work(), running.then((error) => Promise.reject(error ?? new Error("the worker ended")))]);
  } finally {
    stop.abort();
    await running;
  }
  expect(await running).toBeNull();
}

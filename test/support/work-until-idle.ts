import { expect } from "vitest";
import { runWorker } from "./agreed-worker.ts";
import { until, type RunOptions, type Stage } from "./ingest-stage.ts";
import { isIdleAfter, lastRunOf } from "./ingest-tables.ts";

/** Runs a worker until it has planned once more and nothing can go on, and stops it. */
export async function workUntilIdle(stage: Stage, options: RunOptions): Promise<void> {
  await using app = await stage.open(options);
  const stop = new AbortController();
  const last = await lastRunOf(stage);
  const running = runWorker(app, stop.signal);
  await until(() => isIdleAfter(stage, last));
  stop.abort();
  expect(await running).toBeNull();
}

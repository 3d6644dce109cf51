import type { Bench, Size } from "./bench.ts";
import { configOf } from "./config.ts";
import { forgetAll } from "./postgres.ts";
import { expect, order } from "./rounds.ts";
import type { SyncTime } from "./sync-measured.ts";
import { answersOf } from "./work.ts";

/** How close a sync comes to the pace that it is allowed, by the service's own clock. */
export type Paced = { readonly allowed: number; readonly reached: number; readonly latencyMs: number };

const latencyMs = 300;
const allowed = 3;

/** Runs a sync with the default settings against a service that takes its time. */
export async function measurePace(bench: Bench, { paced }: Size): Promise<Paced> {
  bench.say(`${answersOf(paced)} requests at ${latencyMs} ms and ${allowed} a second`);
  await forgetAll(bench.postgres.client);
  await bench.service.behave({ latencyMs });
  const config = configOf({ api: bench.service.url, database: bench.postgres.url }, paced, {
    pace: allowed,
    concurrency: 4,
  });
  const { outcome } = await order<SyncTime>(bench, { kind: "sync", config, work: paced, again: false });
  expect(outcome, "loaded", "the outcome at a set pace");
  const { asked } = await bench.service.witness();
  const [first, last] = [asked[0]?.at ?? 0, asked.at(-1)?.at ?? 0];
  return { allowed, reached: ((asked.length - 1) * 1000) / (last - first), latencyMs };
}

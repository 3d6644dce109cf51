import type { Bench, Size } from "./bench.ts";
import { configOf } from "./config.ts";
import { forgetAll } from "./postgres.ts";
import { expect, order } from "./rounds.ts";
import { countedSteps, countSteps } from "./steps.ts";
import type { SyncTime } from "./sync-measured.ts";
import { answersOf, type Work } from "./work.ts";

/**
 * How close a sync comes to its allowed pace, by the service's clock, and its statements per answer, including planning: the first time,
 * and when every answer is unchanged.
 */
export type Paced = {
  readonly allowed: number;
  readonly reached: number;
  readonly latencyMs: number;
  readonly statements: { readonly first: number; readonly unchanged: number };
};

const latencyMs = 300;
const allowed = 3;

/** Runs a sync twice with the default settings against a slow service. */
export async function measurePace(bench: Bench, { paced }: Size): Promise<Paced> {
  bench.say(`${answersOf(paced)} requests at ${latencyMs} ms and ${allowed} a second, twice`);
  await forgetAll(bench.postgres.client);
  await bench.service.behave({ latencyMs });
  const first = await counted(bench, paced, false);
  const { seen } = await bench.service.witness();
  const [begun, last] = [seen[0]?.at ?? 0, seen.at(-1)?.at ?? 0];
  const unchanged = await counted(bench, paced, true);
  return {
    allowed,
    reached: ((seen.length - 1) * 1000) / (last - begun),
    latencyMs,
    statements: { first, unchanged },
  };
}

/** Runs it and returns its statements per answer. */
async function counted(bench: Bench, paced: Work, again: boolean): Promise<number> {
  const config = configOf({ api: bench.service.url, database: bench.postgres.url }, paced, {
    pace: allowed,
    concurrency: 4,
  });
  await countSteps(bench.postgres.client);
  const { outcome } = await order<SyncTime>(bench, { kind: "sync", config, work: paced, again });
  expect(outcome, "loaded", "the outcome at a set pace");
  const costs = await countedSteps(bench.postgres.client);
  return costs.reduce((sum, { statements }) => sum + statements, 0) / answersOf(paced);
}

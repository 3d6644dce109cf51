import { expect } from "vitest";
import { openStage, callText, type RunOptions, type Stage } from "./ingest-stage.ts";
import { factsOf, statesOf } from "./ingest-tables.ts";
import type { SandboxOptions, SandboxRequest } from "../../src/sandbox/sandbox.ts";

/** What a run leaves that nothing disturbed: the tables, what was requested, and the credits it took. */
export type Calm = {
  readonly facts: Record<string, string[]>;
  readonly callTexts: readonly string[];
  readonly credits: number;
};

/** Calm runs of this process, by what they are of: files of tests share their markets. */
const known = new Map<string, Promise<Calm>>();

/** What a sync leaves that nothing disturbs; run once for each market and settings. */
export function calmRun(
  options: Pick<SandboxOptions, "market"> = {},
  run: Pick<RunOptions, "settings"> = {},
): Promise<Calm> {
  const of = JSON.stringify([options, run]);
  const calm = known.get(of) ?? runCalmly(options, run);
  known.set(of, calm);
  return calm;
}

async function runCalmly(options: SandboxOptions, run: RunOptions): Promise<Calm> {
  await using stage = await openStage(options);
  await stage.sync(run);
  return {
    facts: await factsOf(stage),
    callTexts: stage.requested().map(callText).sort(),
    credits: charged(stage.requested()),
  };
}

/** Credits that the sandbox took for requests. */
export function charged(requests: readonly SandboxRequest[]): number {
  return requests.reduce((sum, request) => sum + request.charged, 0);
}

/** The requests of a log that had been sent before, in order. */
export function repeats(requests: readonly SandboxRequest[]): readonly SandboxRequest[] {
  const seen = new Set<string>();
  return requests.filter((request) => seen.size === seen.add(callText(request)).size);
}

/**
 * The sandbox's own log and the tables show that nothing is lost, nothing was requested that a calm run does not request, no more was
 * requested twice than was on its way, and no credit was taken beyond that.
 */
export async function expectCalm(stage: Stage, calm: Calm, mostTwice: number): Promise<void> {
  expect(await factsOf(stage)).toEqual(calm.facts);
  expect(Object.keys(await statesOf(stage))).toEqual(["loaded"]);
  const again = repeats(stage.requested());
  expect([...new Set(stage.requested().map(callText))].sort()).toEqual(calm.callTexts);
  expect(again.length).toBeLessThanOrEqual(mostTwice);
  expect(charged(stage.requested())).toBe(calm.credits + charged(again));
}

/** Slices of keyword ranks that say they are loaded and have no row, or the other way round. */
export async function torn(stage: Pick<Stage, "query">): Promise<unknown[]> {
  return stage.query(
    `select s.slice_id, s.state
     from   ops.slice as s
     where  s.dataset = 'keyword_rank'
     and    (s.state = 'loaded') <> exists (select from core.fact_keyword_rank as f where f.slice_id = s.slice_id)`,
  );
}

import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { books } from "../support/books.ts";
import { startDoomed, type Child } from "../support/ingest-child.ts";
import { openStage, until, callText, type Stage } from "../support/ingest-stage.ts";
import { statesOf } from "../support/ingest-tables.ts";
import { calmRun, expectCalm, repeats, torn, type Calm } from "../support/ingest-witness.ts";
import { long, seed } from "../support/long.ts";

const concurrency = 2;
/** Days enough for work that is left at the last kill. */
const whole = { api: { concurrency }, datasets: { keyword_rank: { history_days: 30 } } };
/** Two iOS apps and an Android app in two countries. */
const market = { apps: 3 };
const share = 0.3;
const settings = { ...whole, credits: { floors: { snapshot: share, daily: share, lookback: share, history: share } } };
/** A period is a few seconds, and the work takes several: in each of them the credits run out. */
const account = { token: "sandbox-token", total: 400, periodHours: 5 / 3_600 };

let calm: Calm;

beforeAll(async () => {
  if (!long) return;
  calm = await calmRun({ market }, { settings: whole });
});

/** When which of two workers is killed: so many requests after the kill before, and a little later. */
const kill = fc.record({
  which: fc.nat({ max: 1 }),
  after: fc.integer({ min: 1, max: 12 }),
  lateMs: fc.nat({ max: 40 }),
});

// every day one of two workers is killed while both plan a night, and one that is frozen is taken over from
test.runIf(long)(
  "two workers that are killed again and again load what one loads that nobody disturbs, and never work on one slice at once",
  async () => {
    await using stage = await openStage({ market, latencyMs: 25, accounts: [account] });
    await using children = new AsyncDisposableStack();
    const start = () => children.use(startDoomed(stage, "worker", { settings }));
    const workers: [Child, Child] = [start(), start()];
    const kills = fc.sample(kill, { seed, numRuns: 30 });
    const killedAt: number[] = [];
    for (const { which, after, lateMs } of kills) {
      const from = stage.requested().length;
      await until(async () => stage.requested().length >= from + after || (await isDone(stage)));
      await new Promise((resolve) => setTimeout(resolve, lateMs));
      const worker = workers[which === 0 ? 0 : 1];
      worker.process.kill("SIGKILL");
      await worker.ended;
      expect(await torn(stage)).toEqual([]);
      // by now the sandbox has seen all that the killed one had sent
      killedAt.push(Date.now());
      workers[which] = start();
    }
    await until(async () => (await isDone(stage)) && (await areAtWork(stage, workers)));
    for (const worker of workers) worker.process.kill("SIGTERM");
    expect(await Promise.all(workers.map(({ ended }) => ended))).toEqual([0, 0]);
    await expectCalm(stage, calm, kills.length * concurrency);
    expect(await books(stage)).toMatchObject({ unexplained: [], invented: [] });
    // what the killed had sent counts, also while nobody knows whether it was charged
    expect(stage.requested().filter(({ remaining }) => remaining < account.total * share)).toEqual([]);
    expect(new Set(stage.requested().map(({ at }) => Math.floor(at / 5_000))).size).toBeGreaterThan(2);
    // only a kill in between makes one request what another has requested
    for (const again of repeats(stage.requested())) {
      const first = stage.requested().find((request) => callText(request) === callText(again));
      expect(killedAt.some((at) => (first?.at ?? 0) <= at && at <= again.at)).toBe(true);
    }
  },
);

/** True when all ranks are requested and nothing is open. */
async function isDone(stage: Stage): Promise<boolean> {
  if (new Set(stage.requested().map(callText)).size < calm.callTexts.length) return false;
  return Object.keys(await statesOf(stage)).every((state) => state === "loaded");
}

/** True when all of them have registered in the ledger, and so receive the signal to stop. */
async function areAtWork(stage: Stage, workers: readonly Child[]): Promise<boolean> {
  const pids = workers.map(({ process }) => process.pid);
  const living = await stage.query("select from ops.worker where pid = any ($1) and stopped_at is null", [pids]);
  return living.length === workers.length;
}

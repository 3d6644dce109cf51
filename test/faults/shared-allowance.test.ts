import { beforeAll, expect, test } from "vitest";
import { systemClock, type Clock } from "../../src/core/clock.ts";
import { besideWorker } from "../support/beside-worker.ts";
import { startDoomed, type Child } from "../support/ingest-child.ts";
import { openStage, until, callText, type RunOptions, type Stage } from "../support/ingest-stage.ts";
import { factsOf, statesOf } from "../support/ingest-tables.ts";
import { charged, expectCalm, type Calm } from "../support/ingest-witness.ts";
import { long } from "../support/long.ts";

const concurrency = 2;
const cost = 3;

let portfolioSettings: NonNullable<RunOptions["settings"]>;
let calm: Calm;

/** Ranks alone, of apps that the configuration lists: every request costs the same. */
beforeAll(async () => {
  await using stage = await openStage();
  const { apps } = stage.sandbox.market;
  portfolioSettings = {
    api: { concurrency },
    portfolio: {
      source: "config",
      apps: apps.map((app) => ({
        id: app.trackId,
        countries: ["US", "JP"],
        keywords: stage.sandbox.market.trackedKeywords(app, "US").filter((keyword) => !keyword.includes(",")),
      })),
    },
  };
  if (!long) return;
  await stage.sync({ settings: portfolioSettings });
  calm = {
    facts: await factsOf(stage),
    callTexts: stage.requested().map(callText).sort(),
    credits: charged(stage.requested()),
  };
});

/** A sandbox's clock that holds requests until so many of them wait, once for each number in turn, and lets all pass afterwards. */
function barriers(...sizes: number[]): { clock: Clock; latencyMs: 1; passed: () => boolean } {
  let barrier = Promise.withResolvers<void>();
  let held = 0;
  const sleep = async () => {
    const [size] = sizes;
    if (size === undefined) return;
    const mine = barrier;
    held += 1;
    if (held === size) {
      sizes.shift();
      held = 0;
      barrier = Promise.withResolvers();
      mine.resolve();
    }
    await mine.promise;
  };
  return { clock: { ...systemClock(), sleep }, latencyMs: 1, passed: () => sizes.length === 0 };
}

async function stopAll(workers: readonly Child[]): Promise<void> {
  for (const worker of workers) worker.process.kill("SIGTERM");
  expect(await Promise.all(workers.map(({ ended }) => ended))).toEqual(workers.map(() => 0));
}

/** True when something was planned and nothing waits any more but for credits. */
async function isAtRest(stage: Stage): Promise<boolean> {
  const states = await statesOf(stage);
  return Object.keys(states).length > 0 && !("pending" in states) && !("running" in states);
}

// every day two workers that want more than there is request nothing twice either
test.runIf(long).each([1, 2, 4])(
  "%i workers have all their slots full at once and request everything once",
  async (count) => {
    // each has requested the balance before any of them plans; then as many calls are under way as all of them may have together
    const gate = barriers(count, count * concurrency);
    await using stage = await openStage({ clock: gate.clock, latencyMs: gate.latencyMs });
    await using children = new AsyncDisposableStack();
    const workers = Array.from({ length: count }, () =>
      children.use(startDoomed(stage, "worker", { settings: portfolioSettings })),
    );
    await until(async () => gate.passed() && (await isAtRest(stage)));
    await stopAll(workers);
    await expectCalm(stage, calm, 0);
    const askers = await stage.query("select distinct worker_id from ops.request where slice_id is not null");
    expect(askers).toHaveLength(count);
  },
);

test.each(long ? [2, 4] : [2])("%i workers that want more than there is leave the floor to others", async (count) => {
  const [total, share] = [100, 0.4];
  const gate = barriers(count, count * concurrency);
  await using stage = await openStage({
    clock: gate.clock,
    latencyMs: gate.latencyMs,
    accounts: [{ token: "shared", total, periodHours: 24 }],
  });
  const floors = { snapshot: share, daily: share, lookback: share, history: share };
  const settings = { ...portfolioSettings, credits: { floors } };
  await using children = new AsyncDisposableStack();
  // one of them in this process
  const others = Array.from({ length: count - 1 }, () => children.use(startDoomed(stage, "worker", { settings })));
  await besideWorker(stage, { settings }, () => until(async () => gate.passed() && (await isAtRest(stage))));
  await stopAll(others);
  const left = stage.requested().map(({ remaining }) => remaining);
  expect(Math.min(...left)).toBeGreaterThanOrEqual(total * share);
  // what was deferred is what there were no credits for, and nothing was requested twice
  const states = await statesOf(stage);
  expect(Object.keys(states)).toEqual(["deferred", "loaded"]);
  expect(states["loaded"]).toBe(stage.requested().length);
  expect(charged(stage.requested())).toBe(cost * (states["loaded"] ?? 0));
  expect(new Set(stage.requested().map(callText)).size).toBe(stage.requested().length);
});

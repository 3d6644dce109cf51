import { expect, test } from "vitest";
import { openIngest } from "../../src/open-ingest.ts";
import { createRunLimit } from "../../src/credits/run-limit.ts";
import { runToEnd, type RunSteps } from "../../src/runs/run-to-end.ts";
import { openRun } from "../../src/ledger/runs.ts";
import { syncInForeground } from "../../src/foreground.ts";
import { openStage, today, callText } from "../support/ingest-stage.ts";

test("gives back a slice whose claim went through and whose reply never came", async () => {
  await using stage = await openStage({ market: { apps: 2, countries: ["US"] } });
  let claimed = 0;
  let cut = 0;
  // the reply to the second chunk is lost on its way: the server has done its part
  await using app = await stage.open({ settings: { api: { concurrency: 1 } } });
  const execute = app.warehouse.pool;
  const connect = execute.connect.bind(execute);
  execute.connect = (async () => {
    const client = await connect();
    return new Proxy(client, {
      get(target, name) {
        if (name !== "query") return Reflect.get(target, name, target) as unknown;
        return async (text: unknown, values: unknown) => {
          const result = await target.query(text as string, values as unknown[]);
          if (!JSON.stringify(text).includes("claimed as") || result.rows.length === 0) return result;
          claimed += 1;
          if (claimed !== 2) return result;
          cut += result.rows.length;
          throw Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
        };
      },
    });
  }) as typeof execute.connect;
  const result = await syncInForeground(app, {
    request: { datasets: [], bounds: {}, today },
    maxCredits: null,
    stop: new AbortController().signal,
    progress: () => undefined,
  });
  expect(result).toMatchObject({ outcome: "loaded", progress: { open: 0 } });
  expect(cut).toBeGreaterThan(0);
  const callTexts = stage.requested().map(callText);
  expect(new Set(callTexts).size).toBe(callTexts.length);
});

/** How many rounds a run queues that finds nothing to do. */
async function roundsOf({ round, areOthersAtWork }: Pick<RunSteps, "areOthersAtWork"> & { round?: () => void }) {
  await using stage = await openStage();
  await using app = await stage.open();
  await using ingest = await openIngest(app, "foreground", createRunLimit(null));
  const { db, clock, workerId } = ingest.parts;
  const start = { kind: "sync", account: "", workerId, asOf: today, datasets: [], maxCredits: null } as const;
  const runId = await openRun(db, start, clock.now());
  let rounds = 0;
  await runToEnd(
    {
      ingest: ingest.parts,
      settings: app.config.settings,
      runLimit: createRunLimit(null),
      progress: () => undefined,
      wake: () => undefined,
    },
    {
      runId,
      round: async () => {
        rounds += 1;
        round?.();
        return { taken: 0, leftOut: 0, isWhole: true };
      },
      areOthersAtWork,
      readLeft: async () => ({ orphaned: 0, runningElsewhere: 0, failedBefore: 0, unavailable: [] }),
    },
  );
  return rounds;
}

test("plans once more after a round of which nobody knows whether it was queued", async () => {
  let isLost = true;
  const round = () => {
    if (!isLost) return;
    isLost = false;
    throw Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
  };
  expect(await roundsOf({ round, areOthersAtWork: async () => false })).toBe(3);
});

test("plans once more after a round in which what another process had open counted as covered", async () => {
  // it had work before the round, and its work is cancelled when the round is over
  const isAtWork = [true, false];
  expect(await roundsOf({ areOthersAtWork: async () => isAtWork.shift() ?? false })).toBe(2);
});

import { expect, test } from "vitest";
import { openIngest } from "../../src/app.ts";
import { createBudget } from "../../src/credits/budget.ts";
import { runToEnd } from "../../src/ingest/run-to-end.ts";
import { requeueLost } from "../../src/ledger/lost-jobs.ts";
import { openRun } from "../../src/ledger/runs.ts";
import { draft, openLedgerStage } from "../support/ledger-stage.ts";
import { openStage, today } from "../support/ingest-stage.ts";
import { addJobs } from "../../src/ledger/jobs.ts";

const task = "run_slice";
const aMinute = { task, takenForMs: 60_000, inHands: [] };

test("queues a slice again whose job the queue took and never heard of", async () => {
  await using stage = await openLedgerStage();
  const run = await stage.run();
  const [lost = "", held = "", fresh = ""] = await stage.insert(
    run,
    draft(),
    draft({ scope: { store: "ios", app: "2", country: "US" } }),
    draft({ scope: { store: "ios", app: "3", country: "US" } }),
  );
  await addJobs(stage.db, task, [lost, held, fresh]);
  await stage.pool.query(
    "update graphile_worker._private_jobs set locked_by = 'somebody', locked_at = now() - interval '2 minutes' where key <> $1",
    [`slice ${fresh}`],
  );
  expect(await requeueLost(stage.db, { ...aMinute, inHands: [held] })).toBe(1);
  const { rows } = await stage.pool.query(
    "select key from graphile_worker._private_jobs where locked_at is null and key is not null order by key",
  );
  expect(rows.map(({ key }) => key)).toEqual([`slice ${lost}`, `slice ${fresh}`].sort());
  // it waits now like any other, and is found no second time
  expect(await requeueLost(stage.db, { ...aMinute, inHands: [held] })).toBe(0);
});

test("leaves alone what another task queued and what was taken a moment ago", async () => {
  await using stage = await openLedgerStage();
  const [slice = ""] = await stage.insert(await stage.run(), draft());
  await addJobs(stage.db, task, [slice]);
  await stage.pool.query("update graphile_worker._private_jobs set locked_by = 'somebody', locked_at = now()");
  expect(await requeueLost(stage.db, aMinute)).toBe(0);
  expect(await requeueLost(stage.db, { ...aMinute, takenForMs: 0, task: "run_slice:1" })).toBe(0);
});

test("plans once more after a wave of which nobody knows whether it was queued", async () => {
  await using stage = await openStage();
  await using app = await stage.open();
  await using ingest = await openIngest(app, "sync", createBudget(null));
  const { db, clock, workerId } = ingest.parts;
  const start = { kind: "sync", workerId, asOf: today, datasets: [], maxCredits: null } as const;
  const runId = await openRun(db, start, clock.now());
  let waves = 0;
  const wave = async () => {
    waves += 1;
    if (waves === 1) throw Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
    return { taken: 0, leftOut: 0 };
  };
  const left = { abandoned: 0, elsewhere: 0, failedBefore: 0, barren: [] };
  await runToEnd(
    {
      ingest: ingest.parts,
      settings: app.config.settings,
      budget: createBudget(null),
      stop: new AbortController().signal,
      aborted: ingest.aborted,
      progress: () => undefined,
    },
    { runId, wave, look: async () => left },
  );
  expect(waves).toBe(3);
});

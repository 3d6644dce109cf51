import { expect, test } from "vitest";
import type { App } from "../../src/app.ts";
import { createRunLimit } from "../../src/credits/run-limit.ts";
import { announceQueued } from "../../src/ledger/shared-queue.ts";
import { openIngest } from "../../src/open-ingest.ts";
import { planDue } from "../../src/runs/scheduled-run.ts";
import { runWorker } from "../support/agreed-worker.ts";
import { until, type Stage } from "../support/ingest-stage.ts";
import { isIdleAfter, lastRunOf } from "../support/ingest-tables.ts";
import { openSynced } from "../support/synced-stage.ts";

/** A sleep of so long is that of a worker with nothing to do; in these tests it lasts until something wakes it. */
const longMs = 20_000;

/** The app with a clock on which long sleeps end only when they are broken off, and the lengths of those that last. */
function drowsy(app: App): { readonly app: App; readonly asleep: ReadonlySet<number> } {
  const asleep = new Set<number>();
  const sleep = async (ms: number, signal?: AbortSignal) => {
    if (ms < longMs) return app.clock.sleep(ms, signal);
    asleep.add(ms);
    const { promise, reject } = Promise.withResolvers<void>();
    signal?.addEventListener("abort", () => reject(new Error("broken off")), { once: true });
    return promise.finally(() => asleep.delete(ms));
  };
  return { app: { ...app, clock: { ...app.clock, sleep } }, asleep };
}

/** Plans as another process does, and runs nothing. */
async function planElsewhere(stage: Stage): Promise<void> {
  await using app = await stage.open();
  await using ingest = await openIngest(app, "worker", createRunLimit(null));
  await planDue(ingest.parts, app.config.settings, ["keyword_rank"]);
}

test("a worker with nothing to do sleeps until the next slice is due, or until another process queues one", async () => {
  await using stage = await openSynced();
  const first = await lastRunOf(stage);
  await using opened = await stage.open({ settings: { api: { retry_seconds: 1 } } });
  const { app, asleep } = drowsy(opened);
  const stop = new AbortController();
  const running = runWorker(app, stop.signal);
  try {
    await until(() => isIdleAfter(stage, first));
    await until(() => asleep.size > 0);
    const [slice] = await stage.query<{ id: string }>(
      "delete from ops.slice where slice_id = (select max(slice_id) from ops.slice where dataset = 'keyword_rank') returning slice_id as id",
    );
    await planElsewhere(stage);
    const loaded = () => stage.query("select from ops.slice where slice_id > $1 and state = 'loaded'", [slice?.id]);
    await until(async () => (await loaded()).length === 1);

    await until(() => asleep.size > 0);
    await stage.query(
      "update ops.slice set state = 'deferred', due_at = clock_timestamp() + interval '25 seconds' where slice_id = (select max(slice_id) from ops.slice)",
    );
    await announceQueued(app.warehouse.db);
    await until(() => [...asleep].some((ms) => ms <= 25_000));
  } finally {
    stop.abort();
  }
  expect(await running).toBeNull();
});

import { expect, test } from "vitest";
import { createLog } from "../../src/core/log.ts";
import { createClaimedSlices } from "../../src/ingest/claimed-slices.ts";
import { createNextSlices } from "../../src/ingest/next-slices.ts";
import { sharedQueue } from "../../src/ledger/shared-queue.ts";
import { endAttempt } from "../../src/ledger/slices.ts";
import { draft, ending, now, openLedgerStage } from "../support/ledger-stage.ts";

/** The first wait after an error, and so the usual time between two checks. */
const retryMs = 3_000;

test("a slice is claimed when it is due, not at the next usual check, and no check comes sooner while another session holds it", async () => {
  await using stage = await openLedgerStage();
  const worker = await stage.alive();
  const [id] = await stage.insert(await stage.run(), draft());
  const put = { ...ending, state: "pending", dueAt: now + 700 } as const;
  await endAttempt(stage.db, await stage.claimed(id!, worker), put, now);
  let time = now;
  const { signal } = new AbortController();
  const queue = createNextSlices({
    db: stage.db,
    queueId: sharedQueue,
    workerId: worker,
    claimedSlices: createClaimedSlices(),
    clock: { ...stage.clock, now: () => time },
    log: createLog({ level: "silent", secrets: [], to: { write: () => undefined } }),
    scrub: (text) => text,
    retryMs,
    halted: signal,
    stop: signal,
    stoppedBy: () => null,
    abort: (error) => {
      throw error;
    },
  });
  expect(await queue.claim(4)).toEqual([]);
  expect(queue.nextCheckMs()).toBe(700);

  const holder = await stage.pool.connect();
  await holder.query("begin");
  await holder.query("select from ops.slice where slice_id = $1 for update", [id]);
  time = now + 700;
  expect(await queue.claim(4)).toEqual([]);
  expect(queue.nextCheckMs()).toBe(retryMs);
  await holder.query("rollback");
  holder.release();

  time += retryMs;
  expect((await queue.claim(4)).map(({ sliceId }) => sliceId)).toEqual([id]);
});

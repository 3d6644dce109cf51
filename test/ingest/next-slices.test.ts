import { expect, test } from "vitest";
import { addDays, dayOf, startOfDay } from "../../src/core/day.ts";
import { createLog } from "../../src/core/log.ts";
import { createClaimedSlices } from "../../src/ingest/claimed-slices.ts";
import { createNextSlices } from "../../src/ingest/next-slices.ts";
import { sharedQueue } from "../../src/ledger/shared-queue.ts";
import { endAttempt } from "../../src/ledger/slices.ts";
import { august, draft, ending, now, openLedgerStage, type LedgerStage } from "../support/ledger-stage.ts";

/** The first wait after an error, and so the usual time between two checks. */
const retryMs = 3_000;

/** The queue of a worker, with a clock of the test's, and its log. */
function queueOf(
  { db, clock }: LedgerStage,
  { worker, time, queueLeftOver }: { worker: string; time: () => number; queueLeftOver?: () => Promise<void> },
) {
  const lines: string[] = [];
  const claimedSlices = createClaimedSlices();
  const { signal } = new AbortController();
  const queue = createNextSlices({
    db,
    queueId: sharedQueue,
    workerId: worker,
    claimedSlices,
    queueLeftOver,
    clock: { ...clock, now: time },
    log: createLog({ level: "warn", secrets: [], to: { write: (line: string) => lines.push(line) } }),
    scrub: (text) => text,
    retryMs,
    halted: signal,
    stop: signal,
    stoppedBy: () => null,
    abort: (error) => {
      throw error;
    },
  });
  const logged = () => lines.map((line) => JSON.parse(line) as { msg: string; slices: number });
  return { queue, claimedSlices, logged };
}

test("a slice is claimed when it is due, not at the next usual check, and no check comes sooner while another session holds it", async () => {
  await using stage = await openLedgerStage();
  const worker = await stage.alive();
  const [id] = await stage.insert(await stage.run(), draft());
  const put = { ...ending, state: "pending", dueAt: now + 700 } as const;
  await endAttempt(stage.db, await stage.claimed(id!, worker), put, now);
  let time = now;
  const { queue } = queueOf(stage, { worker, time: () => time });
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

test("claims that a broken connection has left are logged apart from slices whose end the database has lost", async () => {
  await using stage = await openLedgerStage();
  const worker = await stage.alive();
  const drafts = [1, 2, 3].map((number) => draft({ window: august(number) }));
  const [running, lost, unwritten] = await stage.insert(await stage.run(), ...drafts);
  let time = now;
  const { queue, claimedSlices, logged } = queueOf(stage, { worker, time: () => time });
  expect(await queue.claim(4)).toHaveLength(3);
  claimedSlices.start(running!);
  queue.lost(unwritten!);
  time += retryMs;
  const again = await queue.claim(4);
  expect(again.map(({ sliceId, attempt }) => ({ sliceId, attempt }))).toEqual(
    [unwritten, lost].map((sliceId) => ({ sliceId, attempt: 2 })),
  );
  expect(logged()).toMatchObject([
    { msg: "queue.orphaned_claims", slices: 1 },
    { msg: "queue.ends_lost", slices: 1 },
  ]);
});

test("orphaned slices and due retries are queued every two minutes, and before the first claim of a day", async () => {
  await using stage = await openLedgerStage();
  const worker = await stage.alive();
  const midnight = startOfDay(addDays(dayOf(now), 1));
  let time = midnight - 30_000;
  const calls: number[] = [];
  const queueLeftOver = async () => void calls.push((time - midnight) / 1000);
  const { queue } = queueOf(stage, { worker, time: () => time, queueLeftOver });
  for (const second of [-30, -1, 0, 1, 119, 120, 121]) {
    time = midnight + second * 1000;
    await queue.claim(4);
  }
  expect(calls).toEqual([-30, 0, 120]);
});

import { expect, test } from "vitest";
import { awaitShard, claimShard, closePlanning, endShard, openShards } from "../../src/ledger/run-shards.ts";
import { now, openLedgerStage } from "../support/ledger-stage.ts";

const end = { step: "end", shards: [{ number: 0, of: 1 }] } as const;

test("a process that waits for the shard of another holds nothing, so that the last one can end the run and remove the shards", async () => {
  await using stage = await openLedgerStage();
  const { db } = stage;
  const runId = await stage.run();
  await openShards(db, runId, { step: "market", shards: [{ number: 1, of: 2 }] });
  const inTransaction = <T>(work: Parameters<ReturnType<typeof db.transaction>["execute"]>[0]) =>
    db.transaction().execute(work) as Promise<T>;
  const waits: Promise<boolean>[] = [];
  const waitBeside = async () => {
    waits.push(awaitShard(db, runId));
    while ((await stage.waiting()) === 0);
  };
  await inTransaction(async (transaction) => {
    expect(await claimShard(transaction, runId)).toEqual({ step: "market", number: 1, of: 2 });
    expect(await claimShard(db, runId)).toBeNull();
    await waitBeside();
    const planned = { step: "market", number: 1, slices: 3, timings: [], now } as const;
    expect(await endShard(transaction, runId, planned)).toBe(3);
    await openShards(transaction, runId, end);
  });
  expect(await waits.pop()).toBe(true);
  await inTransaction(async (transaction) => {
    expect(await claimShard(transaction, runId)).toMatchObject({ step: "end" });
    await waitBeside();
    expect(await closePlanning(transaction, runId, { outcome: "planned", now })).toBe(3);
  });
  expect(await waits.pop()).toBe(true);
  expect(await awaitShard(db, runId)).toBe(false);
});

test("of two shards that end at once one is the last", async () => {
  await using stage = await openLedgerStage();
  const { db } = stage;
  const runId = await stage.run();
  const shards = [1, 2].map((number) => ({ number, of: 2 }));
  await openShards(db, runId, { step: "market", shards });
  const planned = { step: "market", slices: 0, timings: [], now } as const;
  let second: Promise<number | null> | undefined;
  const first = await db.transaction().execute(async (transaction) => {
    const sum = await endShard(transaction, runId, { ...planned, number: 1 });
    second = db.transaction().execute((beside) => endShard(beside, runId, { ...planned, number: 2 }));
    while ((await stage.waiting()) === 0);
    return sum;
  });
  expect([first, await second]).toEqual([null, 0]);
});

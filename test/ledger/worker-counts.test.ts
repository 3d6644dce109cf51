import { beforeEach, describe, expect, test } from "vitest";
import { readWorkerCounts, readWorkerGap } from "../../src/ledger/worker-counts.ts";
import { forTests } from "../support/for-tests.ts";
import { openLedgerStage } from "../support/ledger-stage.ts";

const stage = forTests(openLedgerStage);

beforeEach(async () => {
  await stage.reset();
});

describe("a worker that waits until the API accepts the account", () => {
  /** Has left the ledger, and sent its latest heartbeat so long ago. */
  const waited = (heartbeatSecondsAgo: number) =>
    stage.pool.query(
      `insert into ops.worker (kind, host, pid, started_at, stopped_at, heartbeat_at, ended_as)
       select 'worker', 'here', 1, at - interval '1 hour', at, at, 'waiting' from (select now() - $1 * interval '1 second' as at) as t`,
      [heartbeatSecondsAgo],
    );

  test("has not ended while it sends heartbeats", async () => {
    await waited(5);
    expect(await readWorkerCounts(stage.db, "")).toMatchObject({ running: 0, waiting: 1, lastEndedAs: null });
  });

  test("died once its heartbeats end, and so the next worker reports it", async () => {
    await waited(1_800);
    expect(await readWorkerCounts(stage.db, "")).toMatchObject({ running: 0, waiting: 0, lastEndedAs: "died" });
    await using _ = await stage.aliveAs("worker");
    expect(await readWorkerCounts(stage.db, "")).toMatchObject({ running: 1, waiting: 0, lastEndedAs: null });
    const within = { account: "", longerThanMs: 900_000, endedWithinMs: 900_000 };
    expect(await readWorkerGap(stage.db, within)).toMatchObject({ endedAs: "died" });
  });
});

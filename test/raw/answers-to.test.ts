import { expect, test } from "vitest";
import { unreadCalls } from "../../src/raw/answers-to.ts";
import { now, openLedgerStage } from "../support/ledger-stage.ts";
import { forTests } from "../support/for-tests.ts";

const stage = forTests(openLedgerStage);

/** Stores an answer that belongs to no slice, so many seconds after the day has begun. */
async function answered(operation: string, trackId: number, hash: string | null, seconds: number): Promise<void> {
  await stage.pool.query(
    `with sent as (
       insert into ops.request (account_id, attempt, page, class, operation, params, status, cost, duration_ms, byte_count, received_at)
       values ('any', 1, 0, 'daily', $1, jsonb_build_object('trackId', $2::int), 200, 1, 1, 1, $4) returning request_id, received_at)
     insert into raw.answer (request_id, attempt, page, operation, body, byte_count, fetched_at, call_hash)
     select request_id, 1, 0, $1, '', 0, received_at, decode($3, 'hex') from sent`,
    [operation, trackId, hash, new Date(now + seconds * 1_000)],
  );
}

test("calls whose answers became no row are found once each, unless no dataset reads them or their answers are no longer valid", async () => {
  await answered("read", 1, "01", -1);
  await answered("read", 2, "02", 1);
  await answered("unread", 3, "03", 2);
  await answered("read", 4, "04", 3);
  await answered("read", 2, "02", 4);
  await answered("read", 5, null, 5);
  const calls = await unreadCalls(stage.db, ["read"], now);
  expect(calls).toEqual([2, 4].map((trackId) => ({ operation: "read", params: { trackId } })));
});

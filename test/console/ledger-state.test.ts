import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readLedgerState } from "../../src/console/ledger-state.ts";
import { openWarehouseStage, type WarehouseStage } from "../support/warehouse-stage.ts";

let stage: WarehouseStage;
let client: pg.Client;

beforeAll(async () => {
  stage = await openWarehouseStage();
  client = new pg.Client({ connectionString: stage.url });
  await client.connect();
  await client.query("insert into ops.run (kind, as_of, datasets, started_at) values ('sync', now(), '{}', now())");
  await client.query(
    `insert into ops.slice (dataset, operation, scope, window_start, window_end, as_of, fingerprint, class, state, planned_requests, planned_credits,
                            run_id, attempt, created_at)
     select 'keyword_rank', 'ios.keyword-ranking', jsonb_build_object('n', n), '2026-08-01', '2026-08-02', '2026-08-02', '', 'daily', state, 1, 3,
            (select max(run_id) from ops.run), 1, now()
     from   unnest(array['running', 'running', 'pending']) with ordinality as s (state, n)`,
  );
  await settled();
});
afterAll(async () => {
  await client.end();
  await stage[Symbol.asyncDispose]();
});

/** A session adds how many rows it wrote at the end of a transaction, or a moment later. */
async function settled(): Promise<void> {
  await client.query("select pg_stat_force_next_flush()");
}

const turn = (state: string, n: number) =>
  client.query("update ops.slice set state = $1 where scope ->> 'n' = $2", [state, n]);

test("what the ledger is in stays the same while nothing happens, however often it is read", async () => {
  const before = await readLedgerState(stage.db);
  await client.query("select count(*) from ops.slice");
  await settled();
  expect(await readLedgerState(stage.db)).toBe(before);
});

test.each([
  ["ends", "loaded", 1],
  ["fails", "failed", 2],
] as const)("a slice that runs and %s is seen at once", async (_, state, n) => {
  const before = await readLedgerState(stage.db);
  await turn(state, n);
  expect(await readLedgerState(stage.db)).not.toBe(before);
  await settled();
});

test("a slice is seen that is deferred without a request, and was not seen to run", async () => {
  const before = await readLedgerState(stage.db);
  await turn("deferred", 3);
  await settled();
  expect(await readLedgerState(stage.db)).not.toBe(before);
});

test("an incident is seen that opens, says something else, and closes", async () => {
  const states = [await readLedgerState(stage.db)];
  for (const change of [
    "insert into ops.incident (kind, subject, account_id, summary, detail, opened_at, last_seen_at) values ('budget_exhausted', 'ranks day', '', 'Nothing waits for it.', '{}', now(), now())",
    "update ops.incident set summary = '11 slices wait.', last_seen_at = now()",
    "update ops.incident set closed_at = now()",
  ]) {
    await client.query(change);
    states.push(await readLedgerState(stage.db));
  }
  expect(new Set(states).size).toBe(states.length);
});

test("a worker is seen that is frozen: it lives by its lock, and sends no heartbeat any more", async () => {
  await client.query(
    `with w as (
       insert into ops.worker (kind, host, pid, started_at, heartbeat_at, session_name, account)
       values ('worker', 'loader-1', 1, now(), clock_timestamp(), '', '') returning worker_id
     )
     select pg_advisory_lock(x'53544f52'::integer, worker_id::integer) from w`,
  );
  const before = await readLedgerState(stage.db);
  await client.query("update ops.worker set heartbeat_at = heartbeat_at - interval '2 minutes'");
  expect(await readLedgerState(stage.db)).not.toBe(before);
});

test("a worker is seen that was killed while it waited for the API: it sends no heartbeat any more, and never said that it ended", async () => {
  await client.query(
    `insert into ops.worker (kind, host, pid, started_at, heartbeat_at, stopped_at, ended_as, session_name, account)
     values ('worker', 'loader-2', 2, now(), clock_timestamp(), now(), 'waiting', '', '')`,
  );
  const before = await readLedgerState(stage.db);
  await client.query(
    "update ops.worker set heartbeat_at = heartbeat_at - interval '2 minutes' where host = 'loader-2'",
  );
  expect(await readLedgerState(stage.db)).not.toBe(before);
});
